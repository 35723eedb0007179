"""Loading a project: runs `.adal/tools.py` and `.adal/agents.py`, reads CUSTOM_TOOLS and AGENTS. In the worker, once in
its life."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

from adal_ls.sdk.errors import AdalError
from adal_ls.worker import frames, standin
from adal_ls.worker.agent_data import LoadedAgent
from adal_ls.worker.data import LoadedProject, LoadError, LoadProblem
from adal_ls.worker.listing import ABSENT, ListedTool, read_custom_tools
from adal_ls.worker.missing import missing_module
from adal_ls.worker.sources import Sources, project_loader

if TYPE_CHECKING:
    from adal_ls.worker.agents import Agents

FOLDER = ".adal"
FILE, AGENTS_FILE = "tools.py", "agents.py"
MODULE, AGENTS_MODULE = "adal_tools_1", "adal_agents_1"


class Project:
    """The loaded project: what is told to the host, and the live functions and agents."""

    def __init__(self, root: str) -> None:
        self.sources = Sources(root)
        self.file = str(Path(self.sources.root, FOLDER, FILE))
        self.agents_file = str(Path(self.sources.root, FOLDER, AGENTS_FILE))
        self.loaded = LoadedProject(python=sys.executable)
        self.tools: dict[str, ListedTool] = {}
        self.agents: Agents | None = None


def load(project: Project) -> None:
    """Goes to the project's folder and loads it. Never raises for what the project does, short of a crash.

    Without its tools there are no agents; without its agents the tools work.
    """
    root = project.sources.root
    try:
        os.chdir(root)
    except OSError as fault:
        project.loaded = LoadedProject(error=LoadError("exception", f"no way into the project: {fault}", root))
        return
    sys.argv = [project.file]
    sys.dont_write_bytecode = True
    project.sources.install([str(Path(root, FOLDER))])
    problems: list[LoadProblem] = []
    if Path(project.file).is_file():
        try:
            module = _run(project.file, MODULE, project.sources)
            tools, problems = read_custom_tools(vars(module).get("CUSTOM_TOOLS", ABSENT), project.file)
        except BaseException as fault:  # noqa: BLE001 - whatever ends the file, SystemExit too, is the project's error
            project.loaded = LoadedProject(
                error=_error(fault, project.file, project.sources),
                sources=project.sources.digests,
                python=sys.executable,
            )
            return
        project.tools = {tool.loaded.name: tool for tool in tools}
    agents, agents_error = _load_agents(project) if Path(project.agents_file).is_file() else (None, None)
    project.sources.note_loaded()
    project.loaded = LoadedProject(
        tools=tuple(tool.loaded for tool in project.tools.values()),
        problems=tuple(problems),
        agents=agents,
        agents_error=agents_error,
        sources=project.sources.digests,
        python=sys.executable,
    )


def _load_agents(project: Project) -> tuple[tuple[LoadedAgent, ...], LoadError | None]:
    from adal_ls.worker import agents  # of the SDK it needs more than tools do

    file, sources = project.agents_file, project.sources

    def run() -> tuple[LoadedAgent, ...]:
        found = agents.load_agents(vars(_run(file, AGENTS_MODULE, sources)), file)
        project.agents = agents.Agents(found, sources)
        return tuple(agents.described(agent) for agent in found.values())

    try:
        told: tuple[LoadedAgent, ...] = agents.bound(sources.root, run)
    except BaseException as fault:  # noqa: BLE001 - as with the tools file
        project.agents = None
        return (), _error(fault, file, sources)
    return told, None


def _run(file: str, name: str, sources: Sources) -> types.ModuleType:
    loader = project_loader(sources)(name, file)
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    code = loader.get_code(name)
    if spec is None or code is None:
        raise ImportError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    standin.prepare(code, str(Path(file).parent))
    exec(code, vars(module))  # noqa: S102 - as `exec_module`, which would compile it once more
    return module


def _error(fault: BaseException, file: str, sources: Sources) -> LoadError:
    where, line = frames.place(fault, sources) or (file, 0)
    trace = frames.user_trace(fault, sources)
    if isinstance(fault, SyntaxError):
        return LoadError("syntax", f"syntax error: {fault.msg}", where, line, trace)
    if isinstance(fault, SystemExit):
        text = f"the file ends the program while being loaded ({frames.exit_words(fault)})"
        return LoadError("exit", text, where, line, trace, exit_code=frames.exit_code(fault))
    if isinstance(fault, ModuleNotFoundError) and fault.name:
        text = f"no module named '{fault.name}' in {sys.executable}; " + missing_module(fault.name, sources)
        return LoadError("missing-module", text, where, line, trace, module=fault.name)
    own = getattr(fault, "message", None) if isinstance(fault, AdalError) else None
    text = own if isinstance(own, str) else frames.message(fault)
    if isinstance(fault, ImportError) and "relative import" in str(fault):
        text += f"; {Path(file).name} is not part of a package: import modules beside it by their plain name"
    return LoadError("exception", text, where, line, trace)
