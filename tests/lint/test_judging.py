from __future__ import annotations

import pytest

from adal_ls.lint import Config, Lines, Severity, check, read
from adal_ls.lint.judging import Judgement, judged, needs_judgement
from tests import pythons

GOOD = '''\
def f(x: str) -> str:
    """Do f.

    Args:
        x: It.
    """
    return x


CUSTOM_TOOLS = [f]
'''
UNKNOWN = GOOD + "lazy import json\n"
NEXT = (3, 99)


def test_our_own_python_need_not_be_asked_and_a_newer_one_only_over_what_ours_refuses() -> None:
    good, unknown = check(read(GOOD)), check(read(UNKNOWN))
    assert not needs_judgement(good, pythons.OWN)
    assert not needs_judgement(unknown, pythons.OWN)
    assert not needs_judgement(good, NEXT)
    assert needs_judgement(unknown, NEXT)
    assert needs_judgement(good, (3, 9))


def test_what_a_newer_python_takes_is_no_error_though_ours_knows_nothing_of_it() -> None:
    (finding,) = judged(check(read(UNKNOWN)), Lines(UNKNOWN), Judgement(NEXT))
    assert (finding.code, finding.severity, finding.range.start.line) == ("ADAL004", Severity.INFORMATION, 10)
    assert "3.99 reads this" in finding.message


def test_what_both_refuse_keeps_its_place_and_words() -> None:
    findings = check(read(UNKNOWN))
    assert judged(findings, Lines(UNKNOWN), Judgement(NEXT, "invalid syntax", 1, 1)) == findings


@pytest.mark.parametrize(
    ("line", "column", "place"),
    [(8, 4, (7, 0)), (7, 5, (6, 4)), (0, 0, (0, 0)), (99, 99, (10, 0)), (1, 999, (0, 20))],
)
def test_what_an_older_python_refuses_is_an_error_where_it_says(line: int, column: int, place: tuple[int, int]) -> None:
    (finding,) = judged(check(read(GOOD), Config()), Lines(GOOD), Judgement((3, 9), "invalid syntax", line, column))
    assert (finding.code, finding.severity) == ("ADAL001", Severity.ERROR)
    assert finding.range.start == place
    assert "says Python 3.9" in finding.message
