"""Which rules speak, and how loud: `[tool.adal-ls]` of pyproject.toml, or the editor's `adal.lint` settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from adal_ls.lint.findings import Finding, Severity

FIXED = frozenset({"ADAL001", "ADAL003", "ADAL101", "ADAL102", "ADAL103", "ADAL104"})
"""Codes that nothing silences or lowers: the file gives no text, Python refuses it, or the runtime the tool."""


@dataclass(frozen=True, slots=True)
class Config:
    """Codes or beginnings of codes ("ADAL2"). Where several match a code, the longest decides; `ignore` wins a tie."""

    select: tuple[str, ...] = ("ADAL",)
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)

    @classmethod
    def parse(cls, settings: Mapping[str, object]) -> Config:
        """The configuration in a settings table with the keys `select`, `ignore` and `severity`; others are not read.

        An empty `select` selects every code, as an absent one does: it is what an editor sends while nobody has set it.

        Raises:
            ValueError: a value has the wrong shape; the text says which one and what it must be.
        """
        severity = settings.get("severity") or {}
        if not isinstance(severity, Mapping):
            raise ValueError(  # noqa: TRY004  # one type for all that is wrong in settings
                "'severity' must be a table of codes and severities, such as ADAL107 = \"warning\""
            )
        select = settings.get("select")
        return cls(
            select=_codes("select", [] if select is None else select) or ("ADAL",),
            ignore=_codes("ignore", settings.get("ignore") or ()),
            severity={_code("severity", code): _severity(code, word) for code, word in severity.items()},
        )

    def enabled(self, code: str) -> bool:
        """Whether `select` and `ignore` let a code through; those in `FIXED` do not ask."""
        return _longest(self.select, code) > _longest(self.ignore, code)

    def apply(self, finding: Finding) -> Finding | None:
        """The finding with its configured severity, or None where the configuration silences it."""
        if finding.code in FIXED:
            return finding
        if not self.enabled(finding.code):
            return None
        best = _longest(self.severity, finding.code)
        return replace(finding, severity=self.severity[finding.code[:best]]) if best >= 0 else finding


def _longest(prefixes: Iterable[str], code: str) -> int:
    """The length of the longest of `prefixes` that `code` begins with; -1 if there is none."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _codes(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"'{key}' must be a list of codes, such as ADAL107 or ADAL3")  # noqa: TRY004
    return tuple(_code(key, item) for item in value)


def _code(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.startswith("ADAL"):
        raise ValueError(f"'{key}' has {value!r}, which is not a code: codes look like ADAL107, or ADAL1 for a family")
    return value


def _severity(code: str, word: object) -> Severity:
    try:
        return Severity(word)
    except ValueError:
        known = ", ".join(severity.value for severity in Severity)
        raise ValueError(f"the severity of {code} is {word!r}; it must be one of {known}") from None
