"""The life of an LSP session: what may be asked when, and the exit code."""

from __future__ import annotations

from typing import Literal

from adal_ls.server.transport.rpc import INVALID_REQUEST, NOT_INITIALIZED, RpcError

State = Literal["new", "ready", "down"]


class Lifecycle:
    """LSP 3.17, "Server lifecycle": initialize first and once, nothing but `exit` after shutdown."""

    def __init__(self) -> None:
        self.state: State = "new"

    def refusal(self, method: str) -> RpcError | None:
        """Why `method` cannot be handled now; None if it can. `exit` always can."""
        if method == "exit":
            return None
        if self.state == "new" and method != "initialize":
            return RpcError(NOT_INITIALIZED, f"{method} came before initialize")
        if self.state == "ready" and method == "initialize":
            return RpcError(INVALID_REQUEST, "initialize came twice")
        if self.state == "down":
            return RpcError(INVALID_REQUEST, f"{method} came after shutdown")
        return None

    def entered(self, method: str) -> None:
        """Notes that `method`, which was not refused, was handled."""
        if method == "initialize":
            self.state = "ready"
        elif method == "shutdown":
            self.state = "down"

    @property
    def exit_code(self) -> int:
        """0 after a shutdown, 1 without one (LSP, "Exit Notification")."""
        return 0 if self.state == "down" else 1
