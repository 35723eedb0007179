"""One client over TCP instead of stdio: for a person who looks into the server with a debugger or a recorder."""

from __future__ import annotations

import ipaddress
import socket
import sys
from dataclasses import dataclass
from typing import BinaryIO, cast

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. `port` 0 means any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse(text: str, *, remote: bool) -> Address:
    """`HOST:PORT`, `[HOST]:PORT`, `:PORT` or `PORT`; without a host this machine's loopback.

    `remote` allows an address that other machines can reach.

    Raises:
        ValueError: it is no such text, or it can be reached from other machines; says what to write instead.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or LOOPBACK
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"--tcp needs HOST:PORT, such as {LOOPBACK}:0 for any free port, not {text}")
    if not remote and not _is_loopback(host):
        raise ValueError(
            f"--tcp {text} can be reached from other machines, and whoever connects can run code here: "
            f"use {LOOPBACK}:{port}, or add --allow-remote if that is what you want"
        )
    return Address(host, int(port))


def accept(address: Address) -> tuple[BinaryIO, BinaryIO]:
    """Waits for one client, and no other after it. Tells the address on stderr, with the port that was chosen.

    Raises:
        OSError: the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.create_server((address.host, address.port), family=family, backlog=1) as listener:
        told = Address(address.host, listener.getsockname()[1])
        sys.stderr.write(f"adal-ls listens on {told} for one client\n")
        sys.stderr.flush()
        connection, _ = listener.accept()
    with connection:  # the streams keep it open
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection.makefile("rb"), cast(BinaryIO, connection.makefile("wb", buffering=0))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name: what it stands for is decided elsewhere
