"""A pytest plugin for tests of tools: `ToolOutput` without adalflow, and the fixture `adal_tools`.

It is there wherever adal-ls is installed (`-p no:adal_ls.pytest` leaves it out), and costs nothing until it is used.
"""

from __future__ import annotations

import asyncio
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from adal_ls.sdk import ToolOutput
    from adal_ls.worker.listing import ListedTool
    from adal_ls.worker.sources import Sources

_OPTION = "adal_project"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(_OPTION, "Folder with the .adal/tools.py under test; by default the nearest one above the test.")


def pytest_configure() -> None:
    if not any(isinstance(finder, _StandIn) for finder in sys.meta_path):
        sys.meta_path.insert(0, _StandIn())


def pytest_unconfigure() -> None:
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _StandIn)]


class AdalTools:
    """The tools of one project, as an agent gets them; calling one asks nobody."""

    def __init__(self, root: Path, tools: Mapping[str, ListedTool], sources: Sources) -> None:
        self.root = root
        self._tools = tools
        self._sources = sources

    @property
    def names(self) -> list[str]:
        return list(self._tools)

    def schema(self, name: str) -> dict[str, Any]:
        """The JSON Schema of a tool's parameters, as a model sees it."""
        return dict(self._find(name).loaded.parameters)

    def call(self, name: str, /, **arguments: Any) -> ToolOutput:
        """Calls a tool, sync or async, with arguments as a model gives them: checked and turned into the tool's types.

        What the tool raises is a result of status `error`; `metadata["trace"]` then says where.

        Raises:
            LookupError: there is no such tool.
            RuntimeError: a loop is running: use `await acall(...)` in async tests.
        """
        if not _in_loop():  # not inside of `except`: each failure would be told with one that was none
            return asyncio.run(self.acall(name, **arguments))
        raise RuntimeError(f"an event loop is running: await adal_tools.acall({name!r}, ...)")

    async def acall(self, name: str, /, **arguments: Any) -> ToolOutput:
        """`call` for async tests."""
        from adal_ls.sdk import ToolOutput
        from adal_ls.worker.calling import Ways, call
        from adal_ls.worker.data import Limits

        ways = Ways(self._sources, Limits().observation, on_progress=lambda _: None)
        result = await call(self._find(name), arguments, ways)
        metadata = None if result.trace is None else {"trace": result.trace}
        return ToolOutput(result.output, result.observation, result.display, metadata=metadata, status=result.status)

    def _find(self, name: str) -> ListedTool:
        if name not in self._tools:
            raise LookupError(
                f"there is no tool '{name}' in {self.root}; the tools there are: {', '.join(self._tools)}"
            )
        return self._tools[name]


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@pytest.fixture(scope="module")
def adal_tools(request: pytest.FixtureRequest) -> Iterator[AdalTools]:
    """The tools of the project that the test lies in, or of the folder that the ini option `adal_project` names."""
    from adal_ls.sdk.local import local_project
    from adal_ls.sdk.runner import RuntimeOptions
    from adal_ls.sdk.toolset import read_tool_set
    from adal_ls.worker.provided import listed
    from adal_ls.worker.sources import Sources

    root = _project(request)
    files = local_project(root, RuntimeOptions(project_root=root), agents=False)
    try:
        entries = read_tool_set(files.load().tools)
        yield AdalTools(root, {str(entry.name): listed(entry)[0] for entry in entries}, Sources(str(root)))
    finally:
        files.close()


def _project(request: pytest.FixtureRequest) -> Path:
    given = str(request.config.getini(_OPTION) or "")
    if given:
        return (request.config.rootpath / given).resolve()
    found = next((folder for folder in request.path.parents if (folder / ".adal" / "tools.py").is_file()), None)
    if found is None:
        pytest.fail(f"no folder above {request.path} has .adal/tools.py; name one by the ini option {_OPTION}")
    return found


class _StandIn:
    """Finds `adalflow` when it is first imported: the real one where it works, else a light one with ToolOutput."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol's
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "adalflow":
            return None
        from adal_ls.worker import standin

        sys.meta_path.remove(self)
        reason = standin.why_not_importable()
        if reason is not None:
            standin.install(reason)
        return importlib.machinery.ModuleSpec(name, _Found(sys.modules[name]))


class _Found(importlib.abc.Loader):
    """A loader for a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:  # noqa: ARG002
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """It was run when it was imported."""
