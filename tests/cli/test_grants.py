"""`adal-ls grants` and `adal-ls runs decisions`, as a person runs them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adal_ls.agent.approvals.grants import Grant, Grants
from adal_ls.agent.approvals.rules import Rule
from adal_ls.agent.files.paths import workspace_dir
from tests.cli.conftest import Run


def remember(project: Path, rule: Rule) -> Grant:
    grant = Grant("bash", rule, "code", str(project.resolve()), "workspace")
    Grants().add(grant)
    return grant


def test_remembered_approvals_are_listed_with_their_rule_word_for_word(adal_ls: Run, project: Path) -> None:
    remember(project, Rule("words", "git log"))
    remember(project, Rule("arguments", "digest", '{"command":"ls \u202ex"}'))
    listed = adal_ls("grants", "list")
    assert listed.returncode == 0
    assert "bash: commands that begin with git log – and after it only plain words" in listed.stdout
    assert "\\u{202e}" in listed.stdout
    assert len(listed.stdout.splitlines()) == 2
    told = json.loads(adal_ls("grants", "list", "--format", "json").stdout)
    assert sorted((grant["covers"], grant["scope"]) for grant in told) == [
        ("arguments", "workspace"),
        ("pattern", "workspace"),
    ]


def test_a_grant_is_revoked_by_the_beginning_of_its_id_and_all_at_once(adal_ls: Run, project: Path) -> None:
    grants = [remember(project, Rule("words", word)) for word in ("ls", "pwd", "id")]
    done = adal_ls("grants", "revoke", grants[0].grant_id[:12])
    assert (done.returncode, done.stdout.startswith("Forgotten: bash: commands that begin with ls")) == (0, True)
    assert len(adal_ls("grants", "list").stdout.splitlines()) == 2
    assert "2 approvals forgotten" in adal_ls("grants", "revoke", "--all").stdout
    empty = adal_ls("grants", "list")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert "No approvals are remembered" in empty.stderr


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (("revoke", "zzzz"), 1, "adal-ls grants list"),
    (("revoke",), 2, "--all"),
    (("revoke", "x", "--all"), 2, "--all"),
])  # fmt: skip
def test_what_cannot_be_revoked_says_the_way_out(
    adal_ls: Run, project: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    remember(project, Rule("words", "ls"))
    done = adal_ls("grants", *arguments)
    assert done.returncode == code
    assert said in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_grants_that_somebody_was_at_are_told_and_can_be_removed(adal_ls: Run, project: Path) -> None:
    remember(project, Rule("words", "ls"))
    (file,) = (workspace_dir(project) / "grants").iterdir()
    file.chmod(0o666)
    listed = adal_ls("grants", "list")
    assert listed.returncode == 1
    assert "do not count" in listed.stderr
    assert adal_ls("grants", "revoke", "--all").returncode == 0
    assert adal_ls("grants", "list").returncode == 0


def test_the_decision_log_says_what_was_decided_by_whom_and_why(adal_ls: Run) -> None:
    assert "No decisions" in adal_ls("runs", "decisions").stderr
    adal_ls("run", "--trust", "-q", "double(number=2)")
    adal_ls("run", "--trust", "-q", "note(text='a')")
    adal_ls("run", "--trust", "--yolo", "-q", "note(text='b')")
    lines = adal_ls("runs", "decisions").stdout.splitlines()
    assert [line.split()[2:4] for line in lines] == [["allow", "note"], ["deny", "note"], ["allow", "double"]]
    assert 'note {"text": "b"} (by mode, mode yolo)' in lines[0]
    assert "(by no approver, mode default): nobody could be asked" in lines[1]
    assert "(by require_approval, mode default)" in lines[2]
    told = json.loads(adal_ls("runs", "decisions", "--format", "json", "--limit", "1").stdout)
    assert [entry["arguments"] for entry in told] == [{"text": "b"}]
    one = adal_ls("runs", "decisions", told[0]["runId"][:8]).stdout
    assert len(one.splitlines()) == 1


def test_what_an_agent_wrote_is_loaded_only_after_a_person_says_so(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    more = "\nopen('canary', 'w').close()\n"
    tools.write_text(
        tools.read_text().replace('open("notes.txt", "a")', 'open(".adal/tools.py", "a")'), encoding="utf-8"
    )
    adal_ls("trust")
    assert adal_ls("run", "--yolo", "-q", f"note(text={more!r})").returncode == 0
    refused = adal_ls("run", "--yolo", "-q", "double(number=2)")
    assert refused.returncode == 1
    assert "the agent may have written it" in refused.stderr
    assert "adal-ls trust" in refused.stderr
    assert adal_ls("tools", "call", "double", "--args", '{"number": 2}').returncode == 1
    assert not (project / "canary").exists()
    adal_ls("trust")
    assert adal_ls("run", "--yolo", "-q", "double(number=2)").returncode == 0
    assert (project / "canary").exists()
