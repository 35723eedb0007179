"""Which modules of a project its tools file imports, read off the code and never run.

An import inside of a function counts like any other. Code that reaches other code by names made at run time, or that
changes where modules are looked for, cannot be read so; then all Python files of the project count.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from adal_ls.agent.approvals.digest import bytes_digest

TOOLS_FILE, AGENTS_FILE = ".adal/tools.py", ".adal/agents.py"

_MOST_FILES = 5_000
_MOST_BYTES = 64 * 1024 * 1024
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "dist-packages"})
_CODE = (".py", ".so", ".pyd")

_WAYS_ROUND = (
    "exec eval compile __import__ import_module importlib runpy pkgutil zipimport imp globals locals vars modules "
    "path_hooks meta_path builtins __builtins__ __dict__ __globals__ f_globals f_locals __code__ gc ctypes cffi dill "
    "pickle cloudpickle marshal setattr delattr run_path run_module exec_module"
)
_DYNAMIC = frozenset(_WAYS_ROUND.split())


def modules_of(root: Path, sources: Mapping[str, str], tools_file: ast.Module) -> dict[str, str] | None:
    """Digests of the project's modules that the tools file imports, in functions too, directly or not.

    None where what is imported cannot be read off the code.
    """
    found = {path: digest for path, digest in sources.items() if path != TOOLS_FILE}
    waiting: list[tuple[str, ast.Module]] = [(TOOLS_FILE, tools_file)]
    to_read = [path for path in found if path.endswith(".py")]
    while waiting or to_read:
        if to_read:
            path = to_read.pop()
            read = _tree(content_of(root / path), found[path])
            if read is None:
                return None
            waiting.append((path, read))
        path, tree = waiting.pop()
        if _is_dynamic(tree):
            return None
        for imported in _imported(root, path, tree, found):
            if imported == TOOLS_FILE or len(found) > _MOST_FILES:
                return None  # a module that looks into the tools file may reach any tool
            if imported in found:
                continue
            content = content_of(root / imported)
            if content is None:
                return None
            found[imported] = bytes_digest(content)
            if imported.endswith(".py"):
                to_read.append(imported)
    return found


def _is_dynamic(tree: ast.Module) -> bool:
    return any(_goes_round(node) for node in ast.walk(tree))


def _goes_round(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _DYNAMIC
    if isinstance(node, ast.Attribute):
        of_sys = isinstance(node.value, ast.Name) and node.value.id == "sys"
        return node.attr in _DYNAMIC or (of_sys and node.attr == "path")
    if isinstance(node, ast.Import):
        # Under another name what is done with `sys` could not be seen.
        return any(
            alias.name.partition(".")[0] in _DYNAMIC or (alias.name == "sys" and alias.asname) for alias in node.names
        )
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        return (node.module or "").partition(".")[0] in {*_DYNAMIC, "sys"} or bool(names & _DYNAMIC)
    return False


def _imported(root: Path, path: str, tree: ast.Module, known: Mapping[str, str]) -> Iterator[str]:
    """Files of the project that the imports of `tree` may mean, relative to `root`; those that exist."""
    here = Path(path).parent
    folders = {Path(".adal"), Path(), *(parent for known_path in known for parent in Path(known_path).parents)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [(folders, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}".strip(".") for alias in node.names]
            base = here.joinpath(*[".."] * (node.level - 1)) if node.level else None
            wanted = [({base} if base is not None else folders, name) for name in names]
        else:
            continue
        for bases, name in wanted:
            for base in bases:
                yield from _files(root, base, name.split("."))


def _files(root: Path, base: Path, parts: list[str]) -> Iterator[str]:
    for count in range(1, len(parts) + 1):
        place = base.joinpath(*parts[:count])
        folder = root / place.parent
        candidates = [folder / f"{place.name}.py", root / place / "__init__.py"]
        if folder.is_dir():
            candidates += [*folder.glob(f"{place.name}.*.so"), *folder.glob(f"{place.name}.*pyd")]
        for candidate in candidates:
            if candidate.is_file():
                relative = os.path.relpath(candidate, root)
                if not relative.startswith(".."):
                    yield Path(relative).as_posix()


def whole_project(root: Path) -> dict[str, str] | None:
    """Digests of every Python file of the project; None where they are too many to read at every load."""
    found: dict[str, str] = {}
    size = 0
    for folder, folders, names in os.walk(root):
        if "pyvenv.cfg" in names and Path(folder) != root:
            folders[:] = []
            continue
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED and (name == ".adal" or not name.startswith("."))
        )
        for name in sorted(names):
            if not name.endswith(_CODE):
                continue
            file = Path(folder, name)
            content = content_of(file)
            size += len(content or b"")
            if content is None or size > _MOST_BYTES or len(found) >= _MOST_FILES:
                return None
            found[file.relative_to(root).as_posix()] = bytes_digest(content)
    return found


def content_of(file: Path) -> bytes | None:
    """The bytes of a plain file of a sensible size."""
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        return file.read_bytes()
    except OSError:
        return None


def _tree(content: bytes | None, digest: str) -> ast.Module | None:
    """The code in `content`, if it is what `digest` was made of."""
    if content is None or bytes_digest(content) != digest:
        return None
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return None
