from __future__ import annotations

import functools
from typing import Any

import pytest

from adal_ls.sdk import InvalidConfigError
from adal_ls.sdk.toolset import read_tool_set


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


class Sum:
    def __call__(self, a: int) -> int:
        return a


def test_a_set_is_a_mapping_or_a_list_or_a_tuple_of_functions_and_dicts() -> None:
    entry = {"function": add, "description": "Sum.", "require_approval": False}
    for tools in ({"add": entry}, [entry], (entry,)):
        (read,) = read_tool_set(tools)
        assert (read.name, read.function, read.description, read.require_approval) == ("add", add, "Sum.", False)
    assert read_tool_set({"plus": add})[0].name == "plus"
    assert read_tool_set([add])[0].require_approval is True


def test_what_has_no_name_of_its_own_gets_one_from_its_key() -> None:
    for function in (functools.partial(add, 1), Sum(), lambda a: a):
        assert read_tool_set({"plus": function})[0].function is function
        with pytest.raises(InvalidConfigError, match="no name of its own"):
            read_tool_set([function])


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        (7, "a tool set is a mapping of names to tools"),
        ("add", "a tool set is a mapping of names to tools"),
        ((add for _ in range(1)), "a tool set is a mapping of names to tools"),
        ({7: add}, "the names of a tool set are strings"),
        ([add, 7], "entry 1 of the tool set must be a function"),
        ([Sum], "not the class Sum"),
        ([{"name": "x"}], "must be a function or a dict"),
        ([{"function": add, "nmae": "x"}], "unknown key 'nmae'"),
        ([{"function": add, "name": 7}], "name must be text"),
        ([{"function": add, "require_approval": "no"}], "require_approval must be True or False"),
        ({"create-ticket": add}, "not a Python identifier"),
        ({"class": add}, "or a keyword"),
        ({"plus": {"function": add, "name": "minus"}}, "also has the name 'minus'"),
        ([add, add], "used twice"),
    ],
)
def test_what_is_wrong_with_a_set_is_said_with_its_place(tools: Any, told: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        read_tool_set(tools)
    assert told in str(caught.value)
