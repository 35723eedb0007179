"""fetch_url over real HTTP. Codes N1 to N7 are those of the workspace tools' checklist.

Names are resolved by a table of the test, and a public address stands for the test's own server: the checks see what
they would see on the internet, and every byte crosses a socket.
"""

from __future__ import annotations

import asyncio
import gzip
import threading
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpcore
import pytest

from adal_ls.agent.approvals.url_look import suspicious
from adal_ls.agent.builtin import BuiltinContext, addresses, http_fetch, page
from adal_ls.agent.builtin.context import BuiltinError
from adal_ls.agent.builtin.fetch_url import fetch_url
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.agent.workspaces.workspace_policy import InvalidPolicyError, WorkspacePolicy
from tests.agent.builtin.conftest import Desk

PUBLIC = "93.184.216.34"

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A server on this machine; `answers` by path, `asked` what came."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.port = server.server_address[1]
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, str]] = []
        self.released = threading.Event()

    def gives(
        self, path: str, body: bytes | str = b"", kind: str | None = "text/plain", status: int = 200, **headers: str
    ) -> None:
        content = body.encode() if isinstance(body, str) else body

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            if kind is not None:
                handler.send_header("Content-Type", kind)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)

        self.answers[path] = answer

    def redirects(self, path: str, to: str) -> None:
        self.gives(path, status=302, Location=to)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append((self.headers["Host"], self.path))
            try:
                served.answers[self.path](self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Tests read `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Site(server)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def internet(site: Site, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The names there are. Whoever connects to a public address reaches the test's server; the connector is real."""
    connect = httpcore.AnyIOBackend.connect_tcp

    async def route(self: httpcore.AnyIOBackend, host: str, port: int, *rest: Any) -> httpcore.AsyncNetworkStream:
        assert addresses.is_public(host) or host.startswith("127."), f"a connection to a name: {host}"
        return await connect(self, "127.0.0.1", site.port if host == PUBLIC else port, *rest)

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", route)
    return {"example.com": [PUBLIC], "other.org": [PUBLIC], "localhost": ["127.0.0.1", "::1"]}


@pytest.fixture
def fetch(desk: Desk, internet: dict[str, list[str]]) -> Callable[..., Awaitable[str]]:
    async def resolver(host: str, port: int) -> list[str]:
        # An address stands for itself, in every spelling the system takes.
        return internet.get(host) or await addresses.resolve(host, port)

    async def run(url: str, **keys: Any) -> str:
        policy = WorkspacePolicy.parse(keys, cwd=desk.root)
        return await fetch_url(
            {"url": url}, BuiltinContext(desk.root, executor=WorkspaceExecutor(desk.root, policy)), resolver
        )

    return run


Fetch = Callable[..., Awaitable[str]]


async def test_n1_html_becomes_markdown_without_scripts_and_styles(site: Site, fetch: Fetch) -> None:
    site.gives(
        "/",
        "<html><head><title>T</title><style>b{}</style></head><body><h2>Head</h2><script>evil()</script>"
        "<p>One <b>two</b> <a href='/x'>link</a></p><ul><li>a</li><li>b</li></ul><noscript>no</noscript></body></html>",
        "text/html; charset=utf-8",
    )
    said = await fetch("http://example.com/")
    assert said.startswith(
        "[200 OK · text/html; charset=utf-8 · http://example.com/]\n# T\n\n## Head\n\nOne **two** [link](/x)"
    )
    assert "- a\n- b" in said
    for gone in ("evil", "b{}", "<", "no"):
        assert gone not in said.split("Head")[1]


async def test_n1_text_and_json_stay_as_they_are(site: Site, fetch: Fetch) -> None:
    site.gives("/t", "a  <b>\n\n\n\nc")
    site.gives("/j", '{"a":  1}', "application/vnd.api+json")
    assert (await fetch("http://example.com/t")).endswith("]\na  <b>\n\n\n\nc")
    assert (await fetch("http://example.com/j")).endswith(']\n{"a":  1}')


async def test_n1_the_charset_is_honoured_and_an_unknown_one_refused(site: Site, fetch: Fetch) -> None:
    site.gives("/l", "café".encode("latin-1"), "text/plain; charset=ISO-8859-1")
    site.gives("/m", '<meta charset="windows-1251"><p>Привет'.encode("cp1251"), "text/html")
    site.gives("/u", b"x", "text/plain; charset=klingon")
    site.gives("/h", b"78", "text/plain; charset=hex")
    assert "café" in await fetch("http://example.com/l")
    assert "Привет" in await fetch("http://example.com/m")
    for path in "uh":
        with pytest.raises(BuiltinError, match="not known"):
            await fetch(f"http://example.com/{path}")


async def test_n1_binary_and_untyped_answers_are_refused(site: Site, fetch: Fetch) -> None:
    site.gives("/png", b"\x89PNG", "image/png")
    site.gives("/none", b"x", None)
    site.gives("/lie", b"a\0b", "text/plain")
    for path, why in (("png", "image/png, not text"), ("none", "does not say of what type"), ("lie", "binary")):
        with pytest.raises(BuiltinError, match=why):
            await fetch(f"http://example.com/{path}")


async def test_n1_an_answer_without_content_is_empty(site: Site, fetch: Fetch) -> None:
    site.gives("/", b"", None, 204)
    assert await fetch("http://example.com/") == "[204 No Content · no type · http://example.com/]\n[no content]"


async def test_n1_a_packed_answer_is_unpacked_up_to_the_cap(site: Site, fetch: Fetch) -> None:
    site.gives("/", gzip.compress(b"0123456789"), Content_Encoding="gzip")
    site.gives("/bomb", gzip.compress(b"a" * 50_000_000), Content_Encoding="gzip")
    assert "0123456789" in await fetch("http://example.com/")
    assert (await fetch("http://example.com/bomb", max_response_bytes=100)).endswith(
        f"\n{'a' * 100}\n[cut after 100 bytes]"
    )


async def test_n2_not_found_is_data(site: Site, fetch: Fetch) -> None:
    site.gives("/gone", "no such page", status=404)
    assert (
        await fetch("http://example.com/gone") == "[404 Not Found · text/plain · http://example.com/gone]\nno such page"
    )


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "//127.0.0.1/",
        "http://example.com:8081/",
        "http://user@example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "http://0x7f000001/",
    ],
)
async def test_n3_redirects_to_where_nobody_may_go_are_refused(site: Site, fetch: Fetch, target: str) -> None:
    site.redirects("/", target)
    with pytest.raises(BuiltinError, match="refused"):
        await fetch("http://example.com/")
    assert site.asked == [("example.com", "/")]


async def test_n3_an_exempt_host_and_port_is_followed_and_the_chain_told(site: Site, fetch: Fetch) -> None:
    site.redirects("/", f"http://127.0.0.1:{site.port}/end")
    site.gives("/end", "here")
    exempt = [f"127.0.0.1:{site.port}"]
    said = await fetch("http://example.com/", allowed_urls=exempt)
    assert said.splitlines()[1:] == ["[redirected from http://example.com/]", "here"]
    with pytest.raises(BuiltinError, match="refused"):
        await fetch("http://example.com/", allowed_urls=[f"127.0.0.1:{site.port + 1}"])


async def test_n3_loops_and_too_many_redirects_are_refused(site: Site, fetch: Fetch) -> None:
    site.redirects("/a", "/b")
    site.redirects("/b", "/a")
    for number in range(9):
        site.redirects(f"/{number}", f"/{number + 1}")
    site.gives("/9", "end")
    with pytest.raises(BuiltinError, match="circle"):
        await fetch("http://example.com/a")
    with pytest.raises(BuiltinError, match="more than 0 redirects"):
        await fetch("http://example.com/a", max_redirects=0)
    with pytest.raises(BuiltinError, match="more than 5 redirects"):
        await fetch("http://example.com/0")
    assert "end" in await fetch("http://example.com/0", max_redirects=9)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "data:text/plain,x",
        "gopher://example.com/",
        "ftp://example.com/",
        "example.com",
        "http://",
        "http:///x",
        "http://exa mple.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com/\nHost: evil",
        "http://[::1",
        "http://example.com:99999/",
        "http://user:pass@example.com/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://127.1/",
        "http://2130706433/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fd00::1]/",
        "http://[fe80::1]/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://localhost/",
        "x" * 5000,
    ],
)
async def test_n4_other_schemes_private_addresses_and_malformed_urls_are_refused(
    site: Site, fetch: Fetch, url: str
) -> None:
    with pytest.raises(BuiltinError, match=r"refused|cannot be fetched"):
        await fetch(url)
    assert site.asked == []


async def test_n5_the_byte_cap_cuts_exactly_also_an_endless_body(site: Site, fetch: Fetch) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        while not site.released.is_set():
            handler.wfile.write(b"0123456789" * 100)

    site.answers["/"] = endless
    site.gives("/exact", "0123456789")
    said = await asyncio.wait_for(fetch("http://example.com/", max_response_bytes=15), 10)
    assert said.splitlines()[1:] == ["012345678901234", "[cut after 15 bytes]"]
    assert (await fetch("http://example.com/exact", max_response_bytes=10)).endswith("]\n0123456789")


@pytest.mark.parametrize("sent", [False, True], ids=["before the headers", "in mid body"])
async def test_n6_an_answer_that_does_not_come_is_given_up(site: Site, fetch: Fetch, sent: bool) -> None:
    def slow(handler: BaseHTTPRequestHandler) -> None:
        if sent:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/plain")
            handler.send_header("Content-Length", "100")
            handler.end_headers()
            handler.wfile.write(b"begin")
            handler.wfile.flush()
        site.released.wait(20)

    site.answers["/"] = slow
    began = time.monotonic()
    with pytest.raises(BuiltinError, match=r"did not answer whole within 0\.3 seconds"):
        await fetch("http://example.com/", fetch_timeout_ms=300)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "key", ["fetch_timeout_ms", "bash_timeout_ms", "max_response_bytes", "max_read_bytes", "max_write_bytes"]
)
def test_n7_limits_that_are_not_positive_are_refused(desk: Desk, key: str) -> None:
    for value in (0, -1, 1.5, True, "9"):
        with pytest.raises(InvalidPolicyError, match=key):
            WorkspacePolicy.parse({key: value}, cwd=desk.root)
    with pytest.raises(InvalidPolicyError, match="max_redirects"):
        WorkspacePolicy.parse({"max_redirects": -1}, cwd=desk.root)


async def test_a_name_that_turns_private_after_the_check_is_not_followed(
    site: Site, desk: Desk, internet: dict[str, list[str]]
) -> None:
    """DNS rebinding: the name is asked for once, and its checked address is what is connected to."""
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> list[str]:
        return next(answers)

    site.gives("/", "fine")
    fetched = await http_fetch.fetch("http://example.com/", desk.policy, rebinding)
    assert fetched.body == b"fine"
    with pytest.raises(http_fetch.FetchError, match="refused"):
        await http_fetch.fetch("http://example.com/", desk.policy, rebinding)
    assert len(site.asked) == 1


async def test_a_name_with_a_private_address_among_public_ones_is_refused(
    site: Site, fetch: Fetch, internet: dict[str, list[str]]
) -> None:
    internet["mixed.org"] = [PUBLIC, "10.0.0.1"]
    with pytest.raises(BuiltinError, match=r"mixed\.org \(10\.0\.0\.1\) is of"):
        await fetch("http://mixed.org/")
    assert site.asked == []


async def test_domains_are_checked_at_every_hop(site: Site, fetch: Fetch) -> None:
    site.redirects("/", "http://other.org/end")
    site.gives("/end", "here")
    assert "here" in await fetch("http://example.com/")
    for keys in ({"allowed_domains": ["example.com"]}, {"denied_domains": ["*.org"]}):
        with pytest.raises(BuiltinError, match=r"does not let other\.org be reached"):
            await fetch("http://example.com/", **keys)


async def test_a_policy_without_network_fetches_nothing(site: Site, fetch: Fetch) -> None:
    with pytest.raises(BuiltinError, match="allow_network"):
        await fetch("http://example.com/", allow_network=False)


async def test_proxies_of_the_environment_are_not_used(
    site: Site, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    site.gives("/", "direct")
    assert "direct" in await fetch("http://example.com/")


async def test_a_name_without_an_address_says_so(fetch: Fetch) -> None:
    with pytest.raises(BuiltinError, match=r"cannot be fetched"):
        await fetch("http://nothing.invalid/")


def test_a_page_nested_without_end_still_gives_its_words() -> None:
    assert "deep" in page.markdown("<div>" * 20_000 + "deep" + "</div>" * 20_000)


async def test_a_page_made_to_take_for_ever_gives_its_words_in_time(
    site: Site, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CVE-2025-6069: comments that are never closed take minutes."""
    monkeypatch.setattr(page, "_SECONDS", 1.0)
    site.gives("/", "words" + "<!--" * 200_000, "text/html")
    assert "words" in await asyncio.wait_for(fetch("http://example.com/"), 20)


async def test_a_page_that_is_given_up_leaves_no_process(
    site: Site, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.gives("/", "<!--" * 200_000, "text/html")
    started: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def watched(*given: Any, **more: Any) -> asyncio.subprocess.Process:
        started.append(await start(*given, **more))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    fetching = asyncio.ensure_future(fetch("http://example.com/"))
    while not started:
        await asyncio.sleep(0.01)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    assert started[0].returncode is not None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://example.com/x", ()),
        ("https://bücher.example/", ()),
        ("https://пример.рф/", ()),
        ("https://xn--80ak6aa92e.com/", ("punycode",)),
        ("https://раypal.com/", ("mixes scripts",)),
        ("https://example.com@evil.org/", ("the host is evil.org",)),
    ],
)
def test_a_host_that_imitates_another_is_pointed_out(url: str, said: tuple[str, ...]) -> None:
    facts = suspicious(url)
    assert len(facts) == len(said)
    assert all(part in fact for part, fact in zip(said, facts, strict=True))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_an_answer_that_is_not_packed_as_it_says_is_an_error_with_the_reason(
    site: Site, fetch: Fetch, encoding: str
) -> None:
    site.gives("/", b"this is no gzip", Content_Encoding=encoding)
    with pytest.raises(BuiltinError, match="cannot be unpacked"):
        await fetch("http://example.com/")


@pytest.mark.parametrize("url", ["http://a..b/", "http://.example.com/", f"http://{'a' * 70}.com/"])
async def test_a_host_that_no_resolver_takes_is_refused(fetch: Fetch, url: str) -> None:
    with pytest.raises(BuiltinError, match="names no host"):
        await fetch(url)


@pytest.mark.parametrize(
    "host",
    [
        "localhost.", "LOCALHOST", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0", "0.0.0.0", "[::]", "[::1]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
        "[fe80::1%25lo]", "[fe80::1]", "[fd00:ec2::254]", "169.254.169.254", "[::ffff:a9fe:a9fe]", "0xa9fea9fe",
        "１２７.0.0.1", "127。0。0。1", "100.64.0.1", "224.0.0.1", "[ff02::1]", "255.255.255.255",
    ],
)  # fmt: skip
async def test_no_spelling_of_an_inner_address_is_reached_directly_or_by_a_redirect(
    site: Site, fetch: Fetch, host: str
) -> None:
    site.redirects("/", f"http://{host}/")
    for url in (f"http://{host}/", "http://example.com/"):
        with pytest.raises(BuiltinError, match=r"refused|cannot be fetched"):
            await fetch(url)
    assert all(asked == ("example.com", "/") for asked in site.asked)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "192.0.0.200", "192.88.99.1", "198.18.0.1",
        "224.0.1.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:1::1", "fc00::1", "fe80::1%lo",
        "fec0::1", "ff02::1", "ff0e::1", "2001:db8::1", "example.com", "",
    ],
)  # fmt: skip
def test_n4_no_address_of_a_machine_or_a_private_network_counts_as_public(address: str) -> None:
    """As it stands, and by the address of version 4 that it leads to."""
    assert not addresses.is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert addresses.is_public(address)


async def test_n4_a_url_without_end_is_refused(site: Site, fetch: Fetch) -> None:
    with pytest.raises(BuiltinError, match="longer than 4000 characters"):
        await fetch("http://example.com/" + "a" * 4000)
    assert site.asked == []


@pytest.mark.parametrize(
    "url", ["http://example.com/a b", "http://example.com/\x1b[2J", "http://example.com\\.evil.org/"]
)
async def test_n4_a_url_that_could_be_read_in_two_ways_is_refused(site: Site, fetch: Fetch, url: str) -> None:
    with pytest.raises(BuiltinError, match="no blanks, control characters or backslashes"):
        await fetch(url)
    assert site.asked == []


async def test_n3_no_redirect_leads_from_an_encrypted_page_to_a_plain_one(
    site: Site, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = http_fetch._get

    async def redirected(url: http_fetch.Url, *rest: Any) -> http_fetch.Fetched | str:
        return "http://example.com/" if url.scheme == "https" else await get(url, *rest)

    monkeypatch.setattr(http_fetch, "_get", redirected)
    with pytest.raises(BuiltinError, match="from https to http"):
        await fetch("https://example.com/")
    assert site.asked == []


async def test_n5_a_packed_answer_takes_no_more_memory_than_the_cap(site: Site, fetch: Fetch) -> None:
    site.gives("/", gzip.compress(b"\0" * 100_000_000), "text/plain; charset=ascii", Content_Encoding="gzip")
    tracemalloc.start()
    try:
        assert "[cut after 1,000,000 bytes]" in await fetch("http://example.com/")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
