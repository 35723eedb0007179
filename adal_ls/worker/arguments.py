"""Arguments from a model, checked against the live signature and turned into its types. In the worker.

The only module that needs pydantic. Each parameter is checked alone, so that no name (schema, json, copy, ...) can
clash with a model's attributes.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from adal_ls.schema.from_runtime import namespace_of, resolve, signature_of
from adal_ls.worker.listing import Function

_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class BadArgumentsError(Exception):
    """The call cannot be made; the text tells the model every argument that is wrong, and how."""


class Signature:
    """The parameters of one tool that a model can fill."""

    def __init__(self, tool: str, function: Function) -> None:
        self._tool = tool
        namespace = namespace_of(function)
        self._parameters = {
            name: parameter
            for name, parameter in signature_of(function).parameters.items()
            if parameter.kind not in _STARS
        }
        self._adapters = {name: _adapter(parameter, namespace) for name, parameter in self._parameters.items()}

    def bind(self, arguments: Mapping[str, object]) -> tuple[list[object], dict[str, object]]:
        """Positional and keyword arguments for the function.

        Raises:
            BadArgumentsError: an argument is missing, unknown or of the wrong type.
        """
        faults = [
            f"unknown argument '{name}' (it takes: {', '.join(self._parameters) or 'no arguments'})"
            for name in arguments
            if name not in self._parameters
        ]
        values: dict[str, object] = {}
        for name, parameter in self._parameters.items():
            if name in arguments:
                try:
                    values[name] = self._convert(name, parameter, arguments[name])
                except ValidationError as fault:
                    faults.extend(_reasons(name, fault))
            elif parameter.default is inspect.Parameter.empty:
                faults.append(f"missing argument '{name}'")
        if faults:
            raise BadArgumentsError(f"Invalid arguments for '{self._tool}': {'; '.join(faults)}.")
        return self._split(values)

    def _convert(self, name: str, parameter: inspect.Parameter, value: object) -> object:
        adapter = self._adapters[name]
        if adapter is None or (value is None and parameter.default is None):
            return value
        try:
            return adapter.validate_python(value)
        except ValidationError as fault:
            # Models send lists and objects as JSON text. Only what is no good as text is read as JSON.
            if not isinstance(value, str):
                raise
            try:
                decoded = json.loads(value)
            except ValueError:
                raise fault from None
            return adapter.validate_python(decoded)

    def _split(self, values: dict[str, object]) -> tuple[list[object], dict[str, object]]:
        only = [name for name, p in self._parameters.items() if p.kind is inspect.Parameter.POSITIONAL_ONLY]
        given = [index for index, name in enumerate(only) if name in values]
        positional = [
            values.pop(name) if name in values else self._parameters[name].default
            for name in only[: given[-1] + 1 if given else 0]
        ]
        return positional, values


def _adapter(parameter: inspect.Parameter, namespace: Mapping[str, object]) -> TypeAdapter[Any] | None:
    """What checks the parameter; None where its type cannot be read, then anything passes."""
    if parameter.annotation is inspect.Parameter.empty:
        return None
    try:
        hint: Any = resolve(parameter.annotation, namespace)
        return TypeAdapter(hint)
    except Exception:  # noqa: BLE001 - no such name, no schema, or a fault in the schema code of the project's type
        return None


def _reasons(name: str, fault: ValidationError) -> list[str]:
    """One reason for each wrong part of the argument; the members of a union give several."""
    return [
        f"'{name}{_path(error['loc'])}': {error['msg'][:1].lower()}{error['msg'][1:]} (given: {_short(error['input'])})"
        for error in fault.errors(include_url=False, include_context=False)
    ]


def _path(location: tuple[int | str, ...]) -> str:
    """The place inside a list; names stand for members of a union as well, which tell a model nothing."""
    return "".join(f"[{part}]" for part in location if isinstance(part, int))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
