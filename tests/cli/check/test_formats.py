"""What machines read: workflow commands and SARIF."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import jsonschema
import pytest

from adal_ls.cli.check.reports import github
from adal_ls.cli.sources import Source
from adal_ls.lint import Finding, Position, Range, Severity
from tests.cli.conftest import Run

FAULTY = '''\
def f(x: str) -> str:
    """Do f."""
    return x


CUSTOM_TOOLS = [{"function": f, "name": "50%, a:b\\n"}, f, f]
'''
UNFINISHED = "def f(x: str -> str:\n    return x\n"


def _text(required: bool = True) -> dict[str, Any]:
    shape = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}}
    return {**shape, "required": ["text"]} if required else shape


def _shape(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


NUMBER = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
FILE = _shape({"uri": {"type": "string", "format": "uri-reference"}, "uriBaseId": {"type": "string"}})
REGION = _shape(dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), NUMBER))
PLACE = _shape({"artifactLocation": FILE, "region": REGION})
LOCATION = _shape({"id": {"type": "integer", "minimum": -1}, "message": _text(), "physicalLocation": PLACE})
FIX = _shape(
    {
        "description": _text(),
        "artifactChanges": _list(
            _shape(
                {
                    "artifactLocation": FILE,
                    "replacements": {
                        **_list(_shape({"deletedRegion": REGION, "insertedContent": _text(False)}, "deletedRegion")),
                        "minItems": 1,
                    },
                },
                "artifactLocation",
                "replacements",
            )
        ),
    },
    "artifactChanges",
)
RULE = _shape(
    {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "shortDescription": _text(),
        "fullDescription": _text(),
        "helpUri": {"type": "string", "format": "uri"},
        "help": _text(),
        "defaultConfiguration": _shape({"level": LEVEL}),
    },
    "id",
)
RESULT = _shape(
    {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": LEVEL,
        "message": _text(),
        "locations": _list(LOCATION),
        "relatedLocations": _list(LOCATION),
        "fixes": _list(FIX),
    },
    "message",
)
RUN = _shape(
    {
        "tool": _shape(
            {
                "driver": _shape(
                    {"name": {"type": "string"}, "semanticVersion": {"type": "string"}, "rules": _list(RULE)}, "name"
                )
            },
            "driver",
        ),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "originalUriBaseIds": {"type": "object", "additionalProperties": FILE},
        "invocations": _list(_shape({"executionSuccessful": {"type": "boolean"}}, "executionSuccessful")),
        "results": _list(RESULT),
    },
    "tool",
)
SARIF = _shape(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": _list(RUN),
    },
    "version",
    "runs",
)
"""What the schema of SARIF 2.1.0 asks of the parts that are used here; a member it does not know is refused."""


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository with a project in a folder of its own, whose name needs escaping."""
    (project / ".git").mkdir()
    (project / ".adal" / "tools.py").unlink()
    folder = project / "my tools, 100%"
    (folder / ".adal").mkdir(parents=True)
    (folder / ".adal" / "tools.py").write_text(FAULTY)
    return project


def sarif(adal_ls: Run, *arguments: str, cwd: Path | None = None) -> tuple[int, dict[str, Any]]:
    done = adal_ls("check", "--format", "sarif", *arguments, cwd=cwd)
    log = json.loads(done.stdout)
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    return done.returncode, run


def test_a_workflow_command_names_the_file_in_the_repository_and_escapes_what_would_end_it(
    adal_ls: Run, repository: Path
) -> None:
    done = adal_ls("check", "--format", "github", cwd=repository / "my tools, 100%")
    assert done.returncode == 1
    name, duplicate = done.stdout.splitlines()
    assert name.startswith(
        "::error file=my tools%2C 100%25/.adal/tools.py,line=6,endLine=6,col=41,endColumn=53,"
        "title=ADAL101 invalid-identifier::"
    )
    assert "50%25, a:b" in name.split("::", 2)[2]
    assert duplicate.startswith("::error file=")
    assert done.stderr == "2 errors, 0 warnings in 1 file\n"


def test_columns_are_left_out_where_a_finding_has_several_lines() -> None:
    source = Source("tools.py", "", ())
    spread = Finding("ADAL203", "n", Severity.ERROR, "m", Range(Position(1, 4), Position(3, 1)))
    assert github.command(source, "tools.py", spread) == (
        "::error file=tools.py,line=2,endLine=4,title=ADAL203 n::tools.py:2:5: ADAL203 m"
    )


def test_no_text_can_begin_a_command_of_its_own() -> None:
    place = Range(Position(0, 0), Position(0, 1))
    sly = Finding("ADAL101", "n", Severity.ERROR, "a\n::set-env name=X::y\r\u2028%0A", place)
    (line,) = github.command(Source("a\n::error::b", "", ()), "a\n::error::b", sly).splitlines()
    assert line == (
        "::error file=a%0A%3A%3Aerror%3A%3Ab,line=1,endLine=1,col=1,endColumn=2,title=ADAL101 n::"
        "a%0A::error::b:1:1: ADAL101 a%0A::set-env name=X::y\\u{d}\\u{2028}%250A"
    )


def test_warnings_and_hints_have_their_own_commands(adal_ls: Run, repository: Path) -> None:
    (repository / "my tools, 100%" / ".adal" / "tools.py").write_text(
        "def f(x):\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"
    )
    done = adal_ls("check", "--format", "github")
    assert done.returncode == 0
    assert {line.split(" ")[0] for line in done.stdout.splitlines()} == {"::warning", "::notice"}


def test_without_a_repository_the_checkout_of_the_workflow_counts(
    adal_ls: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".adal" / "tools.py").write_text(FAULTY)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.parent))
    assert "file=project/.adal/tools.py," in adal_ls("check", "--format", "github").stdout


def test_sarif_has_the_shape_of_its_schema_and_places_that_lead_to_the_file(adal_ls: Run, repository: Path) -> None:
    code, run = sarif(adal_ls)
    assert code == 1
    name, duplicate = run["results"]
    place = name["locations"][0]["physicalLocation"]
    base = run["originalUriBaseIds"][place["artifactLocation"]["uriBaseId"]]["uri"]
    file = Path(unquote(urlparse(base + place["artifactLocation"]["uri"]).path))
    assert base.endswith("/")
    assert file.samefile(repository / "my tools, 100%" / ".adal" / "tools.py")
    assert place["region"] == {"startLine": 6, "startColumn": 41, "endLine": 6, "endColumn": 53}
    assert (name["ruleId"], name["level"]) == ("ADAL101", "error")
    assert duplicate["relatedLocations"][0]["message"]["text"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["ADAL101", "ADAL103"]
    assert rules[0]["helpUri"].endswith("/docs/rules.md#adal101-invalid-identifier")


def test_a_fix_in_sarif_makes_the_text_that_fix_makes(adal_ls: Run, repository: Path) -> None:
    tools = repository / "my tools, 100%" / ".adal" / "tools.py"
    tools.write_text(FAULTY.replace(", f, f]", "]"))
    _, run = sarif(adal_ls)
    (replacement,) = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
    lines, region = tools.read_text().split("\n"), replacement["deletedRegion"]
    line = lines[region["startLine"] - 1]
    lines[region["startLine"] - 1] = (
        line[: region["startColumn"] - 1] + replacement["insertedContent"]["text"] + line[region["endColumn"] - 1 :]
    )
    adal_ls("check", "--fix")
    assert tools.read_text() == "\n".join(lines)


def test_a_clean_project_is_an_empty_sarif_run_and_an_unreadable_file_an_unsuccessful_one(
    adal_ls: Run, repository: Path
) -> None:
    tools = repository / "my tools, 100%" / ".adal" / "tools.py"
    tools.write_text("CUSTOM_TOOLS = []\n")
    code, run = sarif(adal_ls)
    assert (code, run["results"], run["invocations"]) == (0, [], [{"executionSuccessful": True}])
    tools.unlink()
    code, run = sarif(adal_ls, os.fspath(tools))
    assert (code, run["invocations"]) == (2, [{"executionSuccessful": False}])
    assert [result["ruleId"] for result in run["results"]] == ["ADAL003"]


def test_a_file_outside_of_the_repository_is_named_by_its_whole_path(adal_ls: Run, repository: Path) -> None:
    elsewhere = repository.parent / "elsewhere.py"
    elsewhere.write_text(UNFINISHED)
    _, run = sarif(adal_ls, str(elsewhere))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": elsewhere.resolve().as_uri()
    }
