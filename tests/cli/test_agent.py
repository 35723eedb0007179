"""`adal-ls agent`, as a person runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

AGENTS = '''
from pathlib import Path
from adal_ls import InvalidContextError, create_runtime, create_tool_provider

LOG = Path(__file__).parent.parent / "log.txt"


def tools(ctx):
    with LOG.open("a") as log:
        log.write(f"{ctx.agent_call_id} {ctx.memory_scope} {ctx.tool_provider_context!r}\\n")
    if ctx.tool_provider_context == "bad":
        raise InvalidContextError("not this one")

    def where() -> str:
        """Tell the context."""
        return repr(ctx.tool_provider_context)

    return [{"function": where, "require_approval": False}, {"function": where, "name": "asks"}]


runtime = create_runtime(model="script:turns.json")
AGENTS = [
    runtime.create_agent("teller", description="Tells.", tools=create_tool_provider(get_tools=tools)),
    create_runtime().create_agent("plain"),
]
'''


@pytest.fixture
def agents(project: Path) -> Path:
    """The project, with agents beside its tools, and trusted."""
    (project / ".adal" / "agents.py").write_text(AGENTS)
    script(project, {"calls": [{"name": "where"}]}, {"text": "told"})
    return project


def script(project: Path, *turns: dict[str, Any]) -> None:
    (project / "turns.json").write_text(json.dumps(list(turns)))


def log(project: Path) -> list[list[str]]:
    return [line.split(" ", 2) for line in (project / "log.txt").read_text().splitlines()]


def test_c3_the_list_marks_agents_whose_tools_depend_on_a_context(adal_ls: Run, agents: Path) -> None:
    done = adal_ls("agent", "list", "--trust")
    assert (done.returncode, done.stdout, done.stderr) == (0, "teller (tool-context)\nplain\n", "")
    listed = json.loads(adal_ls("agent", "list", "--trust", "--format", "json").stdout)
    assert [(agent["id"], agent["toolContext"]) for agent in listed] == [("teller", True), ("plain", False)]
    assert listed[0]["complete"] is False
    assert listed[0]["projectRoot"] == str(agents)


def test_a_project_without_an_agents_file_has_the_agent_default(adal_ls: Run) -> None:
    assert adal_ls("agent", "list", "--trust").stdout == "default\n"


def test_a_folder_with_agents_alone_is_a_project_from_any_folder_in_it(adal_ls: Run, agents: Path) -> None:
    (agents / ".adal" / "tools.py").unlink()
    (agents / "src").mkdir()
    done = adal_ls("agent", "list", "--trust", cwd=agents / "src")
    assert done.stdout == "teller (tool-context)\nplain\n"
    assert f"Project: {agents}" in done.stderr
    assert adal_ls("check", cwd=agents).stdout == "no errors in 1 file\n"


def test_a_run_prints_its_call_id_its_scope_and_then_the_answer(adal_ls: Run, agents: Path) -> None:
    done = adal_ls("agent", "run", "teller", "--input", "go", "-c", '{"root": "/tmp/work"}', "--trust")
    assert done.returncode == 0, done.stderr
    first, second, *answer = done.stdout.splitlines()
    ((call_id, scope, context),) = log(agents)
    assert (first, second) == (f"agentCallId {call_id}", f"memoryScope {scope}")
    assert answer == ["told"]
    assert context == "{'root': '/tmp/work'}"


@pytest.mark.parametrize(
    ("given", "seen"), [([], "None"), (["-c", "null"], "None"), (["-c", "7"], "7"), (["--tool-context=[1]"], "[1]")]
)
def test_c2_any_json_value_is_passed_on_and_without_the_option_there_is_none(
    adal_ls: Run, agents: Path, given: list[str], seen: str
) -> None:
    adal_ls("run", "--agent", "teller", "-q", "go", "--trust", *given)
    ((_, _, context),) = log(agents)
    assert context == seen


@pytest.mark.parametrize(
    "command", [["agent", "run", "teller", "--input", "x"], ["run", "--agent", "teller", "-q", "x"]]
)
def test_c1_a_context_that_is_no_json_is_wrong_usage_with_its_code(
    adal_ls: Run, agents: Path, command: list[str]
) -> None:
    done = adal_ls(*command, "--trust", "-c", "{oops")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "INVALID_INPUT: Could not parse --tool-context as JSON: " in done.stderr
    assert not (agents / "log.txt").exists()


def test_c4_an_unknown_agent_is_named_with_those_there_are(adal_ls: Run, agents: Path) -> None:
    done = adal_ls("agent", "run", "nobody", "--input", "x", "--trust")
    assert (done.returncode, done.stdout) == (1, "")
    assert "UNKNOWN_AGENT: there is no agent 'nobody'; the agents there are: teller, plain" in done.stderr
    (agents / ".adal" / "agents.py").unlink()
    done = adal_ls("run", "--agent", "nobody", "-q", "x", "--trust", "-o", "json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["error"].startswith("UNKNOWN_AGENT: ")


def test_an_error_of_a_provider_ends_the_run_with_its_code_and_its_place(adal_ls: Run, agents: Path) -> None:
    done = adal_ls("agent", "run", "teller", "--input", "x", "--trust", "-c", '"bad"')
    assert done.returncode == 1
    assert "Error: INVALID_CONTEXT: not this one" in done.stderr
    assert "agents.py" in done.stderr
    assert 'raise InvalidContextError("not this one")' in done.stderr


def test_a_scope_goes_on_and_is_what_providers_see(adal_ls: Run, agents: Path) -> None:
    for _ in range(2):
        done = adal_ls("agent", "run", "teller", "--input", "go", "--scope", "trip", "--trust")
        assert "memoryScope trip" in done.stdout
    (first, scope, _), (second, again, _) = log(agents)
    assert first != second
    assert scope == again == "trip"
    shown = adal_ls("runs", "list", "--format", "json")
    assert [run["agent"] for run in json.loads(shown.stdout)] == ["teller", "teller"]


def test_agents_are_not_loaded_without_trust(adal_ls: Run, agents: Path) -> None:
    for command in (["agent", "list"], ["agent", "run", "teller", "--input", "x"]):
        done = adal_ls(*command)
        assert (done.returncode, done.stdout) == (1, "")
        assert "is not trusted" in done.stderr
    assert not (agents / "log.txt").exists()
    adal_ls("trust")
    assert adal_ls("agent", "list").stdout == "teller (tool-context)\nplain\n"


def test_an_agents_file_that_fails_is_an_error_at_its_line_and_the_tools_still_run(adal_ls: Run, agents: Path) -> None:
    (agents / ".adal" / "agents.py").write_text("\n\nimport no_such_package_here\n")
    for command in (["agent", "list"], ["agent", "run", "teller", "--input", "x"]):
        done = adal_ls(*command, "--trust")
        assert (done.returncode, done.stdout) == (1, "")
        assert "agents.py:3" in done.stderr
        assert "no_such_package_here" in done.stderr
    done = adal_ls("run", "-q", "double(number=4)", "-m", "offline", "--trust")
    assert done.returncode == 0, done.stderr
    assert "8" in done.stdout
    assert "agents of this project could not be loaded" in done.stderr


def test_a_call_that_asks_is_not_run_without_a_terminal(adal_ls: Run, agents: Path) -> None:
    script(agents, {"calls": [{"name": "asks"}]}, {"text": "told"})
    done = adal_ls("agent", "run", "teller", "--trust", text="go")
    assert done.returncode == 3
    assert "asks" in done.stderr
    assert adal_ls("agent", "run", "teller", "--trust", "--yolo", text="go").returncode == 0


def test_the_example_is_listed_and_run(adal_ls: Run, tmp_path: Path) -> None:
    example = tmp_path / "providers"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "providers", example)
    assert adal_ls("agent", "list", "--trust", cwd=example).stdout == "librarian (tool-context)\n"
    context = '{"shelf": {"name": "travel"}, "reader": {"name": "Ada"}}'
    done = adal_ls(
        "agent", "run", "librarian", "--input", "What is there?", "-c", context, "--trust", "--yolo", cwd=example
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2:] == ["That is the shelf."]
    assert (example / "shelves" / "travel" / "tea.txt").is_file()
