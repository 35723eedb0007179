"""web_search, against a server on this machine in place of the search service."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from adal_ls.agent.builtin.catalog import BUILTINS, available
from tests.agent.builtin.conftest import Desk

KEY = "tvly-canary"

web_search = importlib.import_module("adal_ls.agent.builtin.web_search")


class Service:
    def __init__(self) -> None:
        self.status = 200
        self.body: Any = {"results": []}
        self.asked: list[tuple[str | None, Any]] = []


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> Iterator[Service]:
    found = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            found.asked.append((self.headers["Authorization"], json.loads(sent)))
            body = json.dumps(found.body).encode()
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Tests read `asked`."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setattr(web_search, "ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}/search")
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


async def test_results_have_title_url_and_extract(desk: Desk, service: Service) -> None:
    service.body = {"results": [{"title": "T", "url": "https://a/", "content": "about"}, {"title": "U", "url": "b"}]}
    assert await desk.text("web_search", query="what") == "T\nhttps://a/\nabout\n\nU\nb"
    ((key, sent),) = service.asked
    assert (key, sent["query"]) == (f"Bearer {KEY}", "what")


async def test_nothing_found_says_so(desk: Desk, service: Service) -> None:
    assert await desk.text("web_search", query="what") == "[nothing was found]"


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [(401, {}, "refuses the key"), (500, {}, "answered 500"), (200, {"x": 1}, "else than results"), (200, 7, "else")],
)
async def test_a_service_that_fails_is_explained_without_the_key(
    desk: Desk, service: Service, status: int, body: Any, why: str
) -> None:
    service.status, service.body = status, body
    said = await desk.refusal("web_search", query="what")
    assert why in said
    assert KEY not in said


async def test_a_service_that_cannot_be_reached_is_explained(
    desk: Desk, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_search, "ENDPOINT", "http://127.0.0.1:1/")
    assert "cannot be reached" in await desk.refusal("web_search", query="what")


async def test_a_policy_without_network_searches_nothing(desk: Desk, service: Service) -> None:
    assert "allow_network" in await desk.allow(allow_network=False).refusal("web_search", query="what")
    assert service.asked == []


async def test_without_a_key_the_tool_is_not_there(desk: Desk) -> None:
    assert set(BUILTINS) - set(available({})) == {"web_search"}
    assert "web_search" in available({"TAVILY_API_KEY": "x"})
    assert "set TAVILY_API_KEY" in await desk.refusal("web_search", query="what")
