"""`workspace/executeCommand`: runs and tries for clients that know no `adal/*` messages."""

from __future__ import annotations

from adal_ls.protocol import methods
from adal_ls.server.documents.sync import field
from adal_ls.server.hosting.fallback import PlainFace
from adal_ls.server.hosting.runs import Runs
from adal_ls.server.transport.rpc import INVALID_PARAMS, Connection, Id, Json, RpcError


class Commands:
    """Each command answers at once; a run never holds a command open."""

    def __init__(self, editor: Connection, runs: Runs, plain: PlainFace) -> None:
        self._editor = editor
        self._runs = runs
        self._plain = plain

    def execute(self, key: Id, params: Json) -> None:
        """Runs one of `methods.COMMANDS`.

        Raises:
            RpcError: another command, or arguments that do not fit it.
        """
        command = field(params, "command", str)
        given = params.get("arguments") or []
        argument = given[0] if isinstance(given, list) and given else None
        if command == methods.COMMAND_RUN_AGENT:
            self._runs.start(key, {"prompt": argument} if isinstance(argument, str) else argument)
        elif command == methods.COMMAND_CANCEL_RUN:
            wanted = {"runId": argument} if isinstance(argument, str) else argument
            self._runs.forward(key, methods.RUN_CANCEL, {"runId": field(wanted, "runId", str)})
        elif command == methods.COMMAND_TRY_TOOL:
            self._runs.try_aside({"tool": argument} if isinstance(argument, str) else argument, self._plain.tried)
            self._editor.answer(key, {})
        else:
            raise RpcError(INVALID_PARAMS, f"unknown command {command}")

    def progress_cancelled(self, params: Json) -> None:
        """`window/workDoneProgress/cancel`: the person pressed the button of a run's progress."""
        token = params.get("token") if isinstance(params, dict) else None
        run_id = self._plain.run_of(token)
        if run_id is not None:
            self._runs.cancel(run_id)
