"""Live classes of data: TypedDict, dataclass, NamedTuple, pydantic model.

Models are recognised by what they hold, so that pydantic is not imported for those who have none.
"""

from __future__ import annotations

import dataclasses
import sys
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from adal_ls.schema import docstring, live_notes, notes
from adal_ls.schema.live_types import Types, resolve
from adal_ls.schema.types import Field, Record, Type, UnknownTypeError

_WRAPPERS = ("Required", "NotRequired", "ReadOnly", "ClassVar", "Final")


def read(kind: type, types: Types, depth: int) -> Type | None:
    """The record that a class stands for; of a RootModel, its root's type; None for a class of another kind.

    Raises:
        UnknownTypeError: a part of it cannot be told.
    """
    if is_model(kind):
        if getattr(kind, "__pydantic_root_model__", False):
            return next(_model(kind, types, depth)).type
        config: Mapping[str, object] = getattr(kind, "model_config", {})
        return _record(kind, _model(kind, types, depth), closed=config.get("extra") == "forbid")
    if dataclasses.is_dataclass(kind):
        return _record(kind, _dataclass(kind, types, depth))
    if is_typed_dict(kind):
        return _record(kind, _typed_dict(kind, types, depth))
    if issubclass(kind, tuple) and hasattr(kind, "_field_defaults") and own_annotations(kind):
        return _record(kind, _named_tuple(kind, types, depth))
    return None


def is_model(kind: type) -> bool:
    """Whether it is a model of pydantic 2."""
    return hasattr(kind, "model_fields") and any(
        base.__name__ == "BaseModel" and base.__module__.startswith("pydantic.") for base in kind.__mro__[1:]
    )


def is_typed_dict(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def own_annotations(kind: type) -> dict[str, Any]:
    """The annotations of the class itself, not of its bases."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return dict(get_annotations(kind, format=Format.FORWARDREF))
    return dict(kind.__dict__.get("__annotations__", {}))  # noqa: RUF063 - not those of a base, as 3.10 gives


def namespace(kind: type) -> dict[str, object]:
    """Where the annotations of a class are looked up."""
    module = sys.modules.get(kind.__module__)
    parameters = getattr(kind, "__type_params__", ())
    return {**(vars(module) if module is not None else {}), **{each.__name__: each for each in parameters}}


def stripped(hint: object, kind: type, types: Types) -> tuple[object, notes.Notes, frozenset[str]]:
    """A field's type without what says how the field is used, in any order with `Annotated`."""
    wrappers: set[str] = set()
    said = notes.NONE
    if isinstance(hint, (str, typing.ForwardRef)):
        hint = resolve(hint, namespace(kind), of_class=True)
    while True:
        hint, more = types.annotated(hint)
        said = more.then(said)
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
            continue
        name = getattr(typing.get_origin(hint) or hint, "_name", None) or getattr(
            typing.get_origin(hint), "__name__", ""
        )
        if name not in _WRAPPERS:
            return hint, said, frozenset(wrappers)
        wrappers.add(name)
        if not typing.get_args(hint):
            return hint, said, frozenset(wrappers)
        hint = typing.get_args(hint)[0]


def _record(kind: type, fields: Iterator[Field], *, closed: bool = False) -> Record:
    origin = getattr(kind, "__pydantic_generic_metadata__", {}).get("origin")
    named: type = origin or kind  # Page, where the class is Page[int]
    own = docstring.of_class(named.__name__, named.__dict__.get("__doc__"))
    documented = docstring.parse(own, attributes=True)
    found = []
    for field in fields:
        text = field.description or documented.parameters.get(field.name)
        found.append(dataclasses.replace(field, description=text))
    return Record(named.__name__, kind, tuple(found), documented.description, closed)


def _field(
    kind: type,
    name: str,
    hint: object,
    types: Types,
    depth: int,
    said: notes.Notes = notes.NONE,
    *,
    required: bool | None = None,
) -> Field | None:
    try:
        inner, beside, wrappers = stripped(hint, kind, types)
        if "ClassVar" in wrappers:
            return None
        said = said.over(beside)
        if required is not None:  # of a TypedDict: as its class says, unless the key says otherwise
            required = "NotRequired" not in wrappers and ("Required" in wrappers or required)
        node = notes.bounded(types.type(inner, namespace(kind), depth), said)
    except UnknownTypeError as fault:
        raise UnknownTypeError(f"{kind.__name__}.{name}: {fault}") from None
    return Field(
        said.alias or name,
        node,
        not notes.has_default(said) if required is None else required,
        notes.json_part(said),
        said.shown,
    )


def _model(kind: type, types: Types, depth: int) -> Iterator[Field]:
    if not getattr(kind, "__pydantic_complete__", True):
        # Names that were missing when the class was made may be there by now.
        try:
            kind.model_rebuild(raise_errors=False)  # type: ignore[attr-defined]
        except Exception as fault:
            raise UnknownTypeError(f"{kind.__name__}: {type(fault).__name__}: {fault}") from fault
    fields: Mapping[str, Any] = kind.model_fields  # type: ignore[attr-defined]
    for name, info in fields.items():
        owner = next((base for base in kind.__mro__ if name in own_annotations(base)), kind)
        try:
            said = live_notes.field(info)
            hint = info.annotation
            inner, beside, _ = stripped(hint, owner, types)
            said = said.over(beside)
            node = notes.bounded(types.type(inner, namespace(owner), depth), said)
        except UnknownTypeError as fault:
            raise UnknownTypeError(f"{kind.__name__}.{name}: {fault}") from None
        yield Field(said.alias or name, node, not notes.has_default(said), notes.json_part(said), said.shown)


def _dataclass(kind: type, types: Types, depth: int) -> Iterator[Field]:
    fields: Mapping[str, dataclasses.Field[object]] = kind.__dataclass_fields__  # type: ignore[attr-defined]
    for name, info in fields.items():
        said = live_notes.dataclass_field(info)
        if not info.init or not said.init:
            continue
        owner = next((base for base in kind.__mro__ if name in own_annotations(base)), kind)
        field = _field(
            owner,
            name,
            own_annotations(owner).get(name, info.type),
            types,
            depth,
            dataclasses.replace(said, alias=None),
        )
        if field is not None:
            yield field


def _typed_dict(kind: type, types: Types, depth: int) -> Iterator[Field]:
    required: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]
    for name, hint in own_annotations(kind).items():
        field = _field(kind, name, hint, types, depth, required=name in required)
        if field is not None:
            yield field


def _named_tuple(kind: type, types: Types, depth: int) -> Iterator[Field]:
    defaults: Mapping[str, object] = kind._field_defaults  # type: ignore[attr-defined]
    for name, hint in own_annotations(kind).items():
        said = live_notes.default(defaults[name]) if name in defaults else notes.NONE
        field = _field(kind, name, hint, types, depth, said)
        if field is not None:
            yield field
