"""The modules of one `.adal` folder, as far as they import names from each other.

The worker puts the folder at the end of `sys.path`, so that `tools.py` finds `helpers.py` beside it as `helpers`, and
`pack/deep.py` as `pack.deep`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules.around import ModuleText, Resolve
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.modules.occurrences import (
    Imported,
    Occurrence,
    Role,
    imports_from,
    imports_of,
    of_attribute,
    of_name,
    star_imports,
)

Modules = Mapping[str, ToolFile]
"""The modules of a folder by the names they are imported under: "tools", "pack" (its `__init__`), "pack.deep"."""

_STEPS = 10  # modules can import a name in a circle


def home(modules: Modules, module: str, name: str) -> tuple[str, str]:
    """The module of the folder that defines a name, and what it is called there.

    The name's own module where it is defined there, or comes from elsewhere.
    """
    for _ in range(_STEPS):
        file = modules[module]
        if any(d.kind is not Binding.IMPORT for d in file.bindings.definitions.get(name, ())):
            break
        came = next(_origins(modules, module, name), None)
        if came is None:
            break
        module, name = came
    return module, name


def _origins(modules: Modules, module: str, name: str) -> Iterator[tuple[str, str]]:
    """Where `module` imports a name from, by name or with all names of a module."""
    file = modules[module]
    for found in imports_from(file.module, file.lines):
        origin = absolute(modules, module, found.module)
        if found.name == name and origin is not None and origin in modules:
            yield origin, found.original
    for written in star_imports(file.module):
        origin = absolute(modules, module, written)
        if origin is not None and origin in modules and _gives(modules[origin], name):
            yield origin, name


def everywhere(modules: Modules, module: str, name: str) -> Iterator[tuple[str, str, list[Occurrence]]]:
    """The places of a name that `module` defines, in each module that has some: module, local name, places.

    A module that imports it under another name has the import alone; one that imports the module has `module.name`.
    One that imports it under its own name hands it on.
    """
    file = modules[module]
    found: dict[str, list[Occurrence]] = {module: of_name(file.module, file.lines, name)}
    handing_on, seen = [module], {module}
    while handing_on:
        source = handing_on.pop()
        for other in modules:
            if other == source:
                continue
            places, owns = _places_in(modules, other, source, name)
            if places:
                found[other] = [*found.get(other, ()), *places]
            if owns and other not in seen:
                seen.add(other)
                handing_on.append(other)
    for other, places in found.items():
        yield other, name, sorted(set(places), key=lambda occurrence: occurrence.range)


def _places_in(modules: Modules, other: str, source: str, name: str) -> tuple[list[Occurrence], bool]:
    """The places at which `other` means the `name` of `source`, and whether it has it under that name itself."""
    its, found, owns = modules[other], list[Occurrence](), False
    bases = []
    for imported in imports_from(its.module, its.lines):
        origin = absolute(modules, other, imported.module)
        if origin == source and imported.original == name:
            owns = owns or imported.name == name
            if imported.name != name:
                found.append(Occurrence(imported.place, Role.ORIGINAL))
        elif origin is not None and _joined(origin, imported) == source:
            bases.append(imported.name)
    named = any(imported.name == name for imported in imports_from(its.module, its.lines))
    if not named and all(d.kind is Binding.IMPORT for d in its.bindings.definitions.get(name, ())):
        stars = {absolute(modules, other, written) for written in star_imports(its.module)}
        owns = source in stars and _gives(modules[source], name)
    if owns:
        found += of_name(its.module, its.lines, name)
    for imported_module, called in imports_of(its.module):
        if imported_module == source:
            bases.append(called)
        elif source.startswith(f"{imported_module}."):
            bases.append(f"{called}{source[len(imported_module) :]}")
    for base in dict.fromkeys(bases):
        found += of_attribute(its.module, its.lines, base, name)
    return found, owns


def _joined(origin: str, imported: Imported) -> str:
    return f"{origin}.{imported.original}" if origin else imported.original


def _gives(file: ToolFile, name: str) -> bool:
    """Whether `from module import *` takes a name."""
    names = file.public_names
    return names is not None and name in names


def absolute(modules: Modules, module: str, written: str) -> str | None:
    """The module that an import statement of `module` names, leading dots as they are written; None for one that is
    not beside it. The standard library comes before the folder."""
    dots = len(written) - len(written.lstrip("."))
    if not dots:
        return None if written.partition(".")[0] in sys.stdlib_module_names else written
    parts = module.split(".")
    up = dots - 1 if is_package(modules, module) else dots
    if up > len(parts):
        return None
    return ".".join(part for part in [*parts[: len(parts) - up], written[dots:]] if part)


def is_package(modules: Modules, module: str) -> bool:
    """Whether a module is the `__init__` of a folder with others."""
    return any(other.startswith(f"{module}.") for other in modules)


def resolver(modules: Modules, changed: Mapping[str, str]) -> Resolve:
    """Resolves names among these modules, of which some have another text."""
    texts = {
        name: ModuleText(name, changed.get(name, file.text), is_package(modules, name))
        for name, file in modules.items()
    }
    return texts.get
