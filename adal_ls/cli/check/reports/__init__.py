"""What `adal-ls check` prints: for people, and for three kinds of machines. One module a format."""

from __future__ import annotations

from adal_ls.cli.check.reports import github, machine, sarif, text
from adal_ls.cli.check.reports.outcome import Outcome, Report

REPORTS: dict[str, Report] = {"text": text.give, "json": machine.give, "github": github.give, "sarif": sarif.give}
"""The formats by their names on the command line."""

__all__ = ["REPORTS", "Outcome", "Report"]
