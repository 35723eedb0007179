"""The modules of one `.adal` folder, as far as they import names from each other.

The worker puts the folder at the end of `sys.path`, so that `tools.py` finds `helpers.py` beside it as `helpers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adal_ls.lint.bindings import Binding
from adal_ls.lint.model import ToolFile
from adal_ls.lint.occurrences import Occurrence, Role, imports_from, imports_of, of_attribute, of_name

Modules = Mapping[str, ToolFile]
"""The modules of a folder by the name they are imported under: "tools", "helpers"."""

_STEPS = 10  # modules can import a name in a circle


def home(modules: Modules, module: str, name: str) -> tuple[str, str]:
    """The module of the folder that defines a name, and what it is called there.

    The name's own module where it is defined there, or comes from elsewhere.
    """
    for _ in range(_STEPS):
        file = modules[module]
        if any(d.kind is not Binding.IMPORT for d in file.bindings.definitions.get(name, ())):
            break
        came = next(
            (
                (_local(found.module), found.original)
                for found in imports_from(file.module, file.lines)
                if found.name == name and _local(found.module) in modules
            ),
            None,
        )
        if came is None:
            break
        module, name = came
    return module, name


def everywhere(modules: Modules, module: str, name: str) -> Iterator[tuple[str, str, list[Occurrence]]]:
    """The places of a name that `module` defines, in each module that has some: module, local name, places.

    A module that imports it under another name has the import alone; one that imports the module has `module.name`.
    """
    file = modules[module]
    yield module, name, of_name(file.module, file.lines, name)
    for other, its in modules.items():
        if other == module:
            continue
        found = _imported_in(its, module, name)
        for base in [called for imported, called in imports_of(its.module) if imported == module]:
            found += of_attribute(its.module, its.lines, base, name)
        if found:
            yield other, name, sorted(found, key=lambda occurrence: occurrence.range)


def _imported_in(file: ToolFile, module: str, name: str) -> list[Occurrence]:
    found: list[Occurrence] = []
    for imported in imports_from(file.module, file.lines):
        if _local(imported.module) != module or imported.original != name:
            continue
        if imported.name == name:
            return of_name(file.module, file.lines, name)
        found.append(Occurrence(imported.place, Role.ORIGINAL))
    return found


def _local(module: str) -> str:
    """`.helpers` and `helpers` are the same module here."""
    return module[1:] if module.startswith(".") else module
