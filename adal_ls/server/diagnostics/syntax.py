"""What the Python of a project's tools says of their syntax: asked on a thread of its own, in trusted workspaces alone.

An interpreter of the workspace is a program like any other. Before the workspace is trusted none is started; syntax
that is newer than the server's Python is information then.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adal_ls.server.documents.documents import Document
from adal_ls.server.log import Log
from adal_ls.workspace.interpreter import choose_interpreter

if TYPE_CHECKING:
    from adal_ls.lint import Finding
    from adal_ls.lint.judging import Judgement

QUIET = 0.3
"""Seconds without another edit after which an interpreter is asked: starting one takes some 20 ms of CPU."""

KEPT = 64
"""Answers that are kept, of all projects together."""

_OWN = sys.version_info[:2]

Interpreter = tuple[str, int]
"""Its path, and when it was changed last: an environment can be made anew."""


class _Question(NamedTuple):
    interpreter: Interpreter
    document: Document


class SyntaxJudges:
    """Findings as the Python judges that runs the tools. All methods are for the main thread.

    `told` is called with the identity of a file when there is another answer about it.
    """

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        log: Log,
        *,
        trusted: Callable[[], bool],
        setting: Callable[[], str | None],
        otherwise: str | None,
        told: Callable[[str], None],
    ) -> None:
        """`setting` is the person's interpreter; `otherwise` the one of projects without any, None if there is none."""
        self._post = post
        self._log = log
        self._trusted = trusted
        self._setting = setting
        self._otherwise = otherwise
        self._told = told
        self._asking: dict[Interpreter, set[str]] = {}
        """Interpreters whose version is being asked, and the files that wait for it."""
        self._versions: dict[Interpreter, tuple[int, int] | None] = {}
        self._answers: OrderedDict[tuple[Interpreter, str], Judgement | None] = OrderedDict()
        self._newest: dict[str, tuple[Judgement, str]] = {}
        """Identity of a file → the last answer about it, and the line that it is about."""
        self._questions = _Questions(self._ask)

    def judged(self, root: str, document: Document, findings: Sequence[Finding]) -> Sequence[Finding]:
        """The findings of a text. What is not known yet is asked, and `told` when it is."""
        from adal_ls.lint import Lines
        from adal_ls.lint.judging import for_version, judged, needs_judgement

        interpreter = self._interpreter(root)
        if interpreter is None:
            return findings
        version = self._version(interpreter, document)
        if version is None:
            return findings
        if not needs_judgement(findings, version):
            return for_version(findings, version) if any(finding.needs for finding in findings) else findings
        judgement = self._judgement(interpreter, document)
        if judgement is None:
            return for_version(findings, version)
        return judged(findings, Lines(document.text), judgement)

    def _interpreter(self, root: str) -> Interpreter | None:
        if not self._trusted():
            return None
        chosen = choose_interpreter(self._setting(), root, self._otherwise or "")
        try:
            return (chosen, os.stat(chosen).st_mtime_ns) if chosen else None
        except OSError:
            return chosen, 0  # a name that is looked for on the PATH

    def _version(self, interpreter: Interpreter, document: Document) -> tuple[int, int] | None:
        if interpreter not in self._versions:
            if os.path.realpath(interpreter[0]) == os.path.realpath(sys.executable):
                self._versions[interpreter] = _OWN
            else:
                if interpreter not in self._asking:
                    self._questions.put(_Question(interpreter, document))
                self._asking.setdefault(interpreter, set()).add(document.identity)
        return self._versions.get(interpreter)

    def _judgement(self, interpreter: Interpreter, document: Document) -> Judgement | None:
        known = self._answers.get((interpreter, document.text))
        if known is not None:
            return known
        if (interpreter, document.text) not in self._answers:
            self._questions.put(_Question(interpreter, document))
        # Until then the last answer holds, as long as the line stands that it is about: nothing flickers.
        newest = self._newest.get(document.identity)
        return newest[0] if newest is not None and document.line(newest[0].line - 1) == newest[1] else None

    def _ask(self, question: _Question) -> None:
        """On the thread that asks."""
        from adal_ls.lint.judging import Judgement
        from adal_ls.workspace.interpreter import InterpreterError, ask

        judgement, fault = None, ""
        try:
            answer = ask(question.interpreter[0], [question.document.text])
        except InterpreterError as error:
            fault = str(error)
        else:
            (refusal,) = answer.refusals
            judgement = Judgement(answer.version)
            if refusal is not None:
                judgement = Judgement(answer.version, refusal.message, refusal.line, refusal.column)
        self._post(lambda: self._take(question, judgement, fault))

    def _take(self, question: _Question, judgement: Judgement | None, fault: str) -> None:
        interpreter, document = question.interpreter, question.document
        if fault and interpreter not in self._versions:
            self._log.write("warning", f"the syntax of tools is judged by Python {_OWN[0]}.{_OWN[1]}: {fault}")
        self._versions.setdefault(interpreter, judgement.version if judgement is not None else None)
        self._answers[interpreter, document.text] = judgement
        while len(self._answers) > KEPT:
            self._answers.popitem(last=False)
        if judgement is not None:
            self._newest[document.identity] = (judgement, document.line(judgement.line - 1))
        for identity in {document.identity, *self._asking.pop(interpreter, ())}:
            self._told(identity)


class _Questions:
    """The newest question about each file, asked one after the other when no newer one came for a while."""

    def __init__(self, ask: Callable[[_Question], None]) -> None:
        self._ask = ask
        self._waiting: dict[str, _Question] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def put(self, question: _Question) -> None:
        with self._changed:
            self._waiting[question.document.identity] = question
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ask interpreters", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                while self._changed.wait(QUIET):
                    pass
                questions, self._waiting = list(self._waiting.values()), {}
            for question in questions:
                self._ask(question)
