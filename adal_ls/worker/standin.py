"""A light `adalflow` for files that take only ToolOutput from it. In the worker.

Importing the real one (1.1.3) takes seconds, needs a package it does not ask for and a download, so it is used only by
files that need more of it and where it can be imported.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import types
from pathlib import Path

from adal_ls.sdk import ToolOutput

_MODULES = ("adalflow", "adalflow.core", "adalflow.core.types")


def prepare(source: bytes, folder: str) -> None:
    """Puts the stand-in into `sys.modules` where it serves better than the real package; see the module's text.

    Args:
        source: the tools file.
        folder: where its own modules are looked for.
    """
    if not _mentions(source, folder, set()):
        return
    if only_tool_output(source, folder):
        install(reason="the tools files use only ToolOutput, so the light stand-in of adal-ls was loaded")
    elif (reason := _why_not_importable()) is not None:
        install(reason=reason)


def only_tool_output(source: bytes, folder: str) -> bool:
    """Whether the file and the local modules it imports take nothing but ToolOutput from adalflow."""
    return _only_tool_output(source, folder, set())


def install(reason: str) -> None:
    """Registers the stand-in; asking it for anything else is an ImportError that gives `reason`."""
    for name in _MODULES:
        module = types.ModuleType(name, "Stand-in by adal-ls: holds ToolOutput only.")
        module.__path__ = []

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


def _why_not_importable() -> str | None:
    if importlib.util.find_spec("adalflow") is None:
        return (
            f"adalflow is not installed for {sys.executable}; install it with: {sys.executable} -m pip install adalflow"
        )
    before = set(sys.modules)
    try:
        importlib.import_module("adalflow.core.types")
    except Exception as fault:  # noqa: BLE001 - whatever keeps it from loading is the reason to do without
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "adalflow":
                del sys.modules[name]
        return f"adalflow is installed but cannot be imported ({type(fault).__name__}: {fault})"
    return None


def _mentions(source: bytes, folder: str, seen: set[Path]) -> bool:
    if b"adalflow" in source:
        return True
    return any(_mentions(local, folder, seen) for local in _local_sources(_tree(source), folder, seen))


def _only_tool_output(source: bytes, folder: str, seen: set[Path]) -> bool:
    tree = _tree(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(_is_adalflow(alias.name) for alias in node.names):
            return False
        if (
            isinstance(node, ast.ImportFrom)
            and _is_adalflow(node.module or "")
            and not (node.module in _MODULES and {alias.name for alias in node.names} == {"ToolOutput"})
        ):
            return False
    return all(_only_tool_output(local, folder, seen) for local in _local_sources(tree, folder, seen))


def _is_adalflow(name: str) -> bool:
    return name.partition(".")[0] == "adalflow"


def _tree(source: bytes) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])  # importing it will say what is wrong


def _local_sources(tree: ast.AST, folder: str, seen: set[Path]) -> list[bytes]:
    """The modules of `folder` that `tree` imports by plain name, each once."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    found = []
    for name in sorted(names):
        base = Path(folder, *name.split("."))
        for path in (base.parent / f"{base.name}.py", base / "__init__.py"):
            if path not in seen and path.is_file():
                seen.add(path)
                found.append(path.read_bytes())
    return found
