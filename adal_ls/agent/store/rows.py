"""Statements of the run store, and its rows → messages and back. Pure; `store` runs them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from adal_ls.protocol.runs import (
    Event,
    FinishedEvent,
    PromptEvent,
    Run,
    RunStartParams,
    StateEvent,
    Usage,
    UsageEvent,
)

_WRAPPING = 80
"""Bytes that an event takes in a message beside its own JSON."""

SELECT_RUN = """SELECT run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from,
    CASE WHEN state IN ('finished', 'interrupted') THEN
        (SELECT event FROM events WHERE events.run_id = runs.run_id ORDER BY seq DESC LIMIT 1)
    END
    FROM runs WHERE state != 'deleted' """
"""What `run_of` takes."""

IN_SCOPE = "AND (run_id = ? OR json_extract(params, '$.scope') = ?) "
SELECT_CONVERSATION = f"""SELECT run_id, seq, event FROM events WHERE run_id = ?
    OR run_id IN (SELECT run_id FROM runs WHERE state != 'deleted' {IN_SCOPE}) ORDER BY time, run_id, seq"""  # noqa: S608
COUNT_DENIED = """SELECT run_id, count(*) FROM events
    WHERE event LIKE '{"type":"decision",%"decision":"deny"%' GROUP BY run_id"""
SELECT_DECISIONS = """SELECT time, run_id, seq, event FROM events
    WHERE (? IS NULL OR run_id = ?) AND event LIKE '{"type":"decision",%' ORDER BY time DESC, run_id, seq DESC"""
SELECT_CALLS = """SELECT event FROM events WHERE run_id = ? AND event LIKE '{"type":"toolCall",%' ORDER BY seq"""
SELECT_EVENTS = "SELECT seq, event FROM events WHERE run_id = ? AND seq >= ? ORDER BY seq"
DELETE_EVENTS = """DELETE FROM events WHERE run_id = ? AND event NOT LIKE '{"type":"decision",%'"""
MARK_DELETED = """UPDATE runs SET state = 'deleted', title = '', params = '{}', usage = NULL WHERE run_id = ?"""
INSERT_RUN = """INSERT INTO runs
    (run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from)
    VALUES (?,?,?,?,?,?,?,?,?,?,?)"""
MATCHES = """(runs.title LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM events WHERE events.run_id = runs.run_id
    AND event LIKE '{"type":"prompt",%' AND event LIKE ? ESCAPE '\\'))"""


def run_of(row: tuple[Any, ...], alive: Callable[[str], bool]) -> Run:
    """A run; `alive` tells whether the process that owns it still lives."""
    run_id, title, agent, model, state, created, updated, usage, owner, params, forked_from, last = row
    if state not in ("finished", "interrupted") and not alive(owner):
        state = "interrupted"
    return Run(
        run_id=run_id,
        title=title,
        agent=agent,
        model=model,
        state=state,
        created=created,
        updated=updated,
        usage=usage_of(usage),
        stop_reason=None if last is None else json.loads(last).get("stopReason"),
        project_root=json.loads(params).get("projectRoot"),
        forked_from=forked_from,
    )


def page(rows: Iterable[tuple[int, str]], most: int | None) -> tuple[list[tuple[int, str]], bool]:
    """The first events that take no more than `most` bytes together, at least one; and whether there are more."""
    taken, size = list[tuple[int, str]](), 0
    for seq, text in rows:
        size += len(text) + _WRAPPING
        if most is not None and taken and size > most:
            return taken, True
        taken.append((seq, text))
    return taken, False


def after(state: str, usage: str | None, event: Event) -> tuple[str, str | None]:
    """State and usage of a run that had these, once `event` has happened."""
    if isinstance(event, PromptEvent):
        return "running", usage
    if isinstance(event, StateEvent) and event.state != "cancelling":
        return event.state, usage
    if isinstance(event, FinishedEvent):
        return "interrupted" if event.interrupted else "finished", usage
    if isinstance(event, UsageEvent):
        return state, json.dumps(added(usage_of(usage), event).wire())
    return state, usage


def kept(params: RunStartParams | None) -> str:
    """What of a run's parameters may be written down: a prompt has its event, a tool context may hold secrets."""
    if params is None:
        return "{}"
    return json.dumps({key: value for key, value in params.wire().items() if key not in ("prompt", "toolContext")})


def like(word: str) -> str:
    """A pattern for texts that contain `word`, whatever it holds."""
    return "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def usage_of(text: str | None) -> Usage | None:
    return None if text is None else Usage.model_validate(json.loads(text))


def added(known: Usage | None, more: UsageEvent) -> Usage:
    """The sum; its cost is unknown as soon as one part's is."""
    if known is None:
        return Usage(input_tokens=more.input_tokens, output_tokens=more.output_tokens, cost=more.cost)
    return Usage(
        input_tokens=known.input_tokens + more.input_tokens,
        output_tokens=known.output_tokens + more.output_tokens,
        cost=None if known.cost is None or more.cost is None else known.cost + more.cost,
    )
