from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
from tests.lint.marks import check as check_marked
from tests.lint.marks import codes, fixed, marked, only


def test_a_tool_without_a_docstring_is_a_warning_on_its_name() -> None:
    [finding] = check_marked(
        """
def close_ticket(number: int) -> str:
#   ^^^^^^^^^^^^ ADAL401
    return f"closed {number}"


CUSTOM_TOOLS = [close_ticket]
"""
    )
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("body", ['    ""\n', '    f"Close {1}."\n', '    """\n    """\n', "    ...\n"])
def test_what_says_nothing_or_is_no_docstring_does_not_count(body: str) -> None:
    assert codes(f"def f(x: str) -> str:\n{body}\n\nCUSTOM_TOOLS = [f]\n") == ["ADAL401"]


def test_a_description_in_every_entry_is_as_good_as_a_docstring() -> None:
    source = "def f(x: str) -> str:\n    return x\n\n\nCUSTOM_TOOLS = [{'function': f, 'description': 'Do f.'}%s]\n"
    assert codes(source % "") == []
    assert codes(source % ", {'function': f, 'name': 'g'}") == ["ADAL401"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def close_ticket() -> str:\n    return ''\n",
            'def close_ticket() -> str:\n    """Close ticket."""\n    return \'\'\n',
        ),
        (
            "def close_ticket(the_number: int,\n                 *, why: str):\n  # soon\n  return ''\n",
            'def close_ticket(the_number: int,\n                 *, why: str):\n  # soon\n  """Close ticket.\n\n'
            '  Args:\n    the_number: The number.\n    why: Why.\n  """\n  return \'\'\n',
        ),
        (
            "def close_ticket(n: int):\n\t@cache\n\tdef inner(): ...\n\treturn inner\n",
            'def close_ticket(n: int):\n\t"""Close ticket.\n\n\tArgs:\n\t\tn: N.\n\t"""\n\t@cache\n\tdef inner(): ...\n'
            "\treturn inner\n",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_fix_adds_a_docstring_in_the_style_of_the_file(before: str, after: str, end: str) -> None:
    tail = "\n\nCUSTOM_TOOLS = [close_ticket]\n"
    source = (before + tail).replace("\n", end)
    finding = only(source, "ADAL401")
    mended = fixed(source, finding.fixes[0])
    assert mended == (after + tail).replace("\n", end)
    assert codes(mended) == []
    assert not finding.fixes[0].preferred


def test_a_body_on_the_line_of_the_def_gets_no_fix() -> None:
    assert only("def f(x: str) -> str: return x\n\n\nCUSTOM_TOOLS = [f]\n", "ADAL401").fixes == ()


def test_a_docstring_of_sections_alone_lacks_its_sentence() -> None:
    source = (
        'def f(x: str) -> str:\n    """\n    Args:\n        x: It.\n    """\n    return x\n\n\nCUSTOM_TOOLS = [%s]\n'
    )
    finding = only(source % "f", "ADAL402")
    assert finding.severity is Severity.HINT
    assert codes(source % "{'function': f, 'description': 'Do f.'}") == []


def test_a_parameter_that_does_not_exist_is_marked_in_the_docstring() -> None:
    [finding] = check_marked(
        '''
def create_ticket(title: str, body: str) -> str:
    """Create a ticket — 🎫.

    Args:
        titel: Kurze Überschrift.
#       ^^^^^ ADAL403
        body: Text, for example
            note: this is text too.

    Returns:
        number: of the ticket.
    """
    return title


CUSTOM_TOOLS = [create_ticket]
'''.replace("title: str", "title: Annotated[str, 'Title']").replace(
            "\ndef", "\nfrom typing import Annotated\n\n\ndef", 1
        )
    )
    assert finding.severity is Severity.WARNING
    assert "did you mean 'title'?" in finding.message


def test_the_fix_names_the_parameter_that_is_meant() -> None:
    source = (
        "def f(title: str, body: str) -> str:\n    '''Do f.\n\n    Args:\n        titel (str): It.\n        body: B.\n"
        "    '''\n    return title\n\n\nCUSTOM_TOOLS = [f]\n"
    )
    mended = fixed(source, only(source, "ADAL403").fixes[0])
    assert "        title (str): It.\n" in mended
    assert codes(mended) == []


def test_a_line_of_the_text_that_looks_the_same_is_not_marked() -> None:
    check_marked(
        """
def f(x: str) -> str:
    '''Do f. One of these is meant:

    titel: the old way.

    Args:
        titel: It.
#       ^^^^^ ADAL403
        x: The other.
    '''
    return x


CUSTOM_TOOLS = [f]
"""
    )


def documented(entries: str, parameters: str = "x: str") -> str:
    section = "".join(f"        {entry}\n" for entry in entries.split("\n"))
    docstring = f'"""Do f.\n\n    Args:\n{section}    """'
    return f"def f({parameters}) -> str:\n    {docstring}\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"


@pytest.mark.parametrize(
    ("entries", "parameters"),
    [
        ("x: It.\nNote: not a parameter.", "x: str"),
        ("x: It.\nfoo: one of the options.", "x: str, **options: str"),
        ("x: It.\n*args: the rest.", "x: str, *args: str"),
    ],
)
def test_lines_that_may_mean_something_else_are_left_alone(entries: str, parameters: str) -> None:
    assert not {"ADAL403", "ADAL404"} & set(codes(documented(entries, parameters)))


def test_parameters_that_the_section_leaves_out_are_one_hint() -> None:
    source = documented("x: It.", "x: str, limit: int = 5, order: str = ''")
    finding = only(source, "ADAL404")
    assert (finding.severity, marked(source, finding)) == (Severity.HINT, "limit")
    assert "'limit' and 'order'" in finding.message


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_the_fix_adds_their_lines_behind_the_last_entry(end: str, indent: str) -> None:
    source = documented("x: It,\n    and more of it.", "x: str, max_results: int = 5").replace("    ", indent)
    source = source.replace('    """\n    return', '\n    Returns:\n        It.\n    """\n    return').replace(
        "\n", end
    )
    finding = only(source, "ADAL404")
    mended = fixed(source, finding.fixes[0])
    added = f"{indent * 2}max_results: Max results.{end}"
    assert mended.count(added) == 1
    assert mended.replace(added, "") == source
    assert mended.index("more of it.") < mended.index(added) < mended.index("return x")
    assert codes(mended) == []


@pytest.mark.parametrize(
    "source",
    [
        'def f(x: str, y: str) -> str:\n    """Do f."""\n    return x\n',
        'def f(x: str, y: str) -> str:\n    """Do f. Args: x (str), y (str)."""\n    return x\n',
        'def f(x: str, y: Annotated[str, "text"]):\n    """Do f.\n\n    Args:\n        x: It.\n    """\n    return x\n',
        'def f(x: str, y: str = Field("", description="y")):\n    """Do f.\n\n    Args:\n        x: It.\n    """\n',
    ],
)
def test_a_docstring_without_a_section_or_a_text_elsewhere_is_enough(source: str) -> None:
    head = "from typing import Annotated\n\nfrom pydantic import Field\n\n\n"
    assert codes(f"{head}{source}\n\nCUSTOM_TOOLS = [f]\n") == []


def test_a_docstring_with_escapes_is_read_and_never_marked_at_a_wrong_place() -> None:
    source = 'def f(x: str) -> str:\n    "Do f.\\n\\nArgs:\\n    y: It."\n    return x\n\n\nCUSTOM_TOOLS = [f]\n'
    for finding in check(read(source)):
        assert marked(source, finding) in ("y", "x")


def test_the_docstring_of_a_class_is_that_of_its_objects() -> None:
    head = 'class Adder:\n    """Add."""\n\n    def __call__(self, a: int) -> int:\n        return a\n\n\n'
    source = f'{head}CUSTOM_TOOLS = [{{"function": Adder(), "name": "add"}}]\n'
    assert codes(source) == []
    assert codes(source.replace('    """Add."""\n\n', "")) == ["ADAL401"]


def test_entries_set_off_by_dashes_are_found_where_they_stand() -> None:
    text = (
        'def f(path: str, n: int) -> str:\n    """Do f.\n\n    Args:\n        pth - Where it is.\n'
        '        n (int) -- How often.\n    """\n    return path\n\n\nCUSTOM_TOOLS = [f]\n'
    )
    finding = only(text, "ADAL403")
    assert (marked(text, finding), finding.range.start.line) == ("pth", 4)
    assert codes(text.replace("pth", "path")) == []
