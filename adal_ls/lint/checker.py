"""Runs the rules over a file."""

from __future__ import annotations

from collections.abc import Iterable

from adal_ls.lint.findings import Finding
from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules.around import ModuleText, Resolve
from adal_ls.lint.reading.text import Lines
from adal_ls.lint.session import DEFAULT, LintedText
from adal_ls.lint.settings.config import Config
from adal_ls.lint.settings.ignores import Ignores


def check(file: ToolFile, config: Config = DEFAULT) -> list[Finding]:
    """All findings of a file that the configuration lets through, sorted by place, then by code.

    `# adal: ignore[CODE, CODE]` on the line where a finding starts silences it, except for the codes in `FIXED`.
    """
    return LintedText(file.chunks, config, _resolve(file)).findings()


def check_beside(file: ToolFile, config: Config = DEFAULT) -> dict[ModuleText, list[Finding]]:
    """The findings about functions in the modules beside a file that are tools of it, by module."""
    return LintedText(file.chunks, config, _resolve(file)).beside()


def let_through(findings: Iterable[Finding], lines: Lines, config: Config) -> list[Finding]:
    """Of findings that a load told, those that the configuration and the comments of the text let through."""
    ignores = Ignores([lines])
    configured = (config.apply(finding) for finding in findings)
    return [finding for finding in configured if finding is not None and not ignores.silences(finding)]


def _resolve(file: ToolFile) -> Resolve | None:
    modules = file.bindings.around.modules
    return None if modules is None else modules.resolve
