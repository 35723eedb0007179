"""Which part of a traceback is the project's own. In the worker."""

from __future__ import annotations

import traceback

from adal_ls.worker.sources import Sources

_MOST = 20  # frames shown; a recursion has thousands
_MOST_WORDS = 500  # characters of what a program says when it ends
_MOST_TEXT = 100_000  # characters; the message of an exception may be anything


def user_trace(fault: BaseException, sources: Sources) -> str:
    """The traceback text with the project's frames only, without values of variables."""
    shown = traceback.TracebackException.from_exception(fault, limit=-200, capture_locals=False)
    _keep(shown, sources, set())
    text = "".join(shown.format())
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}\n[cut: {len(text)} characters]"


def place(fault: BaseException, sources: Sources) -> tuple[str, int] | None:
    """File and one-based line in the project where `fault` arose: its syntax error, else its deepest frame."""
    if isinstance(fault, SyntaxError) and fault.filename and sources.owns(fault.filename):
        return fault.filename, fault.lineno or 1
    found = None
    for frame, line in traceback.walk_tb(fault.__traceback__):
        if sources.owns(frame.f_code.co_filename):
            found = frame.f_code.co_filename, line
    return found


def message(fault: BaseException) -> str:
    """`Type: text`, also where making the text fails."""
    name = str(type.__dict__["__name__"].__get__(type(fault)))  # a metaclass may tell something else
    try:
        text = str(fault)
    except BaseException:  # noqa: BLE001 - a broken __str__ of the project's exception
        return f"{name} (its message cannot be shown)"
    return f"{name}: {text}" if text else name


def exit_code(fault: SystemExit) -> int:
    """The code a process ends with on this exit: a text counts as 1."""
    if fault.code is None:
        return 0
    return fault.code if isinstance(fault.code, int) else 1


def exit_words(fault: SystemExit) -> str:
    """The code, and the text that Python would print for one that is none (`sys.exit("no key")`)."""
    if fault.code is None or isinstance(fault.code, int):
        return f"exit code {exit_code(fault)}"
    try:
        said = " ".join(str(fault.code).split())
    except BaseException:  # noqa: BLE001 - a broken __str__ of the project's object
        said = "a text that cannot be shown"
    return f"exit code 1: {said[:_MOST_WORDS]}"


def _keep(shown: traceback.TracebackException, sources: Sources, seen: set[int]) -> None:
    if id(shown) in seen:
        return
    seen.add(id(shown))
    own = [frame for frame in shown.stack if sources.owns(frame.filename)]
    shown.stack = traceback.StackSummary.from_list(own[-_MOST:])
    for linked in (shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())):
        if linked is not None:
            _keep(linked, sources, seen)
