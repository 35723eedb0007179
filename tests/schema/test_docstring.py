"""Docstrings: what the model is told, and what stays out of it."""

from __future__ import annotations

import textwrap

import pytest

from adal_ls.schema.docstring import Docstring, parse
from tests.schema.reading import both


@pytest.mark.parametrize(
    ("text", "description", "parameters"),
    [
        ("Do it.", "Do it.", {}),
        (None, "", {}),
        ("   \n   ", "", {}),
        ("Do it.\n\n    Args:\n        a: first\n        b: second\n    ", "Do it.", {"a": "first", "b": "second"}),
        ("Do it.\n\n    Arguments:\n        a: first", "Do it.", {"a": "first"}),
        ("Do it.\n\n    Parameters:\n        a: first", "Do it.", {"a": "first"}),
        ("Do it.\n\n    Keyword Args:\n        a: first", "Do it.", {"a": "first"}),
        (
            "Do it.\n\n    Args:\n        a: first\n\n    Keyword Args:\n        b: second",
            "Do it.",
            {"a": "first", "b": "second"},
        ),
        ("Do it.\n    Args:\n        a: first\n    Returns:\n        text", "Do it.", {"a": "first"}),
        ("Args:\n        a: first\n        b: second\n    ", "", {"a": "first", "b": "second"}),
        ("Args:\n        a: first\n            more\n    Returns:\n        text", "", {"a": "first\nmore"}),
        ("\n    Args:\n        a: first\n    ", "", {"a": "first"}),
        (
            "Do it.\n\n    Args:\n        a (int): first\n        b (str, optional): second",
            "Do it.",
            {"a": "first", "b": "second"},
        ),
        ("Do it.\n\n    Args:\n        a (Callable[[int], str] (or None)): first", "Do it.", {"a": "first"}),
        ("Do it.\n\n    Args:\n        a: at 10:30: see http://x.y/z", "Do it.", {"a": "at 10:30: see http://x.y/z"}),
        ("Do it.\n\n    Args:\n        *tags: many\n        **opts: more", "Do it.", {"tags": "many", "opts": "more"}),
        (
            'Do it.\n\n    Args:\n        mode (str): One of:\n            - "brief": titles only\n'
            '            - "full": whole text\n'
            "        top: How many hits to show,\n            counted per folder.",
            "Do it.",
            {
                "mode": 'One of:\n- "brief": titles only\n- "full": whole text',
                "top": "How many hits to show,\ncounted per folder.",
            },
        ),
        (
            "Do it.\n\n    Args:\n        a:\n            below\n        b: second",
            "Do it.",
            {"a": "below", "b": "second"},
        ),
        (
            "Do it.\n\n    Args:\n        a: first\n\n            second paragraph\n        b: x",
            "Do it.",
            {"a": "first\n\nsecond paragraph", "b": "x"},
        ),
        ("Do it.\n\n    Args:\n        a: first\n\n    Free text again.", "Do it.\n\nFree text again.", {"a": "first"}),
        ("Do it.\n\n    Raises:\n        ValueError: never\n\n    Yields:\n        lines", "Do it.", {}),
        ("Do it.\n\n    Returns: the text of it", "Do it.", {}),
        ("Do it.\n\n    Note:\n        Slow at night.", "Do it.\n\nNote:\n    Slow at night.", {}),
        (
            "Do it.\n\n    Args:\n        - a: one\n        * `b` (int): two\n        **c**: three\n        **d: four\n"
            "        e, f: five",
            "Do it.",
            {"a": "one", "b": "two", "c": "three", "d": "four", "e": "five", "f": "five"},
        ),
        (
            "Do it.\n    Parameters:\n    name (str): who\n    age (int): how old\n    Returns:\n    the text",
            "Do it.",
            {"name": "who", "age": "how old"},
        ),
        (
            "Do it.\n\n    Parameters\n    ----------\n    a : int\n        first\n        more\n\n"
            "        and more\n    b, *c\n"
            "        both\n\n    Raises\n    ------\n    ValueError\n        never\n\n    Notes\n    -----\n    Slow.",
            "Do it.\n\nNotes\n-----\nSlow.",
            {"a": "first\nmore\n\nand more", "b": "both", "c": "both"},
        ),
        (
            "Do it.\n\n    Parameters\n    ----------\n    a : int\n        first\n\n    Free text.",
            "Do it.\n\nFree text.",
            {"a": "first"},
        ),
        (
            "Do it.\n\n    :param a: first\n        more\n    :type a: int\n    :param int b: second\n"
            "    :raises ValueError: never\n"
            "    :returns: the text\n        of it\n    :rtype: str\n\n    Free text.",
            "Do it.\n\nFree text.",
            {"a": "first\nmore", "b": "second"},
        ),
        (":param a: at 10:30\n    :param dict[str, int] b: x", "", {"a": "at 10:30", "b": "x"}),
        (
            "Do it.\n\n    @param a: first\n    continued\n    @keyword b: second\n    @return: x",
            "Do it.",
            {"a": "first\ncontinued", "b": "second"},
        ),
        ("Do it at :time: now\n\n    :note: slow", "Do it at :time: now\n\n:note: slow", {}),
        ("Do it.\n\n    Attributes:\n        a: first", "Do it.", {}),
        ("Do it.\n\n    Args: see the page", "Do it.\n\nArgs: see the page", {}),
        ("Do it.\n\n    Args:\n", "Do it.", {}),
        (
            "First.\n\n    Second paragraph\n    of text.\n\n\n\n    Third.",
            "First.\n\nSecond paragraph\nof text.\n\nThird.",
            {},
        ),
    ],
)
def test_sections_give_parameter_texts_and_never_leak_into_the_description(
    text: str | None, description: str, parameters: dict[str, str]
) -> None:
    found = parse(text)
    assert (found.description, found.parameters) == (description, parameters)


def test_a_class_describes_its_attributes() -> None:
    found = parse("A place.\n\n    Attributes:\n        x: how far\n    ", attributes=True)
    assert (found.description, found.parameters) == ("A place.", {"x": "how far"})
    found = parse("A place.\n\n    Attributes\n    ----------\n    x : int\n        how far\n    ", attributes=True)
    assert (found.description, found.parameters) == ("A place.", {"x": "how far"})


@pytest.mark.parametrize(
    "text",
    [
        "Do it.\n\n        Args:\n            a: first\n                more\n        ",
        "Args:\n            a: first\n                more\n        ",
    ],
)
def test_a_docstring_that_the_compiler_dedented_reads_the_same(text: str) -> None:
    first, _, rest = text.partition("\n")
    assert parse(first + "\n" + textwrap.dedent(rest)) == parse(text)


def test_the_readers_agree_on_a_whole_function() -> None:
    # https://github.com/openai/openai-agents-python/pull/3832: no blank line before "Args:"
    schema = both(
        "def next_train(station: str, lang: str = 'en') -> str:\n"
        '    """Find the next train.\n    Args:\n        station: Where it leaves.\n        lang: en or de.\n'
        '    Returns:\n        A short text.\n    """\n'
    )
    assert schema.description == "Find the next train."
    assert schema.parameters == {
        "type": "object",
        "properties": {
            "station": {"type": "string", "description": "Where it leaves."},
            "lang": {"type": "string", "description": "en or de.", "default": "en"},
        },
        "required": ["station"],
    }


@pytest.mark.parametrize("dash", ["-", "--", "\u2013", "\u2014"])
def test_entries_can_be_set_off_by_dashes(dash: str) -> None:
    # https://github.com/run-llama/llama_index/issues/22687: entries without parentheses
    text = (
        f"Do it.\n\nArgs:\n    url {dash} Where it is:\n        all of it\n    n (int, optional) {dash} How often\n\n"
        "Returns:\n    Text."
    )
    assert parse(text) == Docstring("Do it.", {"url": "Where it is:\nall of it", "n": "How often"})


def test_a_dash_in_the_text_of_an_entry_begins_no_other() -> None:
    text = "Do it.\n\nArgs:\n    mode: one of\n    fast - no checks\n    well-known: yes"
    assert parse(text).parameters == {"mode": "one of\nfast - no checks\nwell-known: yes"}
