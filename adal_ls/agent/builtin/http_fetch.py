"""GET over HTTP with every hop checked: scheme, host, and the very address that is connected to."""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpcore

from adal_ls.agent.builtin.addresses import RefusedAddressError, Resolve, public_addresses, resolve
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.version import __version__

_PORTS = {"http": 80, "https": 443}
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPT = "text/html,text/markdown,text/plain,application/json,application/xhtml+xml,*/*;q=0.1"
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_CHUNK = 64 * 1024
_LONGEST_URL = 4000


class FetchError(Exception):
    """Nothing was fetched, or not to an end; the text is for the model."""


@dataclass(frozen=True, slots=True)
class Url:
    """A checked URL. `host` is ASCII and lower case, without brackets; `text` is the whole, as it is asked for."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, whatever its status. `body` ends at the limit where `cut` says so; `hops` are the URLs before."""

    url: str
    status: int
    reason: str
    content_type: str
    body: bytes
    cut: bool
    hops: tuple[str, ...] = ()


async def fetch(text: str, policy: WorkspacePolicy, resolver: Resolve = resolve) -> Fetched:
    """Fetches a URL, following redirects within the policy, within its time and up to its bytes.

    Proxies of the environment are not used: what they would connect to cannot be checked.

    Raises:
        FetchError: refused at some hop, no connection, no answer in time.
    """
    seconds = policy.fetch_timeout_ms / 1000
    try:
        return await asyncio.wait_for(_follow(parse(text), policy, resolver), seconds)
    except asyncio.TimeoutError as fault:
        raise FetchError(f"{text} did not answer whole within {seconds:g} seconds") from fault
    except RefusedAddressError as fault:
        raise FetchError(f"refused: {fault}") from fault
    except UnicodeError as fault:  # what the system's resolver says of `a..b`
        raise FetchError(f"refused: {text} names no host that can be looked up: {fault}") from fault
    except zlib.error as fault:
        raise FetchError(f"{text} answers with what cannot be unpacked: {fault}") from fault
    except (OSError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as fault:
        raise FetchError(f"{text} cannot be fetched: {fault or type(fault).__name__}") from fault


def parse(text: str) -> Url:
    """Raises: FetchError: no http or https URL that has one meaning."""
    if len(text) > _LONGEST_URL:
        raise FetchError(f"refused: the URL is longer than {_LONGEST_URL} characters")
    if _UNSAFE.search(text):
        raise FetchError("refused: a URL has no blanks, control characters or backslashes; write them as %20 and so on")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as fault:
        raise FetchError(f"refused: this is no URL: {fault}") from fault
    if parts.scheme not in _PORTS:
        raise FetchError(f"refused: only http and https are fetched, not {parts.scheme or 'a URL without a scheme'}")
    if not parts.hostname:
        raise FetchError("refused: the URL names no host")
    if "@" in parts.netloc:
        raise FetchError("refused: a URL with a user name in it; what stands before '@' is not the host")
    try:
        host = parts.hostname.encode("idna").decode() if not parts.hostname.isascii() else parts.hostname
    except UnicodeError as fault:
        raise FetchError(f"refused: {parts.hostname!r} is no host name: {fault}") from fault
    target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    return Url(parts.scheme, host.casefold(), port if port is not None else _PORTS[parts.scheme], _ascii(target))


async def _follow(url: Url, policy: WorkspacePolicy, resolver: Resolve) -> Fetched:
    hops: list[str] = []
    while True:
        answer = await _get(url, policy, resolver)
        if isinstance(answer, Fetched):
            return replace(answer, hops=tuple(hops))
        hops.append(url.text)
        if len(hops) > policy.max_redirects:
            raise FetchError(f"refused: more than {policy.max_redirects} redirects: {' → '.join(hops)}")
        following = parse(urljoin(url.text, answer))
        if following.text in hops:
            raise FetchError(f"refused: the redirects go round in a circle: {' → '.join([*hops, following.text])}")
        if following.port not in (url.port, _PORTS[following.scheme]) and following.origin not in policy.allowed_urls:
            raise FetchError(f"refused: a redirect to another port: {following.text}")
        if url.scheme == "https" and following.scheme == "http":
            raise FetchError(f"refused: a redirect from https to http: {following.text}")
        url = following


async def _get(url: Url, policy: WorkspacePolicy, resolver: Resolve) -> Fetched | str:
    """The answer, or where it redirects to."""
    if not policy.allows_host(url.host):
        raise FetchError(f"refused: the policy does not let {url.host} be reached (allowed_domains, denied_domains)")
    checked = not policy.allow_private_network and url.origin not in policy.allowed_urls
    addresses = await (public_addresses if checked else _any_addresses)(url.host, url.port, resolver)
    headers: dict[str | bytes, str | bytes] = {
        "Host": url.text.split("/", 3)[2],
        "User-Agent": f"adal-ls/{__version__}",
        "Accept": _ACCEPT,
        "Accept-Encoding": "gzip, deflate",
    }
    core = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
    tls = ssl.create_default_context() if url.scheme == "https" else None
    async with (
        httpcore.AsyncConnectionPool(ssl_context=tls, network_backend=_Pinned(addresses)) as pool,
        pool.stream("GET", core, headers=headers) as response,
    ):
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        if response.status in _REDIRECTS and "location" in found:
            return found["location"]
        body, cut = await _read(response, found.get("content-encoding", ""), policy.max_response_bytes)
        reason = response.extensions.get("reason_phrase", b"").decode("latin-1")
        return Fetched(url.text, response.status, reason, found.get("content-type", ""), body, cut)


async def _any_addresses(host: str, port: int, resolver: Resolve) -> list[str]:
    return await resolver(host, port)


async def _read(response: httpcore.Response, encoding: str, most: int) -> tuple[bytes, bool]:
    """At most `most` bytes of the body, unpacked as they come, and whether there are more."""
    unpack = _unpacker(encoding.strip().lower())
    body = bytearray()
    async for chunk in response.aiter_stream():
        while chunk:
            if unpack is None:
                body += chunk
                chunk = b""
            else:
                # Bounded: a small packed chunk can stand for a thousand times as much.
                body += unpack.decompress(chunk, _CHUNK)
                chunk = unpack.unconsumed_tail
            if len(body) > most:
                return bytes(body[:most]), True
    return bytes(body), False


def _unpacker(encoding: str) -> Any:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: gzip or zlib, by what it begins with
    raise FetchError(f"the answer is packed as {encoding!r}, which was not asked for")


class _Pinned(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked, and never asks a resolver again (DNS rebinding)."""

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        fault: Exception = OSError(f"{host} has no address")
        for address in self._addresses:
            try:
                return await self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (OSError, httpcore.ConnectError, httpcore.ConnectTimeout) as failed:  # noqa: PERF203 - the next one
                fault = failed
        raise fault

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002 - the interface of httpcore
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        raise RefusedAddressError(f"a socket of this machine: {path}")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _ascii(target: str) -> str:
    """The path and query with every other character as its UTF-8 bytes in percent signs."""
    return "".join(sign if sign.isascii() else "".join(f"%{byte:02X}" for byte in sign.encode()) for sign in target)
