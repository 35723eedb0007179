from __future__ import annotations

import pytest

from tests.lint.marks import F, check, codes, fixed, only


@pytest.mark.parametrize(
    "name",
    ["CUSTOM_TOOL", "custom_tools", "CUSTOMTOOLS", "CustomTools", "CUSTOM_TOLS", "COSTUM_TOOLS", "TOOLS", "tools"],
)
def test_a_list_that_is_nearly_called_so_is_marked_and_renamed_everywhere(name: str) -> None:
    source = f"{F}{name} = [f]\nfor tool in {name}:\n    print(tool)\n"
    finding = only(source, "ADAL215")
    assert "did you mean CUSTOM_TOOLS?" in finding.message
    assert finding.range.start.line == 5
    mended = fixed(source, finding.fixes[0])
    assert mended == f"{F}CUSTOM_TOOLS = [f]\nfor tool in CUSTOM_TOOLS:\n    print(tool)\n"
    assert codes(mended) == []
    assert "ADAL201" not in codes(source)


def test_a_list_inside_of_a_function_or_class_is_marked() -> None:
    check(f"{F}def setup():\n    CUSTOM_TOOLS = [f]\n#   ^^^^^^^^^^^^ ADAL215\n")
    assert "inside of 'Registry' only" in only(f"{F}class Registry:\n    CUSTOM_TOOLS = [f]\n", "ADAL215").message


def test_a_list_for_scripts_alone_is_marked() -> None:
    check(f'{F}if __name__ == "__main__":\n    CUSTOM_TOOLS = [f]\n#   ^^^^^^^^^^^^ ADAL215\n')


@pytest.mark.parametrize(
    "rest",
    [
        "custom_tools = [f]\nCUSTOM_TOOLS = custom_tools\n",
        "def setup():\n    global CUSTOM_TOOLS\n    CUSTOM_TOOLS = [f]\n\n\nsetup()\n",
        "CUSTOM_TOOLS = [f]\n\n\ndef g():\n    CUSTOM_TOOLS = []\n",
        "TOOLS = 3\n",
        'CUSTOM_TOOLS = [f]\nif __name__ == "__main__":\n    CUSTOM_TOOLS = []\n',
        'if __name__ == "__main__":\n    print(CUSTOM_TOOLS)\n',
        "CUSTOM_PATHS = []\n",
        "from other import *\ncustom_tools = [f]\n",
    ],
)
def test_other_lists_are_left_alone(rest: str) -> None:
    assert "ADAL215" not in codes(f"{F}{rest}")
