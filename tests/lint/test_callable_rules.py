from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
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
        "def mark(fn):\n    def i(*a):\n        return fn(*a)\n    i.__name__ = fn.__name__\n    return i\n",
        "def mark(fn):\n    def inner(*a):\n        return fn(*a)\n    return functools.update_wrapper(inner, fn)\n",
        "def mark(fn):\n    @wrapt.decorator\n    def wrapper(*a):\n        return fn(*a)\n    return wrapper\n",
        "from pack import mark\n",
    ],
)
def test_decorators_that_keep_the_signature_or_are_not_known_are_fine(decorator: str) -> None:
    source = f"import functools\nimport wrapt\nREGISTRY = []\n{decorator}\n\n@mark\ndef f(x: str):\n    'Do f.'\n"
    assert codes(f"{source}\n\nCUSTOM_TOOLS = [f]\n") == []
