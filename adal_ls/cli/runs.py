"""`adal-ls runs`: the runs of a workspace, and what happened in one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adal_ls.cli.output import Failure, give, give_json, is_terminal, printable, reason, say
from adal_ls.cli.project import project_option

if TYPE_CHECKING:
    from adal_ls.agent.store import Store
    from adal_ls.protocol.approvals import Decision
    from adal_ls.protocol.runs import Run

_SHOWN = 5

_FORMAT = click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")


@click.group("runs")
def command() -> None:
    """List the runs of a project, replay one, or read what was decided in them."""


@command.command("list")
@project_option
@_FORMAT
def list_runs(project: Path, style: str) -> None:
    """List the runs, newest first."""
    with _opened(project) as store:
        runs, denied = (store.runs(), store.denied()) if store is not None else ([], {})
    if style == "json":
        give_json([run.wire() for run in runs])
    elif is_terminal(sys.stdout):
        _give_table(runs, denied)
    else:
        for run in runs:
            give("\t".join([run.run_id, run.created, _ended(run, denied), run.model, run.title]))
    if not runs:
        say(f"No runs in {project.resolve()} yet. Start one: adal-ls run -q 'what to do'")


@command.command("show")
@click.argument("run_id", metavar="ID")
@project_option
@_FORMAT
def show(run_id: str, project: Path, style: str) -> None:
    """Replay the run ID (or the only one whose id begins so) from the store."""
    with _opened(project) as store:
        if store is None:
            raise Failure(f"no runs in {project.resolve()} yet")
        got = store.get(_whole_id(store, run_id, project))
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


@command.command("decisions")
@click.argument("run_id", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, help="How many, the newest first.")
@project_option
@_FORMAT
def decisions(run_id: str | None, limit: int, project: Path, style: str) -> None:
    """Show which calls were allowed or denied, by whom or what, and why: of all runs, or of the run ID."""
    with _opened(project) as store:
        wanted = None if store is None or run_id is None else _whole_id(store, run_id, project)
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


@contextmanager
def _opened(project: Path) -> Iterator[Store | None]:
    """The project's store, None where there is none yet: looking leaves nothing behind."""
    from adal_ls.agent.store import Store, StoreError

    try:
        if not Store.exists(project):
            yield None
            return
        store = Store.open(project)
        try:
            yield store
        finally:
            store.close()
    except (StoreError, ValueError) as fault:
        raise Failure(str(fault)) from fault
    except OSError as fault:
        raise Failure(f"the run store cannot be read: {reason(fault)}; ADAL_DATA_DIR says where it lies") from fault


def _whole_id(store: Store, given: str, project: Path) -> str:
    found = [run.run_id for run in store.runs() if run.run_id.startswith(given)]
    if given in found:
        return given
    if len(found) == 1:
        return found[0]
    if found:
        some = ", the first five" if len(found) > _SHOWN else ""
        raise Failure(f"{len(found)} runs begin with '{given}'{some}: {', '.join(found[:_SHOWN])}; give more of the id")
    raise Failure(f"no run begins with '{given}' in {project.resolve()}; see adal-ls runs list")


def _ended(run: Run, denied: Mapping[str, int]) -> str:
    """How a run ended, or its state while it has not; and how many of its calls were denied."""
    reason = run.stop_reason
    state = run.state.replace("_", " ") if reason is None else "answered" if reason == "end_turn" else reason
    count = denied.get(run.run_id, 0)
    return f"{state}, {count} denied" if count else state


def _give_table(runs: list[Run], denied: Mapping[str, int]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("Run", "Started", "Ended", "Model", "Prompt")
    for run in runs:
        cells = (run.run_id[:8], run.created[:19].replace("T", " "), _ended(run, denied), run.model, run.title)
        # Text, not str: what a prompt says is never markup.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console().print(table)
