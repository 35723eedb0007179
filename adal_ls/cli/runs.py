"""`adal-ls runs`: the runs of a workspace, and what happened in one."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adal_ls.cli.output import give, give_json, is_terminal, say
from adal_ls.cli.project import project_option
from adal_ls.cli.stored import NoRunError, none_yet, opened, whole_id
from adal_ls.cli.tables import give_table

if TYPE_CHECKING:
    from adal_ls.agent.store.store import Store
    from adal_ls.protocol.approvals import Decision
    from adal_ls.protocol.runs import Run, RunGetResult

_UNITS = {"h": 1 / 24, "d": 1, "w": 7}

_FORMAT = click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")


@click.group("runs")
def command() -> None:
    """List the runs of a project, replay, export or delete them, or read what was decided in them."""


@command.command("list")
@click.option("--query", metavar="TEXT", help="Only runs with all these words in their title or in a prompt.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="How many, the newest first; else all.")
@project_option
@_FORMAT
def list_runs(query: str | None, limit: int | None, project: Path, style: str) -> None:
    """List the runs, newest first."""
    with opened(project) as store:
        runs, denied = (store.runs(query, limit=limit), store.denied()) if store is not None else ([], {})
    if style == "json":
        give_json([run.wire() for run in runs])
    elif is_terminal(sys.stdout):
        _give_table(runs, denied)
    else:
        for run in runs:
            give("\t".join([run.run_id, run.created, _ended(run, denied), run.model, run.title]))
    if not runs and query:
        say(f"No run in {project.resolve()} has all of these words: {query}")
    elif not runs:
        say(f"No runs in {project.resolve()} yet. Start one: adal-ls run -q 'what to do'")


@command.command("show")
@click.argument("run_id", metavar="ID")
@project_option
@_FORMAT
def show(run_id: str, project: Path, style: str) -> None:
    """Replay the run ID (or the only one whose id begins so) from the store."""
    with opened(project) as store:
        got = _get(store, run_id, project)
    if style == "json":
        give_json(got.wire())
        return
    from adal_ls.cli.transcript import lines

    run = got.run
    give(f"Run {run.run_id}  {_ended(run, {})}\nmodel {run.model}, {run.created} to {run.updated}\n")
    for line in lines(update.event for update in got.events):
        give(line)
    if run.usage is not None:
        cost = f", {run.usage.cost:.4f} US dollars" if run.usage.cost is not None else ""
        give(f"\n{run.usage.input_tokens:,} tokens in, {run.usage.output_tokens:,} out{cost}")


@command.command("export")
@click.argument("run_id", metavar="ID")
@click.option(
    "--format", "style", type=click.Choice(["json", "markdown"]), help="Else what FILE's name says; markdown."
)
@click.option(
    "-O", "--output", "file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Else printed."
)
@project_option
def export(run_id: str, style: str | None, file: Path | None, project: Path) -> None:
    """Write the run ID as one text: Markdown to read, or JSON with every event.

    A FILE is readable by you alone: a transcript holds what tools have read.
    """
    from adal_ls.agent.runs.export import as_json, as_markdown

    with opened(project) as store:
        got = _get(store, run_id, project)
    as_style = style or ("json" if file is not None and file.suffix == ".json" else "markdown")
    text = as_json(got) if as_style == "json" else as_markdown(got)
    if file is None:
        give(text.removesuffix("\n"))
        return
    # Half a surrogate pair, which a model can write, cannot be encoded.
    data = text.encode("utf-8", "backslashreplace")
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:  # noqa: PTH123 - a mode
        written.write(data)
    say(f"Run {got.run.run_id[:8]} is in {file} ({len(data):,} bytes).")


@command.command("delete")
@click.argument("run_ids", metavar="[ID]...", nargs=-1)
@click.option("--older-than", metavar="AGE", help="All runs in which nothing has happened for so long: 12h, 30d, 8w.")
@click.option("-y", "--yes", "sure", is_flag=True, help="Do not ask.")
@project_option
def delete(run_ids: tuple[str, ...], older_than: str | None, sure: bool, project: Path) -> None:
    """Forget the runs ID, with their transcripts and decisions, for good. One that is going on is not deleted.

    ADAL_KEEP_RUNS_DAYS forgets old ones by itself.
    """
    if bool(run_ids) is (older_than is not None):
        raise click.UsageError("Give the ID of runs (see adal-ls runs list), or --older-than.")
    age = None if older_than is None else _age(older_than)
    with opened(project) as store:
        wanted = [_get(store, given, project).run for given in run_ids] if age is None else _older(store, age)
        if not wanted:
            say(f"No run in {project.resolve()} is older than {older_than}.")
            return
        _make_sure(wanted, sure=sure)
        if store is not None:
            for run in {run.run_id: run for run in wanted}.values():
                store.delete(run.run_id)
                give(f"Deleted: {run.run_id}  {run.title}")


def _get(store: Store | None, given: str, project: Path) -> RunGetResult:
    if store is None:
        raise NoRunError(none_yet(project))
    return store.get(whole_id(store, given, project))


def _age(given: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,6})([hdw])", given.strip())
    if found is None:
        raise click.UsageError(f"--older-than takes a number and h, d or w (hours, days, weeks), not '{given}'.")
    return timedelta(days=int(found[1]) * _UNITS[found[2]])


def _older(store: Store | None, age: timedelta) -> list[Run]:
    from adal_ls.agent.store.store import now

    runs = [] if store is None else store.runs(before=now(age))
    return [run for run in runs if run.state in ("finished", "interrupted")]


def _make_sure(runs: Sequence[Run], *, sure: bool) -> None:
    """Asks before runs are deleted.

    Raises:
        click.UsageError: nobody can be asked.
        click.Abort: the person does not want it.
    """
    if sure:
        return
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        which = "a run" if len(runs) == 1 else f"{len(runs)} runs"
        raise click.UsageError(f"Deleting {which} needs --yes where nobody can be asked.")
    for run in runs:
        say(f"{run.run_id[:8]}  {run.created[:19].replace('T', ' ')}  {run.title}")
    what = "this run" if len(runs) == 1 else f"these {len(runs)} runs"
    click.confirm(f"Delete {what} for good?", abort=True, err=True)


@command.command("decisions")
@click.argument("run_id", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="How many, the newest first.")
@project_option
@_FORMAT
def decisions(run_id: str | None, limit: int, project: Path, style: str) -> None:
    """Show which calls were allowed or denied, by whom or what, and why: of all runs, or of the run ID."""
    with opened(project) as store:
        wanted = None if store is None or run_id is None else whole_id(store, run_id, project)
        found = store.decisions(wanted, limit=limit) if store is not None else []
    if style == "json":
        give_json([decision.wire() for decision in found])
        return
    for decision in found:
        give(_decided(decision))
    if not found:
        say(f"No decisions in {project.resolve()} yet.")


def _decided(decision: Decision) -> str:
    """One decision on one line, its arguments in full."""
    why = f": {decision.reason}" if decision.reason else ""
    rule = f" [rule: {decision.rule}]" if decision.rule and decision.rule not in why else ""
    by = f"by {decision.decided_by}" + (f", mode {decision.mode}" if decision.mode else "")
    call = f"{decision.tool} {json.dumps(decision.arguments, ensure_ascii=False)}"
    return f"{decision.time}  {decision.run_id[:8]}  {decision.decision:5} {call} ({by}){why}{rule}".replace("\n", " ")


def _ended(run: Run, denied: Mapping[str, int]) -> str:
    """How a run ended, or its state while it has not; and how many of its calls were denied."""
    reason = run.stop_reason
    state = run.state.replace("_", " ") if reason is None else "answered" if reason == "end_turn" else reason
    count = denied.get(run.run_id, 0)
    return f"{state}, {count} denied" if count else state


def _give_table(runs: list[Run], denied: Mapping[str, int]) -> None:
    rows = [
        (run.run_id[:8], run.created[:19].replace("T", " "), _ended(run, denied), run.model, run.title) for run in runs
    ]
    give_table(("Run", "Started", "Ended", "Model", "Prompt"), rows)
