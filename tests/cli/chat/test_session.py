"""What a session tells of itself while something goes on."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any

from adal_ls.agent.store.store import Store
from adal_ls.cli.chat.session import Session
from adal_ls.cli.run_options import RunOptions
from tests.agent.approvers import Desk


class Page:
    """A face that keeps what it is given."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def stream(self, text: str) -> None:
        del text

    def end_line(self) -> None:
        """Nothing is open."""

    def question(self) -> AbstractContextManager[None]:
        return nullcontext()


async def test_while_a_question_waits_it_is_the_person_who_is_waited_for(project: Path) -> None:
    store, page, desk = Store.open(project), Page(), Desk()
    given: dict[str, Any] = {field.name: None for field in fields(RunOptions)}
    session = Session(RunOptions(**given), project, store, page, lambda _: desk, trusted=True)
    session.prompt("note(text='milk')")
    (request,) = await desk.until(1)
    assert session.doing() == "waiting for your answer"
    desk.reply(request, "reject_once")
    await session.idle()
    assert session.doing() == ""
    await session.close()
    store.close()
    assert "– note  Denied" in page.said
