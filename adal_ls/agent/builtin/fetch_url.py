"""The built-in tool fetch_url: a page of the internet as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adal_ls.agent.builtin import arguments
from adal_ls.agent.builtin.addresses import Resolve
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError


async def fetch_url(given: Mapping[str, Any], context: BuiltinContext, resolver: Resolve | None = None) -> str:
    """Status, place and text of the answer; an answer such as 404 is data.

    Raises:
        BuiltinError: bad arguments, refused by the policy or by the check of addresses, no answer in time, not text.
    """
    from adal_ls.agent.builtin import addresses, http_fetch, page  # HTTP and HTML are for those who fetch

    arguments.only("fetch_url", given, ["url"])
    url = arguments.text("fetch_url", given, "url")
    if context.policy.allow_network is False:
        raise BuiltinError("refused: the policy of this workspace has no network (allow_network)")
    try:
        fetched = await http_fetch.fetch(url, context.policy, resolver or addresses.resolve)
        text = await page.text(fetched.body, fetched.content_type)
    except (http_fetch.FetchError, page.UnreadableError) as fault:
        raise BuiltinError(str(fault)) from fault
    head = f"[{fetched.status} {fetched.reason}".rstrip() + f" · {fetched.content_type or 'no type'} · {fetched.url}]"
    lines = [head, *(f"[redirected from {hop}]" for hop in fetched.hops), text or "[no content]"]
    if fetched.cut:
        lines.append(f"[cut after {context.policy.max_response_bytes:,} bytes]")
    return "\n".join(lines)
