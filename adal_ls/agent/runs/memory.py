"""Conversations of agents that run in this process, by memory scope. Nothing is written to disk."""

from __future__ import annotations

from collections import OrderedDict

from adal_ls.agent.runs.history import Conversation
from adal_ls.sdk.errors import ScopeBusyError

MOST = 1000
"""Conversations that are kept: those used last."""


class Memory:
    """What was said in each scope. One run at a time continues a conversation."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Conversation] = OrderedDict()
        self._busy: set[str] = set()

    def open(self, scope: str, system: str) -> Conversation:
        """The conversation of `scope`, new or continued, until `close`.

        Raises:
            ScopeBusyError: a run is going on in it.
        """
        if scope in self._busy:
            raise ScopeBusyError(f"a run is going on in the memory scope '{scope}'; wait for its result")
        conversation = self._kept.pop(scope, None) or Conversation(system)
        conversation.instruct(system)
        self._kept[scope] = conversation
        self._busy.add(scope)
        while len(self._kept) > MOST and (idle := self._oldest()) is not None:
            del self._kept[idle]
        return conversation

    def close(self, scope: str) -> None:
        self._busy.discard(scope)

    def _oldest(self) -> str | None:
        return next((scope for scope in self._kept if scope not in self._busy), None)
