"""Agents of a project from the editor: listed, their form, a run with its context, reloads; every process real."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Editor
from tests.server.client import ResponseError

Open = Callable[..., tuple[Editor, Path]]

AGENTS = '''
from pathlib import Path
from pydantic import BaseModel
from adal_ls import ToolSummary, create_runtime

LOG = Path(__file__).parent.parent / "log.txt"


class Shelf(BaseModel):
    name: str = "recipes"


class Shelves:
    context_schema = Shelf

    def get_tools(self, ctx):
        def where() -> str:
            """Tell the shelf."""
            return Shelf.model_validate(ctx.tool_provider_context or {}).name
        return [{"function": where, "require_approval": False}]

    def list_tools(self):
        return [ToolSummary("where", "Tell the shelf.")]

    def on_run_end(self, ctx):
        self.say(f"end {ctx.agent_call_id}")

    def dispose(self):
        self.say("dispose")

    def say(self, text):
        with LOG.open("a") as log:
            log.write(text + "\\n")


AGENTS = [create_runtime().create_agent("librarian", tools=Shelves(), description="Minds shelves.")]
'''


def write(workspace: Path, text: str) -> str:
    """Writes the agents file; its URI."""
    file = workspace / ".adal" / "agents.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file.as_uri()


def script(workspace: Path, *turns: dict[str, Any]) -> str:
    path = workspace.parent / "script.json"
    path.write_text(json.dumps(list(turns)), encoding="utf-8")
    return f"script:{path}"


def changed(client: Editor, uri: str) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})


def log(workspace: Path) -> list[str]:
    path = workspace / "log.txt"
    return path.read_text().splitlines() if path.exists() else []


def test_agents_are_listed_have_a_form_and_run_with_their_context(editor: Open) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n")
    changed(client, write(workspace, AGENTS))
    client.project("loaded")
    while not (listed := client.request("adal/agents/list", {})["agents"]) or listed[0]["id"] != "librarian":
        client.wait_for("adal/tools/changed", timeout=30)
    (agent,) = listed
    assert agent["toolContext"] is True
    assert agent["description"] == "Minds shelves."
    assert agent["projectRoot"] == str(workspace)
    assert agent["tools"] == [{"name": "where", "description": "Tell the shelf."}]
    assert agent["complete"] is True
    form = client.request("adal/agents/contextForm", {"agent": "librarian"})
    assert form == {
        "declared": True,
        "fields": [{"name": "name", "kind": "string", "required": True, "default": "recipes"}],
    }
    (tool,) = [tool for tool in client.project("loaded")["tools"] if tool["kind"] == "provider"]
    assert (tool["name"], tool["agent"]) == ("where", "librarian")

    model = script(workspace, {"calls": [{"name": "where"}]}, {"text": "done"})
    run_id = client.start_run("go", model=model, agent="librarian", toolContext={"name": "travel"}, scope="trip")
    assert client.finished(run_id) == {"type": "finished", "stopReason": "end_turn", "answer": "done"}
    events = client.events(run_id)
    (result,) = [event for event in events if event["type"] == "toolResult"]
    assert result["observation"] == "travel"
    (episode,) = [event for event in events if event["type"] == "episode"]
    assert (episode["agent"], episode["memoryScope"]) == ("librarian", "trip")
    assert log(workspace) == [f"end {episode['agentCallId']}"]
    (run,) = client.request("adal/run/list", {})["runs"]
    assert (run["agent"], run["model"]) == ("librarian", model)


def test_an_agent_that_is_not_there_is_refused_with_its_code_and_those_that_are(editor: Open) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n")
    changed(client, write(workspace, AGENTS))
    client.request("adal/agents/list", {})
    for method, params in (
        ("adal/agents/contextForm", {"agent": "nobody"}),
        ("adal/run/start", {"agent": "nobody", "prompt": "go"}),
    ):
        with pytest.raises(ResponseError) as refused:
            client.request(method, params)
        assert refused.value.data == {"code": "UNKNOWN_AGENT"}
        assert "there is no agent 'nobody'; the agents there are: librarian" in str(refused.value)


def test_a_reload_disposes_once_and_a_failed_one_shows_its_line_and_keeps_the_agents(editor: Open) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n")
    uri = write(workspace, AGENTS)
    changed(client, uri)
    assert client.request("adal/agents/list", {})["agents"][0]["id"] == "librarian"
    write(workspace, AGENTS + "\nraise RuntimeError('not today')\n")
    changed(client, uri)
    project = client.project("error")
    assert f"agents.py:{len(AGENTS.splitlines()) + 2}" in project["error"]
    result = client.request("adal/agents/list", {})
    assert [agent["id"] for agent in result["agents"]] == ["librarian"]
    assert "not today" in result["errors"][0]["message"]
    assert log(workspace) == []
    write(workspace, AGENTS.replace('"librarian"', '"keeper"'))
    changed(client, uri)
    assert client.project("loaded")["generation"] == project["generation"] + 1
    assert [agent["id"] for agent in client.request("adal/agents/list", {})["agents"]] == ["keeper"]
    assert log(workspace) == ["dispose"]


def test_a_folder_with_agents_alone_is_a_project_and_its_faults_show_in_the_agents_file(
    editor: Open, tmp_path: Path
) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n")
    inner = workspace / "inner"
    inner.mkdir()
    uri = write(inner, "\n\nAGENTS = [\n")
    changed(client, uri)
    published = client.wait_for(
        "textDocument/publishDiagnostics", lambda told: told["uri"] == uri and told["diagnostics"], timeout=30
    )
    (fault,) = published["diagnostics"]
    assert (fault["code"], fault["range"]["start"]["line"]) == ("ADAL001", 2)
    write(inner, AGENTS)
    changed(client, uri)
    client.wait_for(
        "textDocument/publishDiagnostics", lambda told: told["uri"] == uri and not told["diagnostics"], timeout=30
    )
    found = client.request("adal/agents/list", {})["agents"]
    assert [(agent["id"], agent["projectRoot"]) for agent in found] == [
        ("default", str(workspace)),
        ("librarian", str(inner)),
    ]
    assert [agent["id"] for agent in client.request("adal/agents/list", {"projectRoot": str(inner)})["agents"]] == [
        "librarian"
    ]
    with pytest.raises(ResponseError, match="several projects, send projectRoot"):
        client.request("adal/agents/contextForm", {"agent": "librarian"})
    form = client.request("adal/agents/contextForm", {"agent": "librarian", "projectRoot": str(inner)})
    assert form["declared"] is True
    (inner / ".adal" / "agents.py").unlink()
    changed(client, uri)
    while [p["root"] for p in client.request("adal/tools/list", {})["projects"]] != [str(workspace)]:
        client.wait_for("adal/tools/changed", timeout=30)


def test_an_agents_file_that_is_saved_in_the_editor_is_loaded_whatever_a_run_does(editor: Open) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n")
    uri = write(workspace, AGENTS)
    changed(client, uri)
    client.request("adal/agents/list", {})
    model = script(workspace, {"calls": [{"name": "bash", "arguments": {"command": "true"}}]}, {"text": "x"})
    run_id = client.start_run("go", model=model)
    key, request = client.asked()
    text = AGENTS.replace('"librarian"', '"keeper"')
    client.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}}
    )
    write(workspace, text)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    while [agent["id"] for agent in client.request("adal/agents/list", {})["agents"]] != ["keeper"]:
        client.wait_for("adal/tools/changed", timeout=30)
    client.decide(key, request, "reject_once")
    client.finished(run_id)


def test_nothing_is_said_of_agents_before_trust(editor: Open) -> None:
    client, workspace = editor("CUSTOM_TOOLS = []\n", trusted=False)
    write(workspace, AGENTS)
    for method, params in (("adal/agents/list", {}), ("adal/agents/contextForm", {"agent": "librarian"})):
        with pytest.raises(ResponseError, match="trust"):
            client.request(method, params)
    assert log(workspace) == []
