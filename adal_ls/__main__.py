"""Entry point: the language server, or a subcommand where one is named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

SERVING = ("--log-file", "--log-level", "--tcp")
FLAGS = ("--stdio", "--allow-remote")
LEVELS = ("error", "warning", "info", "debug")


def main() -> None:
    """`adal-ls` with options of the server alone serves; anything else goes to the command line, imported only then."""
    arguments = sys.argv[1:]
    options = serving_options(arguments)
    if options is not None:
        _serve(options)
    from adal_ls.cli import main as command_line

    sys.exit(command_line(arguments))


def _serve(options: dict[str, str]) -> NoReturn:
    from adal_ls.server import serve

    serving = partial(serve, log_file=options.get("--log-file"), log_level=options.get("--log-level"))
    if "--tcp" in options:
        from adal_ls.server.transport import tcp

        try:
            serving(address=tcp.parse(options["--tcp"], remote="--allow-remote" in options))
        except (ValueError, OSError) as fault:
            sys.stderr.write(f"adal-ls: {fault}\n")
            raise SystemExit(2) from None
        except KeyboardInterrupt:  # nobody has connected yet
            raise SystemExit(1) from None
    if sys.stdin is not None and sys.stdin.isatty():
        # A person, not an editor; who starts a server by hand to see it start is not stopped.
        sys.stderr.write(
            "adal-ls serves the Language Server Protocol on standard input; for commands see adal-ls --help\n"
        )
    serving()


def serving_options(arguments: Sequence[str]) -> dict[str, str] | None:
    """The server's options, `--option VALUE` or `--option=VALUE`; None where anything else is among `arguments`.

    By hand, because importing click takes as long as the rest of the start.

    Raises:
        SystemExit: an option without its value, or with one that there is not.
    """
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name, assigned, value = rest.pop(0).partition("=")
        if name in FLAGS and not assigned:
            options[name] = ""
            continue
        if name not in SERVING:
            return None
        if not assigned:
            value = rest.pop(0) if rest else ""
        if not value or (name == "--log-level" and value not in LEVELS):
            wanted = {"--log-level": f"one of {', '.join(LEVELS)}", "--tcp": "HOST:PORT"}
            sys.stderr.write(f"adal-ls: {name} needs {wanted.get(name, 'a file')}\n")
            raise SystemExit(2)
        options[name] = value
    return options


if __name__ == "__main__":
    main()
