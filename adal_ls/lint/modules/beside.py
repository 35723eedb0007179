"""What is said of tools that stand in modules beside the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from adal_ls.lint.findings import Finding
from adal_ls.lint.modules.around import ModuleText, Sibling
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import FUNCTION_RULES, STATEMENT_RULES
from adal_ls.lint.rules.syntax import finding as syntax
from adal_ls.lint.settings.config import Config
from adal_ls.lint.settings.ignores import Ignores
from adal_ls.lint.subjects import Listings, of_chunk

Listed = Mapping[Sibling, Listings]
"""How the functions of modules beside the file are listed by it."""


class Beside:
    """The findings about listed functions of other modules, each module looked at once for each way it is listed."""

    def __init__(self) -> None:
        self._known: dict[Sibling, tuple[Listings, list[Finding]]] = {}

    def here(self, listed: Listed) -> Iterator[Finding]:
        """Those that are about entries, and stand in the file itself."""
        for home, findings in self._of(listed):
            places = {one.place for listing in listed[home].values() for one in listing.unasked}
            yield from (replace(one, related=(), fixes=()) for one in findings if _is_about_entry(one, places))

    def there(self, listed: Listed, config: Config) -> dict[ModuleText, list[Finding]]:
        """Those about the functions, by module, quiet ones too. The rest of a module is nobody's business, as it may
        serve other ends as well, unless Python refuses it: then none of the functions can be imported."""
        told: dict[ModuleText, list[Finding]] = {}
        for home, findings in self._of(listed):
            places = {one.place for listing in listed[home].values() for one in listing.unasked}
            ignores = Ignores(chunk.lines for chunk in home.chunks)
            found: dict[tuple[object, ...], Finding] = {}
            for finding in findings:
                configured = None if _is_about_entry(finding, places) else config.apply(finding)
                if configured is not None and not ignores.silences(configured):
                    found.setdefault((finding.range, finding.code, finding.message), configured)
            told[home.text] = sorted(found.values(), key=lambda finding: (finding.range, finding.code))
        return told

    def _of(self, listed: Listed) -> Iterator[tuple[Sibling, list[Finding]]]:
        self._known = {home: known for home, known in self._known.items() if home in listed}
        for home, listings in listed.items():
            known = self._known.get(home)
            if known is None or known[0] != listings:
                known = self._known[home] = (listings, [*_findings(home, listings)])
            yield home, known[1]


def _is_about_entry(finding: Finding, places: set[Range]) -> bool:
    return finding.code == "ADAL601" and finding.range in places


def _findings(home: Sibling, listings: Listings) -> Iterator[Finding]:
    names = home.file.names
    yield from (syntax(problem.message, problem.range) for problem in home.file.syntax)
    for chunk in home.chunks:
        if any(place in listings for place in chunk.functions):
            subjects = of_chunk(chunk, names, listings)
            for tool in subjects.functions:
                for rule in FUNCTION_RULES:
                    yield from rule(tool)
            for statement in subjects.statements:
                for about in STATEMENT_RULES if statement.is_tool else ():
                    yield from about(statement)
