from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adal_ls import naming


@pytest.mark.parametrize("name", ["create_ticket", "_f", "查询天气", "match", "x2"])
def test_identifiers_are_taken(name: str) -> None:
    assert naming.is_identifier(name)
    assert not naming.is_refused(name)


@pytest.mark.parametrize("name", ["create-ticket", "2nd", "", "a b", "a.b", "<lambda>", "f\n", "x²"])
def test_what_is_no_identifier_is_refused(name: str) -> None:
    assert not naming.is_identifier(name)
    assert naming.is_refused(name)


@pytest.mark.parametrize("name", keyword.kwlist)
def test_keywords_are_refused(name: str) -> None:
    assert naming.is_keyword(name)
    assert naming.is_refused(name)


@pytest.mark.parametrize("name", ["match", "case", "type", "_"])
def test_soft_keywords_are_taken(name: str) -> None:
    assert not naming.is_keyword(name)
    assert not naming.is_refused(name)


@pytest.mark.parametrize("name", ["bash", "read_file", "edit", "consult", "ｂash"])
def test_names_of_built_in_tools_are_refused_in_every_spelling_python_equates(name: str) -> None:
    assert naming.is_refused(name)


def test_every_group_but_those_of_adal_alone_has_a_tool_of_ours() -> None:
    ours = {entry.group for entry in naming.RESERVED.values() if entry.ours}
    assert ours == {"Bash", "Edit", "Read", "Search", "Web", None}
    assert all(name == entry.name for name, entry in naming.RESERVED.items())


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Bash", "bash"),
        ("READ_FILE", "read_file"),
        ("web", "Web"),
        ("bash", None),
        ("bashful", None),
        ("image", "Image"),
    ],
)
def test_lookalikes_differ_in_case_only(name: str, known: str | None) -> None:
    assert naming.lookalike(name) == known


@pytest.mark.parametrize(
    ("name", "fits"), [("a" * 64, True), ("a" * 65, False), ("a-b", True), ("-a", False), ("é", False), ("a\n", False)]
)
def test_providers_take_64_ascii_characters(name: str, fits: bool) -> None:
    assert naming.fits_providers(name) is fits


def test_an_alias_is_the_name_itself_where_it_fits() -> None:
    assert naming.provider_alias("create_ticket") == "create_ticket"


def test_an_alias_keeps_what_ascii_can_say_and_avoids_taken_names() -> None:
    alias = naming.provider_alias("prüfe_größe")
    assert alias.startswith("prufe_gro")
    assert naming.provider_alias("prüfe_größe", {alias}) != alias


@given(st.text(min_size=1))
def test_every_name_has_an_alias_that_providers_take_and_that_is_always_the_same(name: str) -> None:
    alias = naming.provider_alias(name)
    assert naming.fits_providers(alias)
    assert naming.provider_alias(name) == alias


@pytest.mark.parametrize(
    ("name", "taken", "suggestion"),
    [
        ("create-ticket", (), "create_ticket"),
        ("return", (), "return_"),
        ("bash", (), "bash_tool"),
        ("Bash", (), "Bash_tool"),
        ("2nd", (), "tool_2nd"),
        ("", (), "tool"),
        ("!!", ("tool",), "tool_2"),
        ("f", ("f", "f_2"), "f_3"),
        ("ﬁnd", ("find",), "ﬁnd_2"),
        ("查询-天气", (), "查询_天气"),
        ("web-search", (), "web_search_tool"),
    ],
)
def test_a_suggestion_stays_near_the_name(name: str, taken: tuple[str, ...], suggestion: str) -> None:
    assert naming.suggest(name, taken) == suggestion


@given(st.text(), st.sets(st.sampled_from(["tool", "f", "a", "tool_2", "a_b"])))
def test_every_suggestion_is_taken_by_the_runtime(name: str, taken: set[str]) -> None:
    suggestion = naming.suggest(name, taken)
    assert not naming.is_refused(suggestion)
    assert suggestion not in taken
    assert len(suggestion) <= 64


KNOWN = ("bash", "read_file", "list_files", "write_file", "edit_file", "grep")


@pytest.mark.parametrize(
    ("enabled", "disabled", "left"),
    [
        (None, None, set(KNOWN)),
        (None, ["Bash", "edit"], {"read_file", "list_files", "grep"}),
        (None, ["read_FILE", " grep "], {"bash", "list_files", "write_file", "edit_file"}),
        (["Read"], None, {"read_file", "list_files"}),
        (["bash", "Web"], None, {"bash"}),
        ([], None, set()),
        (None, [""], set(KNOWN)),
    ],
)
def test_built_in_tools_are_selected_by_name_or_group(
    enabled: list[str] | None, disabled: list[str] | None, left: set[str]
) -> None:
    assert naming.select_builtins(KNOWN, enabled, disabled) == left


def test_an_unknown_built_in_tool_is_named_with_what_is_known() -> None:
    with pytest.raises(ValueError, match=r"'Bsh' is neither .* The tools: bash, .*; the groups: Bash, Read, Edit"):
        naming.select_builtins(KNOWN, None, ["Bsh"])


def test_enabled_and_disabled_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="one of the two"):
        naming.select_builtins(KNOWN, ["Bash"], ["Edit"])
