"""The digest of each tool's own code, so that an edit of one tool does not make the others ask again.

A tool's code is its function, its entry in CUSTOM_TOOLS, every statement of the file that is no other tool's, and every
module of the project that the file imports, now or when the tool is called. Read from bytes that were loaded, without
running them. Where what belongs together cannot be read off the text, more counts: the whole file, or all Python files
of the project. A tool whose code cannot be told has no digest, and no answer about it is remembered.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adal_ls.agent.approvals.digest import bytes_digest, canonical, sources_digest
from adal_ls.agent.projects.project_modules import AGENTS_FILE, TOOLS_FILE, content_of, modules_of, whole_project

_LIST = "CUSTOM_TOOLS"
_LINE_ENDS = re.compile(rb"\r\n|\r|\n")

_EFFECTS = (
    ast.Call,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.NamedExpr,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def tool_digests(root: Path, sources: Mapping[str, str], tools: Iterable[str]) -> dict[str, str]:
    """The digest of each tool of the project in `root`; tools that have none are left out. Reads files, runs nothing.

    Args:
        sources: sha256 of every project file that ran, by its path relative to `root`.
    """
    try:
        return _tool_digests(root, sources, list(tools))
    except OSError:  # a file that cannot be read: then nothing is known about its code
        return {}


def late_modules(root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """Digests of the modules that a tool imports when it is called, and that did not run when it was loaded. Reads
    files, runs nothing. Empty where what is imported cannot be read off the code.

    Args:
        sources: as of `tool_digests`.
    """
    try:
        content = content_of(root / TOOLS_FILE)
        if content is None or sources.get(TOOLS_FILE) != bytes_digest(content):
            return {}
        modules = modules_of(root, sources, ast.parse(content))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    return {path: digest for path, digest in (modules or {}).items() if path not in sources}


def _tool_digests(root: Path, sources: Mapping[str, str], names: list[str]) -> dict[str, str]:
    content = content_of(root / TOOLS_FILE)
    if content is None or sources.get(TOOLS_FILE) != bytes_digest(content):
        return {}  # another file by now, or the worker kept it back: what it says otherwise is not believed either
    try:
        file = _File.read(content)
        modules = modules_of(root, sources, file.tree)
    except (SyntaxError, ValueError, RecursionError):  # newer syntax than ours
        modules = None
    if modules is None:
        everything = whole_project(root)
        return {} if everything is None else dict.fromkeys(names, sources_digest({**everything, **sources}))
    common = [bytes_digest(canonical(file.shared).encode()), sources_digest(modules)]
    return {name: bytes_digest(canonical([*common, file.code_of(name)]).encode()) for name in names}


def agents_digest(root: Path, sources: Mapping[str, str]) -> str:
    """The digest of all code that an agent's tools can be made of; empty where it cannot be told.

    A provider makes tools of whatever it can reach, so every file that ran counts, and every module that any of them
    imports.
    """
    try:
        content = content_of(root / AGENTS_FILE)
        if content is None or sources.get(AGENTS_FILE) != bytes_digest(content):
            return sources_digest(sources)  # another file by now: of the loaded one this is known
        more = modules_of(root, sources, ast.parse(content))
        if more is None:
            more = whole_project(root)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ""
    return "" if more is None else sources_digest({**more, **sources})


@dataclass(slots=True)
class _File:
    """A tools file cut into what belongs to one tool and what belongs to all."""

    tree: ast.Module
    shared: list[str] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)
    """Function → its text, for those that nothing but their own tools can reach."""
    uses: dict[str, set[str]] = field(default_factory=dict)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Tool → its function and its entry in the list."""

    @classmethod
    def read(cls, content: bytes) -> _File:
        tree = ast.parse(content)
        file = cls(tree)
        texts = _texts(tree.body, content)
        if texts is None:  # two statements share a line
            file.shared = [bytes_digest(content)]
            return file
        file.shared = [tokenize.detect_encoding(io.BytesIO(content).readline)[0]]
        listing = _listing(tree)
        entries = _entries(listing) if listing is not None else None
        alone = _alone(tree, {function for function, _ in (entries or {}).values()}, listing)
        for statement, text in zip(tree.body, texts, strict=True):
            if statement is listing and entries is not None:
                continue
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name in alone:
                file.functions[statement.name] = text
                file.uses[statement.name] = _names(statement)
            else:
                file.shared.append(text)
        file.entries = entries or {}
        return file

    def code_of(self, tool: str) -> list[str]:
        """Every piece of the file, beside the shared ones, that can have a part in what the tool does, in one order."""
        if tool not in self.entries:  # from elsewhere, or under a name made at run time: all of it counts
            listed = [entry for _, entry in self.entries.values()]
            return ["all", *listed, *self.functions.values()]
        function, entry = self.entries[tool]
        reached, waiting = set(), [function]
        while waiting:
            name = waiting.pop()
            if name in self.functions and name not in reached:
                reached.add(name)
                waiting += self.uses[name]
        own = [text for name, text in self.functions.items() if name in reached]
        return ["own", entry, *own]


def _texts(body: list[ast.stmt], content: bytes) -> list[str] | None:
    """The text of each statement, decorators included; None where two share a line."""
    lines = _LINE_ENDS.split(content)
    texts, last = [], 0
    for statement in body:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        end = statement.end_lineno or statement.lineno
        if first <= last:
            return None
        texts.append(b"\n".join(lines[first - 1 : end]).decode("latin-1"))
        last = end
    return texts


def _listing(tree: ast.Module) -> ast.Assign | ast.AnnAssign | None:
    """The one statement that makes CUSTOM_TOOLS; None where it is not only that one."""
    touching = [statement for statement in tree.body if _LIST in _names(statement)]
    if len(touching) != 1:
        return None
    (only,) = touching
    if isinstance(only, ast.Assign) and [getattr(target, "id", None) for target in only.targets] == [_LIST]:
        return only
    if isinstance(only, ast.AnnAssign) and getattr(only.target, "id", None) == _LIST:
        return only
    return None


def _entries(listing: ast.Assign | ast.AnnAssign) -> dict[str, tuple[str, str]] | None:
    """Tool → function and entry; None where the list is not written out, or a name stands there twice."""
    if not isinstance(listing.value, ast.List | ast.Tuple):
        return None
    entries: dict[str, tuple[str, str]] = {}
    for element in listing.value.elts:
        function, name = _entry(element)
        if function is None or name is None or name in entries:
            return None
        entries[name] = (function, ast.dump(element))
    return entries


def _entry(element: ast.expr) -> tuple[str | None, str | None]:
    if isinstance(element, ast.Name):
        return element.id, element.id
    if not isinstance(element, ast.Dict):
        return None, None
    function, name = None, None
    for key, value in zip(element.keys, element.values, strict=True):
        if not isinstance(key, ast.Constant):
            return None, None
        if key.value == "function":
            function = value.id if isinstance(value, ast.Name) else None
        elif not isinstance(value, ast.Constant):
            return None, None
        elif key.value == "name":
            name = value.value if isinstance(value.value, str) else None
    return function, name or function


def _alone(tree: ast.Module, listed: set[str], listing: ast.stmt | None) -> set[str]:
    """The listed functions that only run when they are called, and that no other statement knows."""
    defined: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    others: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name in listed:
            defined.setdefault(statement.name, []).append(statement)
        elif statement is not listing:
            others |= _names(statement) | _bound(statement)
    alone = {name for name, statements in defined.items() if len(statements) == 1 and _is_plain(statements[0])} - others
    # A function that counts for all makes what it uses count for all.
    shared = [statements for name, statements in defined.items() if name not in alone]
    while shared:
        for statement in shared.pop():
            for name in _names(statement) & alone:
                alone.discard(name)
                shared.append(defined[name])
    return alone


def _is_plain(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether its definition does nothing but bind a name: no decorator, nothing called for defaults or hints."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    header = [
        *given.defaults,
        *(default for default in given.kw_defaults if default is not None),
        *(argument.annotation for argument in arguments if argument is not None and argument.annotation is not None),
        *([function.returns] if function.returns is not None else []),
    ]
    binds = any(isinstance(node, ast.Global) for node in ast.walk(function))
    effects = any(isinstance(node, _EFFECTS) for part in header for node in ast.walk(part))
    return not function.decorator_list and not effects and not binds and not getattr(function, "type_params", [])


def _names(node: ast.AST) -> set[str]:
    """Every name that a piece of code mentions, as a name or as an attribute."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            names.add(inner.attr)
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            names.update(inner.names)
    return names


def _bound(node: ast.AST) -> set[str]:
    """Names that a statement gives a meaning without mentioning them as names: definitions and imports."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(inner.name)
        elif isinstance(inner, ast.alias):
            names.add((inner.asname or inner.name).partition(".")[0])
    return names
