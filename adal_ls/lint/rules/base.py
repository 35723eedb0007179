"""What a rule is: data plus a function from what it looks at to findings.

Three kinds of subject. A *global* rule looks at the file: its entries and bindings. *Local* rules look at one function
that is a tool, or at one top-level statement, and know of the rest of the file only what its names stand for: after an
edit that leaves the names alone they need to look at the changed statement only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from adal_ls.lint.agents_file import AgentsFile
from adal_ls.lint.findings import Finding, Fix, Severity
from adal_ls.lint.reading.text import Range
from adal_ls.lint.subjects import Statement, ToolFunction
from adal_ls.lint.view import ListedEntry, Overview

Subject = TypeVar("Subject")
Check = Callable[["Rule[Subject]", Subject], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule(Generic[Subject]):
    """A rule of the lint. `failing` and `passing` are whole tools files; the documentation shows them, unless they are
    empty because no text shows it. `fix` says what the quick fix does, None where there is none."""

    code: str
    name: str
    severity: Severity
    why: str
    failing: str
    passing: str
    check: Check[Subject]
    fix: str | None = None

    def finding(
        self,
        message: str,
        place: Range,
        *,
        related: tuple[tuple[Range, str], ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> Finding:
        """A finding of this rule."""
        return Finding(self.code, self.name, self.severity, message, place, related, fixes)

    def __call__(self, subject: Subject) -> Iterator[Finding]:
        return self.check(self, subject)


class Unused(NamedTuple):
    """A code in an `# adal: ignore[...]` that silences nothing: `place` is the code, `why` the reason."""

    place: Range
    why: str
    removal: Fix


class Unread(NamedTuple):
    """A file that gave no text: `place` is its start."""

    place: Range
    reason: str


class Told(NamedTuple):
    """What a load of the file told, and where in it."""

    place: Range
    message: str


RULES: dict[str, Rule[Any]] = {}
"""Every rule by its code. `adal_ls.lint.rules` fills it."""
FILE_RULES: list[Rule[Overview]] = []
ENTRY_RULES: list[Rule[ListedEntry]] = []
FUNCTION_RULES: list[Rule[ToolFunction]] = []
STATEMENT_RULES: list[Rule[Statement]] = []
IGNORE_RULES: list[Rule[Unused]] = []
READING_RULES: list[Rule[Unread]] = []
LOAD_RULES: list[Rule[Told]] = []
AGENTS_RULES: list[Rule[AgentsFile]] = []
"""Those that look at an agents file; no tools file is shown to them."""


@dataclass(frozen=True, slots=True)
class _Register(Generic[Subject]):
    """The decorator `@rule(code=..., ...)`.

    `def f(x: str)` and the like stand before an example that begins with `CUSTOM_TOOLS`, and `CUSTOM_TOOLS = [f]` after
    one that has none where the rule is local, so that examples show what matters.
    """

    rules: list[Rule[Subject]]
    listed: bool = True

    def __call__(
        self,
        *,
        code: str,
        name: str,
        severity: Severity,
        why: str,
        failing: str,
        passing: str,
        fix: str | None = None,
    ) -> Callable[[Check[Subject]], Rule[Subject]]:
        def register(check: Check[Subject]) -> Rule[Subject]:
            if code in RULES:
                raise ValueError(f"two rules have the code {code}: '{RULES[code].name}' and '{name}'")
            registered = Rule(code, name, severity, why, failing, passing, check, fix)
            whole = replace(registered, failing=self._whole(failing), passing=self._whole(passing))
            RULES[code] = whole
            self.rules.append(whole)
            return whole

        return register

    def _whole(self, example: str) -> str:
        if example.startswith("CUSTOM_TOOLS"):
            return f"{_FUNCTION}{example}"
        return f"{example}{_LIST}" if example and self.listed and "CUSTOM_TOOLS" not in example else example


_FUNCTION = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
_LIST = "\n\nCUSTOM_TOOLS = [f]\n"

file_rule = _Register(FILE_RULES, listed=False)
entry_rule = _Register(ENTRY_RULES, listed=False)
function_rule = _Register(FUNCTION_RULES)
statement_rule = _Register(STATEMENT_RULES)
ignore_rule = _Register(IGNORE_RULES)
reading_rule = _Register(READING_RULES)
load_rule = _Register(LOAD_RULES)
agents_rule = _Register(AGENTS_RULES, listed=False)


def also(rule: Rule[Any], rules: list[Rule[Subject]]) -> Callable[[Check[Subject]], Rule[Subject]]:
    """The decorator for what a rule says about subjects of another kind."""

    def register(check: Check[Subject]) -> Rule[Subject]:
        second = Rule(rule.code, rule.name, rule.severity, rule.why, rule.failing, rule.passing, check, rule.fix)
        rules.append(second)
        return second

    return register


def quoted(names: list[str]) -> str:
    """Names as a message lists them: 'a', 'b' and 'c'."""
    shown = [f"'{name}'" for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
