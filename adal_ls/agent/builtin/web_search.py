"""The built-in tool web_search, by the search of Tavily: there only when the person has a key for it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from adal_ls.agent.builtin import arguments
from adal_ls.agent.builtin.catalog import SEARCH_KEY
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError

ENDPOINT = "https://api.tavily.com/search"
MOST = 8
_SECONDS = 30.0
_MOST_BYTES = 1_000_000


async def web_search(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """Title, URL and extract of each result.

    Raises:
        BuiltinError: bad arguments, no key, or a search service that does not answer; the key is in no text.
    """
    arguments.only("web_search", given, ["query"])
    query = arguments.text("web_search", given, "query")
    key = os.environ.get(SEARCH_KEY)
    if not key:
        raise BuiltinError(f"web_search needs a key: set {SEARCH_KEY}")
    if context.policy.allow_network is False:
        raise BuiltinError("refused: the policy of this workspace has no network (allow_network)")
    status, body = await _post(ENDPOINT, key, {"query": query, "max_results": MOST})
    if status in (401, 403):
        raise BuiltinError(f"the search service refuses the key in {SEARCH_KEY} ({status})")
    if status != 200:
        raise BuiltinError(f"the search service answered {status}; try again later")
    return _text(body)


async def _post(url: str, key: str, body: dict[str, Any]) -> tuple[int, bytes]:
    import httpx  # for those who search

    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
    # Proxies of the person are theirs to choose: this host is ours, not a model's.
    try:
        async with (
            httpx.AsyncClient(timeout=_SECONDS) as client,
            client.stream("POST", url, json=body, headers=headers) as response,
        ):
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > _MOST_BYTES:
                    raise BuiltinError("the search service answered with more than can be read")
            return response.status_code, bytes(content)
    except httpx.HTTPError as fault:
        raise BuiltinError(f"the search service cannot be reached: {type(fault).__name__}") from fault


def _text(body: bytes) -> str:
    try:
        results = json.loads(body)["results"]
        lines = [f"{item['title']}\n{item['url']}\n{item.get('content') or ''}".rstrip() for item in results[:MOST]]
    except (ValueError, KeyError, TypeError) as fault:
        raise BuiltinError("the search service answered with something else than results") from fault
    return "\n\n".join(lines) if lines else "[nothing was found]"
