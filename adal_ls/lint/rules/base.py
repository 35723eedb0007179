"""What a rule is: data plus a function from the file to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adal_ls.lint.findings import Finding, Fix, Severity
from adal_ls.lint.model import ToolFile
from adal_ls.lint.text import Range

Check = Callable[["Rule", ToolFile], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the lint. `failing` and `passing` are whole tools files; the documentation shows them."""

    code: str
    name: str
    severity: Severity
    why: str
    failing: str
    passing: str
    check: Check

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

    def __call__(self, file: ToolFile) -> Iterator[Finding]:
        return self.check(self, file)


RULES: dict[str, Rule] = {}
"""Every rule by its code. `adal_ls.lint.rules` fills it."""


def rule(*, code: str, name: str, severity: Severity, why: str, failing: str, passing: str) -> Callable[[Check], Rule]:
    """Register the decorated function as a rule. `def f(x: str)` and the like stand before an example that begins with
    `CUSTOM_TOOLS`, so that examples show what matters."""

    def register(check: Check) -> Rule:
        if code in RULES:
            raise ValueError(f"two rules have the code {code}: '{RULES[code].name}' and '{name}'")
        registered = Rule(code, name, severity, why, _whole(failing), _whole(passing), check)
        RULES[code] = registered
        return registered

    return register


_FUNCTION = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'


def _whole(example: str) -> str:
    return f"{_FUNCTION}{example}" if example.startswith("CUSTOM_TOOLS") else example
