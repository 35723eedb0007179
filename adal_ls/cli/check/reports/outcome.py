"""What one round of checking found, in whatever form it will be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adal_ls.cli.check.fix import Fixed
from adal_ls.cli.sources import Source
from adal_ls.lint import Severity
from adal_ls.lint.fixes.fixing import choices, mended_unasked


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
        found = [_number(errors, "error"), _number(warnings, "warning")] if errors or warnings else ["no errors"]
        for severity, what in ((Severity.INFORMATION, "information"), (Severity.HINT, "hint")):
            if count := self.count(severity):
                found.append(_number(count, what))
        return f"{', '.join(found)} in {_number(self.files, 'file')}"

    @property
    def fixes(self) -> str | None:
        """One line about the fixes there are, None where there is none."""
        findings = [finding for source in self.sources for finding in source.findings]
        mended = sum(mended_unasked(finding) is not None for finding in findings)
        chosen = sum(bool(choices(finding)) for finding in findings)
        said = [f"--fix mends {mended} of them"] if mended else []
        if chosen:
            more = " more" if mended else " of them"
            said.append(f"{chosen}{more} {'has' if chosen == 1 else 'have'} a fix to choose in the editor")
        return "; ".join(said) + "." if said else None


Report = Callable[[Outcome], None]
"""Prints an outcome on standard output."""


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
