"""Questions of a run at which nobody sits: shown as a person would have seen them, and refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from adal_ls.agent.approvals.approval import NobodyThereError
from adal_ls.agent.store.secret_values import SecretValues
from adal_ls.cli.question import show_request
from adal_ls.cli.screen import Screen
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved


class Unattended:
    """The approver where standard input or error is no terminal."""

    def __init__(self, folder: str, arguments_of: Callable[[str], dict[str, Any]], screen: Screen) -> None:
        """`arguments_of` gives the full arguments of an approval that is too large to carry them."""
        self._folder = folder
        self._arguments_of = arguments_of
        self._screen = screen

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Shows the call.

        Raises:
            NobodyThereError: always.
        """
        arguments = request.arguments
        if arguments is None:
            arguments = self._arguments_of(request.approval_id)
        # Nobody decides by it, and standard error is kept, in the log of a pipeline for one.
        secrets = SecretValues(os.environ)
        shown = ApprovalRequest.model_validate(secrets.redact_value(request.wire()))
        self._screen.end_line()
        why = "Not run: standard input is no terminal, so nobody could be asked."
        show_request(shown, secrets.redact_value(arguments), self._folder, "Would have asked:", [why])
        raise NobodyThereError

    def resolved(self, resolved: ApprovalResolved) -> None:
        """Nobody waits for it."""
