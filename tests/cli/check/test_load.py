"""`check --load`: what only an import of the files tells, at its line, in every format, and only with trust."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

TOOLS_FILE, HELPERS_FILE = (str(Path(".adal", name)) for name in ("tools.py", "helpers.py"))

GOOD = '''\
def double(number: int) -> int:
    """Double a number.

    Args:
        number: The number.
    """
    return number * 2


CUSTOM_TOOLS = [double]
'''


@pytest.fixture
def tools(project: Path) -> Path:
    file = project / ".adal" / "tools.py"
    file.write_text(GOOD)
    return file


def told(adal_ls: Run, *options: str) -> list[dict[str, Any]]:
    done = adal_ls("check", "--load", "--trust", "--format", "json", *options)
    diagnostics: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    assert done.returncode == (1 if any(one["severity"] == "error" for one in diagnostics) else 0)
    return diagnostics


def places(diagnostics: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    starts = [one["range"]["start"] for one in diagnostics]
    return [
        (one["code"], one["path"], start["line"], start["column"])
        for one, start in zip(diagnostics, starts, strict=True)
    ]


def test_a_file_that_loads_as_its_text_says_has_no_findings(adal_ls: Run, tools: Path) -> None:
    done = adal_ls("check", "--load", "--trust")
    assert (done.returncode, done.stdout, done.stderr) == (0, "no errors in 1 file\n", "")


def test_nothing_is_loaded_without_trust_and_a_remembered_one_is_enough(
    adal_ls: Run, project: Path, tools: Path
) -> None:
    tools.write_text(f"open('loaded', 'w').close()\n{GOOD}")
    refused = adal_ls("check", "--load")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "not trusted" in refused.stderr
    assert refused.stderr.rstrip().endswith(f"adal-ls trust {project}")
    assert str(project) in refused.stderr
    assert adal_ls("check").returncode == 0
    assert not (project / "loaded").exists()
    assert adal_ls("trust").returncode == 0
    assert adal_ls("check", "--load").returncode == 0
    assert (project / "loaded").exists()


def test_one_project_without_trust_keeps_all_from_being_loaded(adal_ls: Run, project: Path, tools: Path) -> None:
    tools.write_text(f"open('loaded', 'w').close()\n{GOOD}")
    (project / "service" / ".adal").mkdir(parents=True)
    (project / "service" / ".adal" / "tools.py").write_text(GOOD)
    assert adal_ls("trust").returncode == 0
    assert adal_ls("check", "--load").returncode == 2
    assert not (project / "loaded").exists()
    assert adal_ls("trust", "service").returncode == 0
    assert adal_ls("check", "--load").stdout == "no errors in 2 files\n"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("    raise ValueError('no such region')", "ADAL901", "no such region"),
        ("    import surely_not_installed", "ADAL902", "surely_not_installed"),
        ("    raise SystemExit(3)", "ADAL901", "ends the program"),
    ],
)
def test_a_failed_import_is_an_error_at_the_line_to_blame(
    adal_ls: Run, tools: Path, line: str, code: str, words: str
) -> None:
    tools.write_text(f"if True:\n{line}\n{GOOD}")
    (found,) = [one for one in told(adal_ls) if one["code"].startswith("ADAL9")]
    assert places([found]) == [(code, TOOLS_FILE, 2, 5)]
    assert found["range"]["end"] == {"line": 2, "column": len(line) + 1}
    assert words in found["message"]
    assert (found["severity"], found["fixable"]) == ("error", False)


def test_a_failure_in_a_module_stands_in_that_module_also_where_no_tool_is_in_it(adal_ls: Run, tools: Path) -> None:
    (tools.parent / "helpers.py").write_text("LIMIT = 3\nLIMIT.nothing\n")
    tools.write_text(f"import helpers\n{GOOD}")
    found = told(adal_ls)
    assert places(found) == [("ADAL901", HELPERS_FILE, 2, 1)]
    annotated = adal_ls("check", "--load", "--trust", "--format", "github").stdout
    assert annotated.startswith("::error file=")
    assert "helpers.py,line=2," in annotated
    assert adal_ls("check", "--load", "--trust").stdout.splitlines()[-1] == "1 error, 0 warnings in 2 files"


def test_a_syntax_error_that_both_find_is_told_once(adal_ls: Run, tools: Path) -> None:
    tools.write_text(GOOD.replace("number: int", "number: int ="))
    assert [one["code"] for one in told(adal_ls)] == ["ADAL001"]


def test_what_is_loaded_and_not_what_the_text_shows_is_told(adal_ls: Run, tools: Path) -> None:
    tools.write_text(f"{GOOD}double.__doc__ = 'Something else.'\nglobals()['CUSTOM_TOOLS'].append(double.__class__)\n")
    (found,) = told(adal_ls)
    assert places([found]) == [("ADAL905", TOOLS_FILE, 1, 5)]
    assert "'double'" in found["message"]
    tools.write_text(f"{GOOD}globals()['CUSTOM_TOOLS'].clear()\n")
    (found,) = told(adal_ls)
    assert (found["severity"], found["code"]) == ("error", "ADAL905")


def test_configuration_and_comments_have_a_say(adal_ls: Run, project: Path, tools: Path) -> None:
    tools.write_text(f"import surely_not_installed  # adal: ignore[missing-package]\n{GOOD}")
    assert told(adal_ls) == []
    tools.write_text(f"import surely_not_installed\n{GOOD}")
    assert told(adal_ls, "--ignore", "ADAL9") == []
    (project / "pyproject.toml").write_text('[tool.adal-ls.severity]\nADAL902 = "warning"\n')
    assert [(one["code"], one["severity"]) for one in told(adal_ls)] == [("ADAL902", "warning")]


def test_sarif_explains_the_rule(adal_ls: Run, tools: Path) -> None:
    tools.write_text(f"1 / 0\n{GOOD}")
    (run,) = json.loads(adal_ls("check", "--load", "--trust", "--format", "sarif").stdout)["runs"]
    assert [(rule["id"], rule["name"]) for rule in run["tool"]["driver"]["rules"]] == [("ADAL901", "ImportFailed")]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def test_fixes_come_first_and_the_fixed_file_is_loaded(adal_ls: Run, tools: Path) -> None:
    tools.write_text(GOOD.replace("[double]", '[{"function": double, "name": "double-it"}]'))
    done = adal_ls("check", "--fix", "--load", "--trust")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "no errors in 1 file")
    assert "double_it" in tools.read_text()


def test_syntax_that_the_python_of_the_tools_took_is_no_news(adal_ls: Run, tools: Path) -> None:
    tools.write_text(GOOD.replace("number * 2", "number * 3"))
    found = told(adal_ls, "--python", sys.executable)
    assert found == []


@pytest.mark.parametrize(
    "given",
    [
        ("--trust",),
        ("--load", "--diff"),
        ("--load", "--watch"),
        ("--load", "-"),
        ("--load", "--trust", "--python", "3.99"),
    ],
)
def test_what_makes_no_sense_with_it_is_wrong_usage(adal_ls: Run, tools: Path, given: tuple[str, ...]) -> None:
    done = adal_ls("check", *given)
    assert done.returncode == 2
    assert "--load" in done.stderr


def test_a_file_of_no_project_cannot_be_loaded(adal_ls: Run, project: Path) -> None:
    (project / "other.py").write_text(GOOD)
    done = adal_ls("check", "--load", "--trust", "other.py")
    assert done.returncode == 2
    assert "other.py is no" in done.stderr


def test_rules_of_loading_are_explained(adal_ls: Run) -> None:
    assert adal_ls("rule", "ADAL901").stdout.startswith("ADAL901 import-failed (error)\n")
    assert "ADAL905" in adal_ls("rule").stdout
