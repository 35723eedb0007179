"""Applies fixes: one set of edits, or all fixes that need no choice.

`fix_all` never lets a tool run that asked before: fixes about approval are for a person to choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from adal_ls.lint.checker import check, check_beside
from adal_ls.lint.findings import Finding, Fix, TextEdit
from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules.around import ModuleText, Resolve
from adal_ls.lint.reader import read
from adal_ls.lint.reading.text import Range
from adal_ls.lint.settings.config import Config

APPROVAL = frozenset({"ADAL208", "ADAL601"})
"""Findings about approval: never mended unseen."""

_ROUNDS = 50  # a fix can bring out the next finding; more rounds than this would be two fixes that undo each other
_DEFAULT = Config()


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was applied. `range` is the finding's, in the text of that moment."""

    finding: Finding
    title: str

    @property
    def code(self) -> str:
        return self.finding.code

    @property
    def range(self) -> Range:
        return self.finding.range


def apply(file: ToolFile, edits: Iterable[TextEdit]) -> str:
    """The text of a file after edits that do not overlap."""
    text, lines = file.text, file.lines
    for edit in sorted(edits, key=lambda edit: edit.range, reverse=True):
        text = text[: lines.offset(edit.range.start)] + edit.new_text + text[lines.offset(edit.range.end) :]
    return text


def automatic(findings: Iterable[Finding]) -> Iterator[tuple[Finding, Fix]]:
    """The fixes that can be applied without asking: the preferred one of each finding, but for approval."""
    for finding in findings:
        fix = mended_unasked(finding)
        if fix is not None:
            yield finding, fix


def mended_unasked(finding: Finding) -> Fix | None:
    """The fix of a finding that can be applied without asking, if there is one."""
    fix = next((fix for fix in finding.fixes if fix.preferred), None)
    return None if fix is None or finding.code in APPROVAL or _touches_approval(fix) else fix


def choices(finding: Finding) -> tuple[Fix, ...]:
    """The fixes of a finding that only a person can choose, in an editor; none where one is applied unasked."""
    return finding.fixes if mended_unasked(finding) is None else ()


def fix_all(text: str, config: Config = _DEFAULT, resolve: Resolve | None = None) -> tuple[str, tuple[Applied, ...]]:
    """Apply every fix that needs no choice, until none is left. Idempotent; line ends are kept.

    Returns the text and what was done, in the order in which it was done. A finding that the configuration or a
    comment silences is left alone. `resolve` gives the modules beside it, which are only read.
    """
    done: list[Applied] = []
    for _ in range(_ROUNDS):
        file = read(text, resolve)
        chosen = _compatible(automatic(check(file, config)))
        if not chosen:
            break
        mended = apply(file, [edit for _, fix in chosen for edit in fix.edits])
        if mended == text or len(read(mended).syntax) > len(file.syntax):
            break
        text = mended
        done += [Applied(finding, fix.title) for finding, fix in chosen]
    return text, tuple(done)


@dataclass(frozen=True, slots=True)
class MendedModule:
    """A module beside a tools file as it was, its text after the fixes, and what they were."""

    module: ModuleText
    text: str
    applied: tuple[Applied, ...]


def fix_beside(text: str, config: Config, resolve: Resolve) -> tuple[MendedModule, ...]:
    """The same as `fix_all` for the tools of a file in modules beside it. Returns the modules that change."""
    mended: dict[str, MendedModule] = {}

    def newest(name: str) -> ModuleText | None:
        found = resolve(name)
        known = None if found is None else texts.get(found.key)
        return found if known is None else known

    texts: dict[str, ModuleText] = {}
    for _ in range(_ROUNDS):
        changed = False
        for module, findings in check_beside(read(text, newest), config).items():
            file, chosen = read(module.text), _compatible(automatic(findings))
            after = apply(file, [edit for _, fix in chosen for edit in fix.edits])
            if after == module.text or len(read(after).syntax) > len(file.syntax):
                continue
            before = mended.get(module.key, MendedModule(module, module.text, ()))
            applied = (*before.applied, *(Applied(finding, fix.title) for finding, fix in chosen))
            mended[module.key] = MendedModule(before.module, after, applied)
            texts[module.key] = ModuleText(module.key, after, module.package)
            changed = True
        if not changed:
            break
    return tuple(mended.values())


def _compatible(fixes: Iterable[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """Those that can be applied at once; the others have their turn in the next round, if they still mend anything."""
    chosen: list[tuple[Finding, Fix]] = []
    taken: list[Range] = []
    names: set[str] = set()
    for finding, fix in fixes:
        places = [edit.range for edit in fix.edits]
        # Two tools must not get the same name, which either alone may have.
        given = {edit.new_text for edit in fix.edits} if finding.code.startswith("ADAL1") else set()
        if names.isdisjoint(given) and not any(_meet(place, other) for place in places for other in taken):
            chosen.append((finding, fix))
            taken += places
            names |= given
    return chosen


def _meet(one: Range, other: Range) -> bool:
    """Whether two edits concern the same characters; two insertions at one place do."""
    return one == other or (one.start < other.end and other.start < one.end)


def _touches_approval(fix: Fix) -> bool:
    edits: Sequence[TextEdit] = fix.edits
    return any("require_approval" in edit.new_text for edit in edits)
