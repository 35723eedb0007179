"""The language server: LSP over stdio, or over TCP for debugging.

Two stages. The first is the standard library alone: it answers `initialize`, keeps texts in step, lints and carries
every `adal/*` message. The second, pygls (`dispatcher`), loads in the background and answers all other requests.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from adal_ls.server.transport.tcp import Address


def serve(
    *,
    host_command: Sequence[str] | None = None,
    log_file: str | None = None,
    log_level: str | None = None,
    address: Address | None = None,
) -> NoReturn:
    """Serves one editor on stdin and stdout, then ends the process.

    Args:
        host_command: what to start as the agent host instead of `adal_ls.agent` in this interpreter.
        log_file: where to write the log as well; new lines go to its end.
        log_level: one of `error`, `warning`, `info`, `debug`; then the editor's setting `logLevel` has no say.
        address: where to wait for the editor over TCP instead.

    Raises:
        OSError: `address` cannot be listened on.
    """
    from adal_ls.server.transport import stdio

    source, sink = stdio.take()
    if address is not None:
        from adal_ls.server.transport import tcp

        source, sink = tcp.accept(address)
    from adal_ls.server.session import Session

    session = Session(source, sink, host_command, log_file, log_level, force_exit=os._exit)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: session.interrupt())
    code = session.run()
    # Threads may still wait for pipes or for pygls; an ordinary exit would wait for them.
    os._exit(code)
