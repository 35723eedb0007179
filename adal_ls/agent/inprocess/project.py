"""Loads `.adal/tools.py` and `.adal/agents.py` into a user's own script, as often as it asks.

The modules beside them are loaded afresh each time, from their source alone; what was loaded before stays as it was
where a load fails.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from adal_ls.agent.inprocess.agents import InProcessRunner
from adal_ls.agent.runs.memory import Memory
from adal_ls.sdk.agent import Agent, AgentRuntime
from adal_ls.sdk.agents_file import read_agents
from adal_ls.sdk.binding import BINDING, ProjectBinding
from adal_ls.sdk.errors import AdalError, InvalidInputError, ProjectLoadError
from adal_ls.sdk.project import LoadedFiles
from adal_ls.sdk.runner import RuntimeOptions
from adal_ls.worker import frames, standin
from adal_ls.worker.listing import ABSENT, ListedTool, read_custom_tools
from adal_ls.worker.sources import Sources, project_loader

TOOLS, AGENTS = "tools.py", "agents.py"
FOLDER = ".adal"

_MEMORIES: dict[Path, Memory] = {}
"""Conversations by project: they outlive reloads, and a project that is loaded twice has them once."""


class InProcessFiles:
    """Implements `sdk.project.ProjectFiles`."""

    def __init__(self, root: Path, options: RuntimeOptions, *, agents: bool = True) -> None:
        self._root = root
        self._options = options
        self._with_agents = agents
        self._folder = str(root / FOLDER)
        self._memory = _MEMORIES.setdefault(root, Memory())
        self._finder: _Finder | None = None

    def load(self) -> LoadedFiles:
        sources = Sources(str(self._root))
        fresh, others = _Finder(self._folder, sources), self._others()
        # Also those of other projects: two may have modules of the same name, and must not get each other's.
        before = _modules_in({self._folder, *(other.folder for other in others)})
        _forget(before)
        _install([fresh])
        try:
            loaded = self._load(sources)
        except BaseException:
            _forget(_modules_in({self._folder}))
            _install([*others, *([self._finder] if self._finder else [])])
            sys.modules.update(before)
            raise
        _install([*others, fresh])
        self._finder = fresh
        own = _modules_in({self._folder})
        sys.modules.update(
            {name: module for name, module in before.items() if name not in own and not self._is_own(module)}
        )
        return loaded

    async def changes(self, stop: asyncio.Event) -> AsyncIterator[None]:
        from adal_ls.agent.inprocess.watch import changes  # watchfiles, for those who follow files

        if not Path(self._folder).is_dir():  # noqa: ASYNC240 - one look at a local folder
            raise InvalidInputError(f"{self._folder} is not there, so there is nothing to watch")
        async for change in changes(Path(self._folder), stop):
            yield change

    def close(self) -> None:
        others = self._others()
        if not any(other.folder == self._folder for other in others):
            _forget(_modules_in({self._folder}))
        _install(others)
        self._finder = None

    def _others(self) -> list[_Finder]:
        return [found for found in sys.meta_path if isinstance(found, _Finder) and found is not self._finder]

    def _is_own(self, module: ModuleType) -> bool:
        return str(module.__file__).startswith(self._folder + os.sep)

    def _load(self, sources: Sources) -> LoadedFiles:
        tools, left_out = self._tools(sources)
        runner = InProcessRunner(memory=self._memory, custom=tools, sources=sources, notes=left_out)
        runtime = AgentRuntime(None, self._options, runner)
        file = Path(self._folder, AGENTS)
        agents: Mapping[str, Agent[Any]] = {}
        if self._with_agents and file.is_file():
            token = BINDING.set(ProjectBinding(self._root, runner, self._options))
            try:
                agents = read_agents(vars(self._run(file, sources)), file)
            finally:
                BINDING.reset(token)
        elif self._with_agents:
            agents = {"default": runtime.create_agent("default", description="The tools of .adal/tools.py.")}
        functions = {tool.loaded.name: _as_entry(tool) for tool in tools}
        return LoadedFiles(agents, functions, runtime)

    def _tools(self, sources: Sources) -> tuple[list[ListedTool], list[str]]:
        file = Path(self._folder, TOOLS)
        if not file.is_file():
            return [], []
        module = self._run(file, sources)
        tools, problems = read_custom_tools(vars(module).get("CUSTOM_TOOLS", ABSENT), str(file))
        return tools, list(dict.fromkeys(problem.message for problem in problems if problem.left_out))

    def _run(self, file: Path, sources: Sources) -> ModuleType:
        name = f"adal_project_{file.stem}"
        loader = project_loader(sources)(name, str(file))
        try:
            code = loader.get_code(name)
            spec = importlib.util.spec_from_file_location(name, file, loader=loader)
            assert spec is not None and code is not None  # noqa: S101, PT018 - there are none only without a loader
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            standin.prepare(code, self._folder)
            exec(code, vars(module))  # noqa: S102 - as `exec_module`, which would compile it once more
        except AdalError:
            raise
        except (Exception, SystemExit) as fault:
            where, line = frames.place(fault, sources) or (str(file), 0)
            text = f"syntax error: {fault.msg}" if isinstance(fault, SyntaxError) else frames.message(fault)
            place = f"{where}:{line}" if line else where
            raise ProjectLoadError(f"{place}: {text}", where, line) from fault
        return module


class _Inside:
    """Finds the parts of packages that lie in the project's folder."""

    def __init__(self, folder: str, sources: Sources) -> None:
        self.folder = folder
        self._details: tuple[Any, ...] = (
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (project_loader(sources), SOURCE_SUFFIXES),
        )

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        for place in path or ():
            if place == self.folder or place.startswith(self.folder + os.sep):
                found = FileFinder(place, *self._details).find_spec(name, target)
                if found is not None:
                    return found
        return None


class _Finder:
    """Finds the modules beside the project's files: last, so that none shadows another module."""

    def __init__(self, folder: str, sources: Sources) -> None:
        self.folder = folder
        self.inside = _Inside(folder, sources)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return self.inside.find_spec(name, [self.folder], target) if path is None else None


def _install(finders: Sequence[_Finder]) -> None:
    """These finders and no others find modules of projects from now on."""
    rest = [found for found in sys.meta_path if not isinstance(found, _Finder | _Inside)]
    sys.meta_path[:] = [*(finder.inside for finder in finders), *rest, *finders]


def _modules_in(folders: Collection[str]) -> dict[str, ModuleType]:
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and any(file.startswith(folder + os.sep) for folder in folders):
            found[name] = module
    return found


def _forget(modules: Mapping[str, ModuleType]) -> None:
    for name in modules:
        del sys.modules[name]


def _as_entry(tool: ListedTool) -> dict[str, Any]:
    return {
        "function": tool.function,
        "description": tool.loaded.description,
        "require_approval": tool.loaded.require_approval,
    }
