"""On code as people write it the lint is quiet: it warns of what was planted, and of nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from adal_ls.lint import Severity, check, read
from tests.lint.corpus import FAULTS, SIZE, ToolsFile, corpus

FILES = list(corpus())


def loud(file: ToolsFile, severity: Severity) -> set[str]:
    return {finding.code for finding in check(read(file.text)) if finding.severity is severity}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.number))
def test_a_file_has_no_error_and_exactly_the_warnings_that_were_planted(file: ToolsFile) -> None:
    assert read(file.text).syntax == ()
    assert loud(file, Severity.ERROR) == set()
    assert loud(file, Severity.WARNING) == file.planted


def test_most_files_are_clean_and_every_fault_is_planted_somewhere() -> None:
    planted = Counter(code for file in FILES for code in file.planted)
    assert len(FILES) == SIZE >= 200
    assert set(planted) == set(FAULTS)
    assert sum(not file.planted for file in FILES) > SIZE / 2


def test_no_function_has_two_hints_of_one_rule() -> None:
    for file in FILES:
        model = read(file.text)
        hints = [finding for finding in check(model) if finding.severity is Severity.HINT]
        for function in model.bindings.functions():
            inside = Counter(finding.code for finding in hints if function.range.contains(finding.range))
            assert set(inside.values()) <= {1}
