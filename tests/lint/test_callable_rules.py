from __future__ import annotations

import pytest

from adal_ls.lint import RULES, Severity, check, read
from tests.lint.marks import codes, marked, only

DESK = """\
class Desk:
    def lookup(self, q: str) -> str:
        'Look up a person.'
        return q

    @classmethod
    def open(cls, q: str) -> str:
        'Open a desk.'
        return q

    @staticmethod
    def count(q: str) -> str:
        'Count desks.'
        return q


_desk = Desk()
"""

WRAPS = """\
import functools


def log_ok(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper


def log_bad(fn):
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper


@log_ok
def good(x: int) -> str:
    'Good.'
    return str(x)


@log_bad
def bad(x: int) -> str:
    'Bad.'
    return str(x)


@log_bad
def bad_two(x: int) -> str:
    'Bad two.'
    return str(x)


"""


def test_a_method_listed_through_its_class_is_a_warning_on_the_entry() -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    source = f"{DESK}CUSTOM_TOOLS = [Desk.lookup, _desk.lookup]\n"
    finding = only(source, "ADAL213")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, "Desk.lookup")
    assert "'self'" in finding.message


@pytest.mark.parametrize("entry", ["_desk.lookup", "Desk.open", "_desk.open", "Desk.count", "Desk.other", "pack.f"])
def test_methods_that_get_their_first_parameter_or_are_not_known_are_fine(entry: str) -> None:
    assert codes(f"import pack\n{DESK}CUSTOM_TOOLS = [{entry}]\n") == []


def test_a_wrapper_without_wraps_is_a_warning_for_each_tool_and_no_duplicate() -> None:
    # https://github.com/aliasrobotics/cai/blob/7ec0b4ccf2/src/cai/tools/network/capture_traffic.py
    source = f"{WRAPS}CUSTOM_TOOLS = [good, bad, bad_two]\n"
    findings = check(read(source))
    assert [(f.code, f.severity, marked(source, f)) for f in findings] == [
        ("ADAL214", Severity.WARNING, "log_bad"),
        ("ADAL214", Severity.WARNING, "log_bad"),
    ]
    assert "'wrapper' and its *args/**kwargs hide the signature of 'bad_two'" in findings[1].message


def test_a_decorator_with_arguments_is_looked_into() -> None:
    factory = (
        "def log(level):\n    def decorate(fn):\n        def wrapper(*args):\n            return fn(*args)\n"
        "        return wrapper\n    return decorate\n\n\n"
        "@log(1)\ndef f(x: str) -> str:\n    'Do f.'\n    return x\n\n\n"
        "CUSTOM_TOOLS = [f]\n"
    )
    assert codes(factory) == ["ADAL214"]


@pytest.mark.parametrize(
    "decorator",
    [
        "def mark(fn):\n    return fn\n",
        "def mark(fn):\n    REGISTRY.append(fn)\n    return fn\n",
        "def mark(fn):\n    def i(x: str):\n        return fn(x)\n    i.__name__ = fn.__name__\n    return i\n",
        "def mark(fn):\n    def i(*a):\n        return fn(*a)\n    i.__wrapped__ = fn\n    return i\n",
        "def mark(fn):\n    def inner(*a):\n        return fn(*a)\n    return functools.update_wrapper(inner, fn)\n",
        "def mark(fn):\n    @wrapt.decorator\n    def wrapper(*a):\n        return fn(*a)\n    return wrapper\n",
        "from pack import mark\n",
    ],
)
def test_decorators_that_keep_the_signature_or_are_not_known_are_fine(decorator: str) -> None:
    source = f"import functools\nimport wrapt\nREGISTRY = []\n{decorator}\n\n@mark\ndef f(x: str):\n    'Do f.'\n"
    assert codes(f"{source}\n\nCUSTOM_TOOLS = [f]\n") == []


def test_a_function_of_no_class_with_a_self_is_left_out_and_said_to_be() -> None:
    source = "def find(self, q: str) -> str:\n    'Find.'\n    return q\n\n\nCUSTOM_TOOLS = [find]\n"
    [finding] = check(read(source))
    assert (finding.code, marked(source, finding)) == ("ADAL213", "find")
    assert "'self'" in finding.message
    filled = source.replace("[find]", '[{"function": partial(find, None), "name": "find"}]')
    assert codes(f"from functools import partial\n{filled}") == []


def test_a_wrapper_that_gets_a_name_alone_hides_the_parameters() -> None:
    bad = WRAPS.replace("\n    return wrapper\n", "\n    wrapper.__name__ = fn.__name__\n    return wrapper\n")
    finding = only(f"{bad}CUSTOM_TOOLS = [good, bad]\n", "ADAL214")
    assert finding.message.startswith("The *args/**kwargs of 'wrapper' hide the signature of 'bad'")
    own = bad.replace("def wrapper(*args, **kwargs)", "def wrapper(x: int)")
    assert codes(f"{own}CUSTOM_TOOLS = [good, bad]\n") == []


CLASS = """\
import functools


class Tool:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


@Tool
def f(x: int) -> str:
    'Do f.'
    return str(x)


CUSTOM_TOOLS = [f]
"""


def test_objects_that_take_the_place_of_a_function_hide_its_signature() -> None:
    finding = only(CLASS, "ADAL214")
    assert (finding.severity, marked(CLASS, finding)) == (Severity.WARNING, "Tool")
    assert "update_wrapper" in finding.message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.fn = fn", "functools.update_wrapper(self, fn)"),
        ("self.fn = fn", "self.__wrapped__ = fn"),
        ("class Tool:", "class Tool(Base):"),
        ("def __call__", "def run"),
        ("def __init__(self, fn):", "def __new__(cls, fn):\n        return fn\n\n    def __init__(self, fn):"),
    ],
)
def test_classes_that_keep_the_signature_or_are_not_known_are_fine(before: str, after: str) -> None:
    assert "ADAL214" not in codes(CLASS.replace(before, after))


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from contextlib import contextmanager", "contextmanager"),
        ("import contextlib as c", "c.contextmanager"),
        ("from contextlib import asynccontextmanager as managed", "managed"),
    ],
)
def test_a_context_manager_is_no_tool(imports: str, decorator: str) -> None:
    # https://github.com/aliasrobotics/cai/blob/7ec0b4ccf2/src/cai/tools/network/capture_traffic.py
    source = f"{imports}\n@{decorator}\ndef f(x: str):\n    'Do f.'\n    yield x\n\n\nCUSTOM_TOOLS = [f]\n"
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL218", Severity.WARNING)
    assert marked(source, finding) == decorator


def test_a_tool_that_uses_a_context_manager_is_fine() -> None:
    assert codes(RULES["ADAL218"].passing) == []
