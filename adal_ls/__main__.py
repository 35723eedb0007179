"""Entry point: the language server, or a subcommand where one is named."""

from __future__ import annotations

import sys


def main() -> None:
    """`adal-ls` and `adal-ls --stdio` serve; anything else goes to the command line, which is imported only then."""
    arguments = sys.argv[1:]
    if arguments in ([], ["--stdio"]):
        from adal_ls.server import serve

        serve()
    from adal_ls.cli import main as command_line

    sys.exit(command_line(arguments))


if __name__ == "__main__":
    main()
