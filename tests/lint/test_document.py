from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adal_ls.lint import FIXED, RULES
from adal_ls.lint.document import FAMILIES, markdown
from adal_ls.lint.rules import address, anchor

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_committed_document_is_that_of_the_rules() -> None:
    written = DOCUMENT.read_text(encoding="utf-8")
    assert written == markdown(), "the rules changed: run `python -m adal_ls.lint.document`"


def test_every_rule_has_a_section_under_the_anchor_that_links_to_it() -> None:
    headings = re.findall(r"^### (.+)$", markdown(), re.MULTILINE)
    # GitHub's anchors: lower case, blanks become hyphens.
    anchors = [heading.lower().replace(" ", "-") for heading in headings]
    assert anchors == [anchor(code) for code in sorted(RULES)]
    assert all(f"(#{target})" in markdown() for target in anchors)


@pytest.mark.parametrize("code", RULES)
def test_a_section_says_how_to_silence_the_rule_or_that_it_cannot_be(code: str) -> None:
    section = markdown().partition(f"### {code} ")[2].partition("\n### ")[0]
    assert ("Cannot be silenced" in section) == (code in FIXED)
    assert RULES[code].why in section
    assert section.count("```python") == (2 if RULES[code].failing else 0)


def test_every_rule_belongs_to_a_family() -> None:
    assert {code[:5] for code in RULES} == set(FAMILIES)


def test_the_address_of_a_rule_is_its_section_in_the_repository_of_the_extension() -> None:
    package = json.loads((DOCUMENT.parents[1] / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    repository = package["repository"]["url"].removesuffix(".git")
    for code in RULES:
        page, _, fragment = address(code).partition("#")
        assert page == f"{repository}/blob/main/docs/{DOCUMENT.name}"
        assert fragment == anchor(code)


def test_a_code_without_a_rule_has_no_anchor() -> None:
    with pytest.raises(KeyError):
        anchor("ADAL999")
