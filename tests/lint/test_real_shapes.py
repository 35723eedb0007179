"""Tools files in the shapes that people publish: no error, no warning, and every tool is found."""

from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read

# A class example: a dict form, a plain result, a bare list as a parameter, an untyped private function.
SHOP = '''\
"""Tools of the shop agent."""

import json
import os

_CATALOG = os.path.join(os.path.dirname(__file__), "catalog.json")


def _load(path):
    with open(path) as handle:
        return json.load(handle)


def _by_sku(items, sku):
    return next((item for item in items if item["sku"] == sku), None)


def find_product(query: str, limit: int = 5) -> list:
    """Find products by name.

    Args:
        query: Part of the product's name.
        limit: How many to return at most.
    """
    items = _load(_CATALOG)
    return [item for item in items if query.lower() in item["name"].lower()][:limit]


def compare_prices(skus: list) -> dict:
    """Compare the prices of some products."""
    items = _load(_CATALOG)
    return {sku: (_by_sku(items, sku) or {}).get("price") for sku in skus}


def place_order(sku: str, quantity: int = 1) -> dict:
    """Place an order. Costs money."""
    return {"ordered": sku, "quantity": quantity}


CUSTOM_TOOLS = [
    find_product,
    {
        "function": compare_prices,
        "name": "price_table",
        "description": "Compare prices side by side",
        "require_approval": False,
    },
    place_order,
]
'''

# `x: list = None`, deeper continuation lines, a sentence at the left margin after the arguments.
HOTEL = '''\
from datetime import date

_ROOMS = {"101": {"beds": 2, "amenities": ["balcony"]}}


def _matches(room: dict, amenities: list) -> bool:
    return all(wanted in room["amenities"] for wanted in amenities or [])


def search_rooms(check_in: str, check_out: str, guests: int = 2, amenities: list = None) -> list:
    """
    Search the rooms that are free.

    Args:
        check_in: First night, as YYYY-MM-DD.
        check_out: Day of departure, as YYYY-MM-DD;
                   must be after check_in.
        guests: How many people.
        amenities: What the room must have,
                   for example ["balcony", "sea view"].

Returns a list of rooms, cheapest first.
    """
    return [number for number, room in _ROOMS.items() if room["beds"] >= guests and _matches(room, amenities)]


def nights(check_in: str, check_out: str) -> int:
    """Count the nights of a stay."""
    return (date.fromisoformat(check_out) - date.fromisoformat(check_in)).days


CUSTOM_TOOLS = [search_rooms, nights]
'''

# Written as the documentation shows it: ToolOutput, async, an annotated tuple.
SERVICES = '''\
import httpx
from adalflow.core.types import ToolOutput


async def check_health(service_url: str) -> ToolOutput:
    """Check if a service is healthy by hitting its /health endpoint."""
    async with httpx.AsyncClient() as client:
        resp = await client.get(f"{service_url}/health", timeout=5)
        healthy = resp.status_code == 200
        return ToolOutput(
            output={"healthy": healthy},
            observation=f"{'✅ Healthy' if healthy else '❌ Unhealthy'} — {service_url}",
            display=f"{'✅' if healthy else '❌'} {service_url}",
            status="success",
        )


def _confirm(service: str) -> None:
    print(service)


def restart(service: str, force: bool = False) -> ToolOutput:
    """Restart a service.

    Args:
        service: Name — as in `systemctl`.
        force: Do not wait for open requests.
    """
    _confirm(service)
    raise ValueError(f"Something went wrong with {service}")


CUSTOM_TOOLS: tuple = (check_health, {"function": restart})
'''

# An application's file that a controller copies into the project: an import that may be missing, work at import.
TICKETS = '''\
# -*- coding: utf-8 -*-
import logging
import sys

try:
    import requests
except ImportError:
    requests = None

sys.path.insert(0, "..")
logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)

PRIORITIES = ["low", "high"]


def create_ticket(title, text, tags=None):
    """Create a ticket.

    Args:
        title (str): Kurze Überschrift.
        text (str): Body of the ticket.
        tags (list, optional): Words to find it by.
    """
    log.info("creating %s", title)
    return "created " + title


def close_ticket(number: int, reason: str = "") -> str:
    "Close a ticket."
    return f"closed {number}"


if __name__ == "__main__":
    print(create_ticket("a", "b"))

CUSTOM_TOOLS = [
    create_ticket,
    close_ticket,
]'''

FILES = {
    "shop": (SHOP, ["find_product", "price_table", "place_order"]),
    "hotel": (HOTEL, ["search_rooms", "nights"]),
    "services": (SERVICES, ["check_health", "restart"]),
    "tickets": (TICKETS, ["create_ticket", "close_ticket"]),
}


@pytest.mark.parametrize(("text", "tools"), FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_file_as_people_write_it_has_no_error_and_no_warning(text: str, tools: list[str], end: str) -> None:
    file = read(text.replace("\n", end))
    loud = [finding for finding in check(file) if finding.severity in (Severity.ERROR, Severity.WARNING)]
    assert loud == []
    assert [tool.name for tool in file.tools] == tools


@pytest.mark.parametrize(("text", "tools"), FILES.values(), ids=FILES.keys())
def test_each_line_above_the_list_can_be_missing(text: str, tools: list[str]) -> None:
    """While a line is being typed it is not there: one syntax error at most, and every tool stays listed."""
    lines = text.split("\n")
    above = next(number for number, line in enumerate(lines) if line.startswith("CUSTOM_TOOLS"))
    for number in range(above):
        file = read("\n".join(lines[:number] + lines[number + 1 :]))
        assert len(file.syntax) <= 1
        assert [tool.name for tool in file.tools] == tools
