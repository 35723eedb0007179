"""People for tests: approvers that answer as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved


def answer(request: ApprovalRequest, option_id: str, **more: Any) -> ApprovalAnswer:
    """The answer of a well-behaved client."""
    return ApprovalAnswer(
        approval_id=request.approval_id,
        args_digest=request.args_digest,
        outcome="selected",
        option_id=option_id,
        **more,
    )


class Person:
    """Answers by `decide`; keeps what was asked and what was taken back."""

    def __init__(self, decide: Callable[[ApprovalRequest], object] | str) -> None:
        self._decide = decide
        self.asked: list[ApprovalRequest] = []
        self.told: list[ApprovalResolved] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        if isinstance(self._decide, str):
            return answer(request, self._decide)
        decided = self._decide(request)
        if isinstance(decided, Awaitable):
            decided = await decided
        return decided  # type: ignore[return-value]  # tests answer with wrong types on purpose

    def resolved(self, resolved: ApprovalResolved) -> None:
        self.told.append(resolved)


class Desk:
    """Lets a test answer each question when and how it wants; `arrived` wakes on every new one."""

    def __init__(self) -> None:
        self.waiting: dict[str, tuple[ApprovalRequest, asyncio.Future[ApprovalAnswer]]] = {}
        self.told: list[ApprovalResolved] = []
        self._arrived = asyncio.Event()

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        future: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self.waiting[request.approval_id] = (request, future)
        self._arrived.set()
        return await future

    def resolved(self, resolved: ApprovalResolved) -> None:
        self.told.append(resolved)

    async def until(self, count: int) -> list[ApprovalRequest]:
        """The questions, once there are `count`."""
        while len(self.waiting) < count:
            self._arrived.clear()
            await asyncio.wait_for(self._arrived.wait(), 20)
        return [request for request, _ in self.waiting.values()]

    def reply(self, request: ApprovalRequest, option_id: str, **more: Any) -> None:
        _, future = self.waiting[request.approval_id]
        future.set_result(answer(request, option_id, **more))
