"""What one round of checking found, in whatever form it will be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adal_ls.cli.check.fix import Fixed
from adal_ls.cli.sources import Source
from adal_ls.lint import Severity


@dataclass(frozen=True, slots=True)
class Outcome:
    """The files in the order in which they were named, after any fixes. `fixed` is None where none were asked for."""

    sources: Sequence[Source]
    fixed: Sequence[Fixed] | None = None

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity is severity for source in self.sources for finding in source.findings)

    @property
    def files(self) -> int:
        """How many files could be read."""
        return sum(source.readable for source in self.sources)

    @property
    def summary(self) -> str:
        """One line for a person."""
        errors, warnings = self.count(Severity.ERROR), self.count(Severity.WARNING)
        found = f"{_number(errors, 'error')}, {_number(warnings, 'warning')}" if errors or warnings else "no errors"
        return f"{found} in {_number(self.files, 'file')}"


Report = Callable[[Outcome], None]
"""Prints an outcome on standard output."""


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
