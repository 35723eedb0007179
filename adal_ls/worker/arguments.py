"""Arguments from a model, checked against the live signature and turned into its types. In the worker.

Each parameter is checked alone, so that no name (schema, json, copy, ...) can clash with a model's attributes.
"""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from adal_ls.schema.live_signature import namespace_of, signature_of
from adal_ls.schema.live_types import resolve
from adal_ls.schema.types import UnknownTypeError
from adal_ls.worker import hints
from adal_ls.worker.listing import Function

_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class BadArgumentsError(Exception):
    """The call cannot be made; the text tells the model every argument that is wrong, and how."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """`adapter` is None where the type cannot be read: then anything passes.

    `default` gives what is passed where the model gives nothing: None where the parameter is required. `implied`: the
    function itself has that default, so it need not be passed.
    """

    positional_only: bool
    adapter: TypeAdapter[Any] | None
    default: Callable[[], object] | None
    implied: bool

    @property
    def takes_none(self) -> bool:
        return self.default is not None and self.default() is None


class Signature:
    """The parameters of one tool that a model can fill."""

    def __init__(self, tool: str, function: Function, hidden: Collection[str | None] = ()) -> None:
        """`hidden`: parameters that a model is not told of; they are None, or what the function has for them."""
        self._tool = tool
        namespace = namespace_of(function)
        self._parameters = {
            name: _parameter(parameter, namespace)
            for name, parameter in signature_of(function).parameters.items()
            if parameter.kind not in _STARS
        }
        self._offered = [name for name in self._parameters if name not in hidden]
        for name in self._parameters.keys() - {*self._offered}:
            hides = self._parameters[name]
            self._parameters[name] = replace(hides, default=hides.default or _nothing)

    def bind(self, arguments: Mapping[str, object]) -> tuple[list[object], dict[str, object]]:
        """Positional and keyword arguments for the function.

        Raises:
            BadArgumentsError: an argument is missing, unknown or of the wrong type.
        """
        faults = [
            f"unknown argument '{name}' (it takes: {', '.join(self._offered) or 'no arguments'})"
            for name in arguments
            if name not in self._offered
        ]
        values: dict[str, object] = {}
        for name, parameter in self._parameters.items():
            if name in arguments and name in self._offered:
                try:
                    values[name] = _convert(parameter, arguments[name])
                except _RefusedError as refused:
                    faults.extend(_reasons(name, refused))
            elif parameter.default is None:
                faults.append(f"missing argument '{name}'")
            elif not parameter.implied:
                values[name] = parameter.default()
        if faults:
            raise BadArgumentsError(f"Invalid arguments for '{self._tool}': {'; '.join(faults)}.")
        return self._split(values)

    def _split(self, values: dict[str, object]) -> tuple[list[object], dict[str, object]]:
        only = {name: parameter for name, parameter in self._parameters.items() if parameter.positional_only}
        given = [index for index, name in enumerate(only) if name in values]
        positional = [
            values.pop(name) if name in values else parameter.default and parameter.default()
            for name, parameter in list(only.items())[: given[-1] + 1 if given else 0]
        ]
        return positional, values


def _nothing() -> None:
    """What a parameter is given that no model fills."""


class _RefusedError(Exception):
    """pydantic refuses the value; `value` is what it was given."""

    def __init__(self, value: object, fault: ValidationError) -> None:
        super().__init__()
        self.value = value
        self.fault = fault


def _parameter(parameter: inspect.Parameter, namespace: Mapping[str, object]) -> _Parameter:
    hint: object = Any
    said: list[FieldInfo] = [parameter.default] if isinstance(parameter.default, FieldInfo) else []
    readable = parameter.annotation is not inspect.Parameter.empty
    try:
        if readable:
            hint = resolve(parameter.annotation, namespace)
            said.extend(extra for extra in _beside(hint) if isinstance(extra, FieldInfo))
    except UnknownTypeError:
        readable = False
    default: Callable[[], object] | None = None
    implied = False
    filled = next((info for info in said if not info.is_required()), None)
    if parameter.default is not inspect.Parameter.empty and not isinstance(parameter.default, FieldInfo):
        default, implied = (lambda: parameter.default), True
    elif filled is not None:
        default = _filler(filled)
    own = hints.bounds(parameter.default) if isinstance(parameter.default, FieldInfo) else ()
    adapter = _adapter(hint, own, namespace) if readable or own else None
    return _Parameter(parameter.kind is inspect.Parameter.POSITIONAL_ONLY, adapter, default, implied)


def _filler(info: FieldInfo) -> Callable[[], object]:
    # A copy for every call, as pydantic makes one for every model.
    return lambda: info.get_default(call_default_factory=True, validated_data={})


def _beside(hint: object) -> tuple[object, ...]:
    """The arguments of `Annotated` after the first; `type X = Annotated[...]` counts, too."""
    while type(hint).__name__ == "TypeAliasType":
        hint = hint.__value__  # type: ignore[attr-defined]
    return typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ()


def _adapter(hint: Any, own: tuple[object, ...], namespace: Mapping[str, object]) -> TypeAdapter[Any] | None:
    """What checks the parameter; None where its type cannot be read, then anything passes."""
    try:
        checked: Any = hints.annotated(hints.checkable(hint, namespace), own)
        return TypeAdapter(checked)
    except Exception:  # noqa: BLE001 - no such name, no schema, or a fault in the schema code of the project's type
        return None


def _convert(parameter: _Parameter, value: object) -> object:
    """
    Raises:
        _RefusedError: not of the parameter's type.
    """
    if parameter.adapter is None or (value is None and parameter.takes_none):
        return value
    try:
        return parameter.adapter.validate_python(value)
    except ValidationError as fault:
        # Models send lists and objects as JSON text. Only what is no good as text is read as JSON.
        try:
            decoded = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            decoded = value
        if decoded is value:
            raise _RefusedError(value, fault) from None
    try:
        return parameter.adapter.validate_python(decoded)
    except ValidationError as fault:
        raise _RefusedError(decoded, fault) from None


def _reasons(name: str, refused: _RefusedError) -> list[str]:
    """One reason for each wrong part of the argument; the members of a union give several."""
    reasons = [
        f"'{name}{_path(error['loc'], refused.value)}': {error['msg'][:1].lower()}{error['msg'][1:]}"
        + ("" if error["type"] == "missing" else f" (given: {_short(error['input'])})")
        for error in refused.fault.errors(include_url=False, include_context=False)
    ]
    return list(dict.fromkeys(reasons))


def _path(location: tuple[int | str, ...], value: object) -> str:
    """The place inside the value that was given: keys and indices.

    pydantic names members of a union and checks among them, which tell a model nothing: they are in no value.
    """
    path = ""
    for index, part in enumerate(location):
        if isinstance(value, Mapping) and (part in value or index == len(location) - 1):
            path += f".{part}"
            value = value.get(part)
        elif isinstance(value, (list, tuple)) and isinstance(part, int) and part < len(value):
            path += f"[{part}]"
            value = value[part]
    return path


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
