from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.server.client import SERVER, Client


def modules_after(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the entry point and then tells whether the language server or click was imported."""
    code = (
        f"import sys; sys.argv = ['adal-ls', *{list(arguments)!r}]\n"
        "from adal_ls.__main__ import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    status = end.code\n"
        "sys.stderr.write(f\"{status} {'adal_ls.server' in sys.modules} {'click' in sys.modules}\")\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_a_subcommand_goes_to_the_command_line_and_imports_no_server() -> None:
    found = modules_after("--help")
    assert "check" in found.stdout
    assert found.stderr.endswith("0 False True")


@pytest.mark.parametrize("arguments", [(), ("--stdio",)])
def test_without_a_subcommand_it_serves(start_process: Callable[..., Client], arguments: tuple[str, ...]) -> None:
    client = start_process((*SERVER, *arguments))
    assert client.initialize()["serverInfo"]["name"] == "adal-ls"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--log-level", "loud"], "one of error, warning, info, debug"),
        (["--log-file"], "a file"),
        (["--log-level="], "one of"),
    ],
)
def test_an_option_of_the_server_without_a_value_that_fits_is_wrong_usage(arguments: list[str], advice: str) -> None:
    found = subprocess.run([*SERVER, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert advice in found.stderr
