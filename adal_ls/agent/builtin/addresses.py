"""Which hosts may be reached: by the address that is really connected to, not by its name.

Source: OWASP's SSRF prevention cheat sheet; the special-purpose registries of IANA.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host name, in the order to try."""

# Beyond what `is_global` says in every supported Python: shared (CGNAT), protocol assignments, benchmarks, 6to4 relays,
# NAT64 for local use, site-local.
_ALSO_PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in ("100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10")
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class RefusedAddressError(Exception):
    """A host that must not be reached; the text says why."""


async def resolve(host: str, port: int) -> list[str]:
    """The machine's own resolver.

    Raises:
        OSError: the name has no address.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(text: str) -> bool:
    """Whether an address is one of the internet; False for what is none."""
    try:
        address = ipaddress.ip_address(text.split("%", 1)[0])
    except ValueError:
        return False
    return all(_is_public(candidate) for candidate in (address, *_embedded(address)))


async def public_addresses(host: str, port: int, resolver: Resolve) -> list[str]:
    """The addresses of `host`, all of them public; whoever mixes in a private one wants to be connected to that.

    Raises:
        RefusedAddressError: one is not public, or there is none.
    """
    addresses = await resolver(host, port)
    private = [address for address in addresses if not is_public(address)]
    if private or not addresses:
        if not private:
            raise RefusedAddressError(f"{host} has no address")
        what = host if private == [host] else f"{host} ({', '.join(private)})"
        raise RefusedAddressError(f"{what} is of this machine or a private network; only public addresses are fetched")
    return addresses


def _is_public(address: IPAddress) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _ALSO_PRIVATE if network.version == address.version)
    )


def _embedded(address: IPAddress) -> list[IPAddress]:
    """The IPv4 addresses that an IPv6 address leads to."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[IPAddress | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]
