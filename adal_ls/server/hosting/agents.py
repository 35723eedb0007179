"""The agents of all projects, listed by the host."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from adal_ls.protocol import methods
from adal_ls.server.capabilities import Client
from adal_ls.server.hosting.host import Host
from adal_ls.server.hosting.runs import UNTRUSTED
from adal_ls.server.projects import Projects
from adal_ls.server.transport.rpc import (
    INVALID_PARAMS,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    Answer,
    Connection,
    Id,
    Json,
    RpcError,
)


class Agents:
    """Answers `adal/agents/*`. Only in a trusted workspace: to know of agents their file must have been run."""

    def __init__(
        self, editor: Connection, client: Client, host: Host, projects: Projects, trusted: Callable[[], bool]
    ) -> None:
        self._editor = editor
        self._client = client
        self._host = host
        self._projects = projects
        self._trusted = trusted

    def list(self, key: Id, params: Json) -> None:
        """`adal/agents/list`: the agents of one project, or of all.

        Raises:
            RpcError: not trusted, or no such project.
        """
        self._require_trust()
        given = params.get("projectRoot") if isinstance(params, dict) else None
        if given is not None:
            roots = [self._projects.root_for(given)]
        else:
            known = [project.root for project in self._projects if self._projects.in_folders(project.root)]
            roots = known or self._projects.folders[:1]
        answers: dict[str, Answer] = {}

        def answered(root: str, answer: Answer) -> None:
            answers[root] = answer
            if len(answers) < len(roots):
                return
            refused = [each.error for each in answers.values() if each.error is not None]
            cancelled = next((error for error in refused if error.code == REQUEST_CANCELLED), None)
            if cancelled is not None:
                self._editor.refuse(key, cancelled)
            else:
                self._editor.answer(key, _merged([(each, answers[each]) for each in roots]))

        def cancel() -> None:
            for take_back in asked:
                take_back()

        if not roots:
            self._editor.answer(key, {"agents": []})
            return
        asked = [self._host.ask(methods.AGENTS_LIST, {"projectRoot": root}, partial(answered, root)) for root in roots]
        self._editor.when_cancelled(key, cancel)

    def context_form(self, key: Id, params: Json) -> None:
        """`adal/agents/contextForm`.

        Raises:
            RpcError: no agent named, not trusted, or it is not clear which project is meant.
        """
        if not isinstance(params, dict) or not isinstance(params.get("agent"), str):
            raise RpcError(INVALID_PARAMS, "agent is missing")
        self._require_trust()
        wanted = {**params, "projectRoot": self._projects.root_for(params.get("projectRoot"))}

        def answered(answer: Answer) -> None:
            if answer.error is not None:
                self._editor.refuse(key, answer.error)
            else:
                self._editor.answer(key, answer.result)

        self._editor.when_cancelled(key, self._host.ask(methods.AGENTS_CONTEXT_FORM, wanted, answered))

    def _require_trust(self) -> None:
        if not self._trusted():
            raise RpcError(REQUEST_FAILED, UNTRUSTED)


def _merged(answers: list[tuple[str, Answer]]) -> dict[str, Json]:
    """One result of those for each project; one that could not answer is named beside the others' agents."""
    agents: list[Json] = []
    errors: list[Json] = []
    for root, answer in answers:
        if answer.error is not None:
            errors.append({"projectRoot": root, "message": answer.error.message})
        else:
            agents += answer.result.get("agents", [])
            errors += answer.result.get("errors", [])
    return {"agents": agents, "errors": errors}
