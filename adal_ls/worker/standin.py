"""A light `adalflow` for files that take only ToolOutput from it. In the worker.

Importing the real one (1.1.3) takes seconds, needs a package it does not ask for and a download, so it is used only by
files that need more of it and where it can be imported.
"""

from __future__ import annotations

import contextlib
import dis
import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from adal_ls.sdk import ToolOutput
from adal_ls.worker.install import install_command

_IMPORT, _CONSTANT, _EXTENDED = (dis.opmap[name] for name in ("IMPORT_NAME", "LOAD_CONST", "EXTENDED_ARG"))
_MARK = "_adal_ls_standin"
_MODULES = ("adalflow", "adalflow.core", "adalflow.core.types")


def prepare(code: types.CodeType, folder: str) -> None:
    """Puts the stand-in into `sys.modules` where it serves better than the real package; see the module's text.

    Args:
        code: the compiled tools file.
        folder: where its own modules are looked for.
    """
    wanted = wanted_of_adalflow(code, folder)
    if not wanted:
        return
    if _is_ours() and wanted != {"ToolOutput"}:  # for a file before this one, which needed less
        for name in _MODULES:
            del sys.modules[name]
    if wanted == {"ToolOutput"}:
        install(reason="the tools files use only ToolOutput, so the light stand-in of adal-ls was loaded")
    elif (reason := why_not_importable()) is not None:
        install(reason=reason)


def wanted_of_adalflow(code: types.CodeType, folder: str) -> set[str]:
    """The names that the file and the local modules it imports take from adalflow's known modules; "" for all else."""
    found: set[str] = set()
    _Scan(folder).read(code, found)
    return found


def install(reason: str) -> None:
    """Registers the stand-in; asking it for anything else is an ImportError that gives `reason`."""
    for name in _MODULES:
        module = types.ModuleType(name, "Stand-in by adal-ls: holds ToolOutput only.")
        module.__path__ = []
        setattr(module, _MARK, reason)

        def missing(attribute: str, name: str = name) -> object:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            raise ImportError(f"cannot import name '{attribute}' from '{name}': {reason}", name=name)

        module.__getattr__ = missing  # type: ignore[method-assign]
        module.ToolOutput = ToolOutput  # type: ignore[attr-defined]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def _is_ours() -> bool:
    return all(isinstance(vars(sys.modules.get(name, types)).get(_MARK), str) for name in _MODULES)


def why_not_importable() -> str | None:
    """What keeps the real adalflow from being imported; None where it is imported now."""
    if importlib.util.find_spec("adalflow") is None:
        return f"adalflow is not installed for {sys.executable}; install it with: {install_command('adalflow')}"
    before = set(sys.modules)
    try:
        importlib.import_module("adalflow.core.types")
    except Exception as fault:  # noqa: BLE001 - whatever keeps it from loading is the reason to do without
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "adalflow":
                del sys.modules[name]
        return f"adalflow is installed but cannot be imported ({type(fault).__name__}: {fault})"
    return None


class _Scan:
    """Reads imports out of compiled code: a tenth of the time that a syntax tree takes, which each load would pay."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._seen: set[Path] = set()
        self._tops = {"adalflow", *(path.stem for path in _listing(folder))}

    def read(self, code: types.CodeType, found: set[str]) -> None:
        if any(name.partition(".")[0] in self._tops for name in code.co_names):
            for module, names in _imports(code):
                self._note(module, names, found)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self.read(inner, found)

    def _note(self, module: str, names: tuple[str, ...], found: set[str]) -> None:
        if module.partition(".")[0] == "adalflow":
            found.update(names if module in _MODULES and names else [""])
            return
        for name in (module, *(f"{module}.{name}" for name in names)):
            for local in self._local_modules(name):
                self.read(local, found)

    def _local_modules(self, module: str) -> Iterator[types.CodeType]:
        """The code of that module of the folder, once; nothing where it is no such module or does not compile."""
        base = Path(self._folder, *module.split("."))
        for path in (base.parent / f"{base.name}.py", base / "__init__.py"):
            if path not in self._seen and path.is_file():
                self._seen.add(path)
                # Importing it will say what is wrong.
                with contextlib.suppress(SyntaxError, ValueError, RecursionError, OSError):
                    yield compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


def _imports(code: types.CodeType) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Module and names of each absolute import in `code` itself; no names where the module itself is imported."""
    level: object = None
    names: object = None
    argument = 0
    # `dis` would take as long as compiling did. What is loaded before an import: the level, then the names.
    for operation, part in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | part
        if operation == _EXTENDED:
            continue
        if operation == _IMPORT and level == 0:
            yield code.co_names[argument], names if isinstance(names, tuple) else ()
        level, names = names, code.co_consts[argument] if operation == _CONSTANT else argument
        argument = 0


def _listing(folder: str) -> list[Path]:
    try:
        return list(Path(folder).iterdir())
    except OSError:
        return []
