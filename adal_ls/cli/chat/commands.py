"""The commands of a session: lines that begin with a slash."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from adal_ls import lint
from adal_ls.agent.models.offline import NAME as OFFLINE
from adal_ls.agent.runs.export import as_json, as_markdown
from adal_ls.agent.runs.registry import builtin_tools
from adal_ls.agent.store.store import StoreError
from adal_ls.cli import sources
from adal_ls.cli.chat.face import Face
from adal_ls.cli.chat.session import Session
from adal_ls.cli.output import Failure, reason
from adal_ls.cli.stored import whole_id
from adal_ls.cli.transcript import lines
from adal_ls.protocol.runs import PermissionMode, RunGetResult

_MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
_LISTED = 15


class EndSession(Exception):  # noqa: N818 - no error
    """The person wants to leave."""


@dataclass(frozen=True, slots=True)
class Command:
    """`values` are what its argument may be, as far as that can be told beforehand."""

    usage: str
    help: str
    run: Callable[[Session, Face, str], None]
    values: Callable[[Session], Iterator[str]] | None = None
    while_busy: bool = True


def perform(line: str, session: Session, face: Face) -> None:
    """Does what a line that begins with a slash says, or tells why it cannot.

    Raises:
        EndSession: it was /exit.
    """
    name, _, argument = line[1:].partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        face.say(
            f"There is no command /{name}; /help lists those there are. To say it to the agent, put a space first."
        )
    elif session.busy and not command.while_busy:
        face.say(f"/{name} waits for the agent to be done; Ctrl-C cancels what it does.")
    else:
        try:
            command.run(session, face, argument.strip())
        except (StoreError, Failure) as fault:
            face.say(f"Error: {fault}")
        except OSError as fault:
            face.say(f"Error: {reason(fault)}")


def _help(_session: Session, face: Face, _argument: str) -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    face.say("\n".join(f"{command.usage:{width}}  {command.help}" for command in COMMANDS.values()))
    face.say(
        "Enter sends, Alt-Enter begins a new line. What you send while the agent works, it hears at its next step.\n"
        "Ctrl-C cancels what the agent does, Ctrl-D ends the session."
    )


def _model(session: Session, face: Face, argument: str) -> None:
    if argument:
        session.model = argument
        face.say(f"Model from the next prompt on: {argument}")
    else:
        face.say(f"Model: {session.shown_model}. Another one: /model openai/gpt-4o, or any litellm id")


def _mode(session: Session, face: Face, argument: str) -> None:
    mode = next((mode for mode in _MODES if mode.lower() == argument.lower()), None)
    if mode is not None:
        session.set_mode(mode)
        face.say(f"Permission mode: {mode}")
    else:
        face.say(f"Permission mode: {session.mode}. Another one: /mode {' | '.join(_MODES)}")


def _new(session: Session, face: Face, _argument: str) -> None:
    session.new()
    face.say("What you type next begins a new conversation.")


def _resume(session: Session, face: Face, argument: str) -> None:
    if not argument:
        _runs(session, face, "")
        face.say("Go on with one of them: /resume ID")
        return
    got = session.take_up(whole_id(session.store, argument, session.project))
    show_end_of(got, face)


def show_end_of(got: RunGetResult, face: Face) -> None:
    """The last prompt of a conversation and what came after it."""
    events = [update.event for update in got.events]
    last = max((place for place, event in enumerate(events) if event.type == "prompt"), default=0)
    face.say(f"Run {got.run.run_id[:8]}, model {got.run.model}, {len(events)} events; it ends so:")
    for line in lines(events[last:]):
        face.say(line)


def _runs(session: Session, face: Face, argument: str) -> None:
    found = session.store.runs(argument or None, limit=_LISTED)
    for run in found:
        here = "*" if run.run_id == session.run_id else " "
        face.say(f"{here} {run.run_id[:8]}  {run.created[:16].replace('T', ' ')}  {run.state:11}  {run.title}")
    if not found:
        face.say("No runs." if not argument else f"No run has all of these words: {argument}")


def _show(session: Session, face: Face, _argument: str) -> None:
    got = _current(session)
    for line in lines(update.event for update in got.events):
        face.say(line)


def _tools(session: Session, face: Face, _argument: str) -> None:
    for tool in builtin_tools(*session.tool_choice()):
        if tool.enabled:
            face.say(f"  {tool.name:16} built in  {'asks' if tool.require_approval else 'runs without asking'}")
    path = session.project / ".adal" / "tools.py"
    source = sources.read(str(path), lint.Config()) if path.exists() else None
    listed = lint.tools_with_problems(lint.read(source.text), source.findings) if source is not None else ()
    for own in listed:
        problems = f"  ({', '.join(own.problems)})" if own.problems else ""
        face.say(
            f"  {own.name:16} custom    {'runs without asking' if own.require_approval is False else 'asks'}{problems}"
        )
    if not listed:
        face.say(f"No custom tools in {path}.")


def _export(session: Session, face: Face, argument: str) -> None:
    got = _current(session)
    file = Path(argument).expanduser() if argument else session.project / f"run-{got.run.run_id[:8]}.md"
    text = as_json(got) if file.suffix == ".json" else as_markdown(got)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:  # noqa: PTH123 - a mode
        written.write(text.encode("utf-8", "backslashreplace"))
    face.say(f"This conversation is in {file}")


def _exit(_session: Session, _face: Face, _argument: str) -> None:
    raise EndSession


def _current(session: Session) -> RunGetResult:
    if session.run_id is None:
        raise Failure("there is nothing yet: this conversation has not begun")
    return session.store.get(session.run_id)


def _models(session: Session) -> Iterator[str]:
    yield from dict.fromkeys([session.shown_model, OFFLINE])
    for file in sorted(session.project.glob("*.y*ml")):
        yield f"script:{file.name}"


def _run_ids(session: Session) -> Iterator[str]:
    return (run.run_id[:8] for run in session.store.runs(limit=50))


COMMANDS = {
    "help": Command("/help", "this list", _help),
    "model": Command("/model [ID]", "which model answers from the next prompt on", _model, _models),
    "mode": Command("/mode [MODE]", "what runs without asking, from now on", _mode, lambda _: iter(_MODES)),
    "new": Command("/new", "a new conversation", _new, while_busy=False),
    "resume": Command("/resume [ID]", "go on with an earlier run", _resume, _run_ids, while_busy=False),
    "runs": Command("/runs [WORDS]", "earlier runs, those with these words", _runs),
    "show": Command("/show", "this conversation in full, with every result", _show),
    "tools": Command("/tools", "the tools there are, and which ask", _tools),
    "export": Command("/export [FILE]", "this conversation as Markdown, or as JSON in a .json file", _export),
    "exit": Command("/exit", "end the session (or Ctrl-D)", _exit),
}
