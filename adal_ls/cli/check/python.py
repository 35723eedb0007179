"""`--python`: which Python will run the files, and what it says of their syntax."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from adal_ls.cli.sources import Source
from adal_ls.lint import Lines
from adal_ls.lint.judging import Judgement, for_version, judged, needs_judgement
from adal_ls.workspace.interpreter import Answer, InterpreterError, ask

_NUMBER = re.compile(r"\d+(\.\d+)*")
_VERSION = re.compile(r"(3)\.(\d{1,2})")
_AT_ONCE = 200
"""Texts that are sent to an interpreter together."""


@dataclass(frozen=True, slots=True)
class Python:
    """A version; `interpreter` is None where there is none on this machine to ask."""

    version: tuple[int, int]
    interpreter: str | None

    def judge(self, found: Sequence[Source]) -> list[Source]:
        """`found` as this Python judges their syntax.

        Raises:
            click.UsageError: the interpreter gives no answer.
        """
        asked = [source for source in found if self._must_be_asked(source)]
        answers = {source.path: judgement for source, judgement in zip(asked, self._answers(asked), strict=True)}
        return [self._judged(source, answers.get(source.path)) for source in found]

    def _judged(self, source: Source, judgement: Judgement | None) -> Source:
        if judgement is None:
            return replace(source, findings=tuple(for_version(source.findings, self.version)))
        return replace(source, findings=tuple(judged(source.findings, Lines(source.text), judgement)))

    def _must_be_asked(self, source: Source) -> bool:
        wanted = source.readable and source.sound and needs_judgement(source.findings, self.version)
        return wanted and self.interpreter is not None

    def _answers(self, asked: Sequence[Source]) -> Iterator[Judgement]:
        for start in range(0, len(asked), _AT_ONCE):
            texts = [source.text for source in asked[start : start + _AT_ONCE]]
            answer = _ask(self.interpreter or sys.executable, texts)
            for refusal in answer.refusals:
                if refusal is None:
                    yield Judgement(self.version)
                else:
                    yield Judgement(self.version, refusal.message, refusal.line, refusal.column)


def read_python(context: click.Context, parameter: click.Parameter, given: str | None) -> Python | None:  # noqa: ARG001
    """The Python of the option, as click's callback: a version such as 3.12, or the path of an interpreter."""
    if given is None:
        return None
    named = _VERSION.fullmatch(given)
    if named is None and _NUMBER.fullmatch(given) and not Path(given).exists():
        raise click.BadParameter(f"there is no python{given} on the PATH; give a version such as 3.12, or a path")
    if named is None:
        return Python(_ask(given, ()).version, given)
    version = (int(named[1]), int(named[2]))
    interpreter = next((found for found in _candidates(given) if _is(found, version)), None)
    if interpreter is not None:
        return Python(version, interpreter)
    if version < sys.version_info[:2]:
        raise click.BadParameter(f"there is no python{given} on the PATH; give the path of one")
    return Python(version, None)


def _candidates(version: str) -> Iterable[str]:
    if version == ".".join(map(str, sys.version_info[:2])):
        yield sys.executable
    found = shutil.which(f"python{version}")
    if found is not None:
        yield found


def _is(interpreter: str, version: tuple[int, int]) -> bool:
    """Whether an interpreter is of a version; one that cannot be asked, such as a shim for none, is not."""
    try:
        return ask(interpreter, ()).version == version
    except InterpreterError:
        return False


def _ask(interpreter: str, texts: Sequence[str]) -> Answer:
    try:
        return ask(interpreter, texts)
    except InterpreterError as fault:
        raise click.BadParameter(str(fault)) from None
