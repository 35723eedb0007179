"""A slip inside CUSTOM_TOOLS costs its own element: which of the others are still read."""

from __future__ import annotations

import pytest

from adal_ls.lint import check, read
from adal_ls.lint.session import open_text

HEAD = "".join(f'def {name}(x: str) -> str:\n    """Do {name}."""\n    return x\n\n\n' for name in "fgh")


@pytest.mark.parametrize(
    ("elements", "kept"),
    [
        ("f, {'function': g]}, h", "fh"),
        ("f, g h, h", "fh"),
        ("f, {'function': g, 'name' 'n'}, h", "fh"),
        ("f, {'function': g, name: }, h", "fh"),
        ("f, {'function' g}, h", "fh"),
        ("f, {'function': g 'name': 'n'}, h", "fh"),
        ("f, 'g, h", "f"),
        ("f,, h", "fh"),
        (", f, h", "fh"),
        ("f, g., h", "fh"),
        ("f, *, h", "fh"),
        ("f, lambda: , h", "fh"),
        ("f, g = 1, h", "fh"),
        ("f, def, h", "fh"),
        ("f, $, h", "fh"),
        ("f, {'function': g}}, h", "fgh"),
    ],
)
@pytest.mark.parametrize("layout", ["[{}]", "[\n    {},\n]", "({})", "[\r\n\t{},\r\n]"])
def test_the_elements_beside_a_slip_are_read(elements: str, kept: str, layout: str) -> None:
    break_ = layout.partition("{")[0][1:].rstrip(" \t")
    written = elements.replace(", ", f",{break_}    ") if break_ else elements
    source = f"{HEAD}CUSTOM_TOOLS = {layout.format(written)}\n"
    file = read(source)
    assert "".join(tool.name for tool in file.tools if tool.name in "fgh" and tool.name in kept) == kept
    findings = check(file)
    assert [finding.code for finding in findings].count("ADAL001") == 1
    assert "ADAL213" not in [finding.code for finding in findings if finding.range.start.line < HEAD.count("\n")]
    assert open_text(source).findings() == findings


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_list_that_is_being_typed_keeps_what_stands_already(cut: int) -> None:
    whole = "CUSTOM_TOOLS = [\n    f,\n    {'function': g, 'name': 'n'},\n    h,\n]\n"
    text = whole[: len("CUSTOM_TOOLS = [\n    f,\n") + cut]
    names = [tool.name for tool in read(HEAD + text).tools]
    assert names[0] == "f"
    if "},\n" in text:
        assert names[:2] == ["f", "n"]
