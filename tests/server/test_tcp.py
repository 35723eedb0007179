from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest

from adal_ls.server.transport.tcp import Address, parse
from tests.server.client import LIMIT, MARK, SERVER, Client
from tests.server.conftest import BAD_NAME

MARKED = "tcp"

URI = "file:///p/.adal/tools.py"


class TcpClient(Client):
    """Starts a server that listens, and connects to it."""

    def __init__(self, process: subprocess.Popen[str], connection: socket.socket) -> None:
        self.process = process
        self.connection = connection
        super().__init__(connection.makefile("rb"), connection.makefile("wb"), MARKED, ())

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def wait_end(self, timeout: float = LIMIT) -> int:
        return self.process.wait(timeout)

    def kill(self) -> None:
        self.connection.close()
        for stream in (self._stdin, self._stdout):
            stream.close()


@pytest.fixture
def listening() -> Iterator[tuple[subprocess.Popen[str], Address]]:
    """A server that waits on a port of its choice."""
    with subprocess.Popen(
        [*SERVER, "--tcp", "127.0.0.1:0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, MARK: MARKED},
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"adal-ls listens on 127\.0\.0\.1:(\d+) for one client\n", said)
        assert found is not None, said
        yield process, Address("127.0.0.1", int(found[1]))
        process.kill()


@pytest.fixture
def client(listening: tuple[subprocess.Popen[str], Address]) -> Iterator[TcpClient]:
    process, address = listening
    with socket.create_connection((address.host, address.port), timeout=10) as connection:
        connection.settimeout(None)
        client = TcpClient(process, connection)
        yield client
        client.kill()


def test_a_session_over_tcp_is_one_like_any_other(client: TcpClient) -> None:
    client.initialize()
    client.open(URI, BAD_NAME)
    assert [found["code"] for found in client.diagnostics(URI)] == ["ADAL101"]
    client.shut_down()
    assert client.process.stdout is not None
    assert client.process.stdout.read() == ""


def test_there_is_one_client_and_no_other(client: TcpClient, listening: tuple[subprocess.Popen[str], Address]) -> None:
    client.initialize()
    with pytest.raises(ConnectionRefusedError), socket.create_connection((listening[1].host, listening[1].port)):
        pass
    client.shut_down()


def test_a_client_that_hangs_up_ends_the_server(client: TcpClient) -> None:
    client.initialize()
    client.connection.shutdown(socket.SHUT_RDWR)
    assert client.wait_end(2) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_server_nobody_connects_to_ends_quietly_by_ctrl_c(
    listening: tuple[subprocess.Popen[str], Address],
) -> None:
    process, _ = listening
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == 1
    assert process.stderr is not None
    assert process.stderr.read() == ""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:2087", "127.0.0.1:2087"),
        ("127.8.8.8:1", "127.8.8.8:1"),
        ("localhost:0", "localhost:0"),
        ("[::1]:7", "[::1]:7"),
        (":0", "127.0.0.1:0"),
        ("2087", "127.0.0.1:2087"),
    ],
)
def test_an_address_of_this_machine_alone_is_taken(text: str, address: str) -> None:
    assert str(parse(text, remote=False)) == address


@pytest.mark.parametrize("text", ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "example.org:1", "localhost.example.org:1"])
def test_an_address_that_others_reach_is_refused_unless_it_is_meant(text: str) -> None:
    with pytest.raises(ValueError, match="--allow-remote"):
        parse(text, remote=False)
    assert str(parse(text, remote=True)) == text


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--tcp"], "--tcp needs HOST:PORT"),
        (["--tcp", "localhost"], "--tcp needs HOST:PORT, such as 127.0.0.1:0"),
        (["--tcp=127.0.0.1:99999"], "--tcp needs HOST:PORT"),
        (["--tcp", "127.0.0.1:-1"], "--tcp needs HOST:PORT"),
        (["--tcp", "0.0.0.0:0"], "add --allow-remote"),
    ],
)
def test_an_address_that_will_not_do_is_wrong_usage(arguments: Sequence[str], advice: str) -> None:
    done = subprocess.run([*SERVER, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert advice in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said_so(listening: tuple[subprocess.Popen[str], Address]) -> None:
    command = [*SERVER, "--tcp", str(listening[1])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "in use" in done.stderr
    assert "Traceback" not in done.stderr
