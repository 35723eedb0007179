"""Loading a project: runs `.adal/tools.py` and reads CUSTOM_TOOLS. In the worker, once in its life."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from pathlib import Path

from adal_ls.worker import frames, standin
from adal_ls.worker.data import LoadedProject, LoadError
from adal_ls.worker.listing import ABSENT, ListedTool, read_custom_tools
from adal_ls.worker.sources import Sources, project_loader

FOLDER = ".adal"
FILE = "tools.py"
MODULE = "adal_tools_1"


class Project:
    """The loaded project: what is told to the host, and the live functions."""

    def __init__(self, root: str) -> None:
        self.sources = Sources(root)
        self.file = str(Path(self.sources.root, FOLDER, FILE))
        self.loaded = LoadedProject(python=sys.executable)
        self.tools: dict[str, ListedTool] = {}


def load(project: Project) -> None:
    """Goes to the project's folder and loads it. Never raises for what the project does, short of a crash."""
    root = project.sources.root
    file, folder = project.file, str(Path(root, FOLDER))
    try:
        os.chdir(root)
    except OSError as fault:
        project.loaded = LoadedProject(error=LoadError("exception", f"no way into the project: {fault}", root))
        return
    sys.argv = [file]
    sys.dont_write_bytecode = True
    project.sources.install([folder])
    if not Path(file).is_file():
        return
    try:
        module = _run(file, folder, project.sources)
        tools, problems = read_custom_tools(vars(module).get("CUSTOM_TOOLS", ABSENT), file)
    except BaseException as fault:  # noqa: BLE001 - whatever ends the file, SystemExit too, is the project's error
        project.loaded = LoadedProject(
            error=_error(fault, file, project.sources), sources=project.sources.digests, python=sys.executable
        )
        return
    project.sources.note_loaded()
    project.tools = {tool.loaded.name: tool for tool in tools}
    project.loaded = LoadedProject(
        tools=tuple(tool.loaded for tool in tools),
        problems=tuple(problems),
        sources=project.sources.digests,
        python=sys.executable,
    )


def _run(file: str, folder: str, sources: Sources) -> types.ModuleType:
    loader = project_loader(sources)(MODULE, file)
    spec = importlib.util.spec_from_file_location(MODULE, file, loader=loader)
    code = loader.get_code(MODULE)
    if spec is None or code is None:
        raise ImportError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    standin.prepare(code, folder)
    exec(code, vars(module))  # noqa: S102 - as `exec_module`, which would compile it once more
    return module


def _error(fault: BaseException, file: str, sources: Sources) -> LoadError:
    where, line = frames.place(fault, sources) or (file, 0)
    trace = frames.user_trace(fault, sources)
    if isinstance(fault, SyntaxError):
        return LoadError("syntax", f"syntax error: {fault.msg}", where, line, trace)
    if isinstance(fault, SystemExit):
        code = frames.exit_code(fault)
        text = f"the file ends the program while being loaded (exit code {code})"
        return LoadError("exit", text, where, line, trace, exit_code=code)
    if isinstance(fault, ModuleNotFoundError) and fault.name:
        text = f"no module named '{fault.name}' in {sys.executable}; " + missing_module(fault.name, sources)
        return LoadError("missing-module", text, where, line, trace, module=fault.name)
    text = frames.message(fault)
    if isinstance(fault, ImportError) and "relative import" in str(fault):
        text += f"; {FILE} is not part of a package: import modules beside it by their plain name"
    return LoadError("exception", text, where, line, trace)


def missing_module(module: str, sources: Sources) -> str:
    """The way out for a module that this Python does not find."""
    top = module.partition(".")[0]
    if any(Path(sources.root, candidate).exists() for candidate in (f"{top}.py", top)):
        return f"only {FOLDER} is searched, so add the project folder to sys.path or install the project there"
    return f"if the package has the same name: {sys.executable} -m pip install {top}"
