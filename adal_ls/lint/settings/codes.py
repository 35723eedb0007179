"""Codes as people write them: in any case, by the rule's name, or the beginning of codes for a family."""

from __future__ import annotations

from adal_ls.lint.rules import RULES

LOADING = "ADAL9"
"""What is found when a file is loaded: lint cannot judge whether it is there."""


def read_code(written: str) -> str | None:
    """The code, or the beginning of codes, that `written` stands for; None where no rule has it."""
    word = written.strip()
    upper = word.upper()
    if upper.startswith("ADAL") and any(code.startswith(upper) for code in RULES):
        return upper
    return next((rule.code for rule in RULES.values() if rule.name == word.lower()), None)


def unknown_code(written: str) -> str:
    """What to tell about a word that `read_code` does not know."""
    near = nearest_code(written)
    advice = f"did you mean {near}?" if near else "codes look like ADAL107, or ADAL1 for a family"
    return f"there is no rule {written.strip()}; {advice}"


def nearest_code(written: str) -> str | None:
    """The code or name that is most similar to `written`, if one is."""
    from difflib import get_close_matches  # only a slip pays for the import

    word = written.strip()
    names = [rule.name for rule in RULES.values()]
    near = get_close_matches(word.upper(), RULES, n=1) or get_close_matches(word.lower(), names, n=1)
    return near[0] if near else None
