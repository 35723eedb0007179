"""A tool's schema from the live function: what the run uses."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping

from adal_ls.schema import contexts, live_notes, notes
from adal_ls.schema.live_types import Types, resolve
from adal_ls.schema.notes import Notes
from adal_ls.schema.signature import (
    SchemaProblem,
    ToolSchema,
    build,
    context_problem,
    self_problem,
    stars_problem,
    type_problem,
)
from adal_ls.schema.types import ABSENT, ANY, Field, Type, UnknownTypeError

_STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def from_runtime(function: Callable[..., object]) -> ToolSchema:
    """The schema of `function` (also a bound method, a partial or a callable object), wrappers followed.

    `typing` keeps one object for `List[Literal["a", "b"]]` and `List[Literal["b", "a"]]`, so where a file holds both
    the order of such values can differ from the source's; nothing else does.

    Raises:
        TypeError, ValueError: Python knows no signature of it (some functions written in C).
    """
    signature = signature_of(function)
    namespace = namespace_of(function)
    problems: list[SchemaProblem] = []
    stars: list[SchemaProblem] = []
    parameters: list[Field] = []
    types = Types()
    for index, parameter in enumerate(signature.parameters.values()):
        if parameter.kind in _STARS:
            stars.append(stars_problem(_STARS[parameter.kind] + parameter.name))
        elif index == 0 and parameter.name in ("self", "cls"):
            problems.append(self_problem(parameter.name))
        else:
            found: list[SchemaProblem] = []
            field = _parameter(parameter, namespace, types, found)
            if index == 0 and _is_context(parameter, namespace, fails=bool(found)):
                problems.append(context_problem(parameter.name))
            else:
                problems += found
                parameters.append(field)
    return build(parameters, _doc(function), [*problems, *stars])


def _is_context(parameter: inspect.Parameter, namespace: Mapping[str, object], *, fails: bool) -> bool:
    """`fails`: its type has no schema."""
    hint = parameter.annotation
    if hint is inspect.Parameter.empty:
        return contexts.is_meant(parameter.name, None)
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    if not contexts.is_meant(parameter.name, text):
        return False
    return fails or contexts.is_elsewhere(resolve(hint, namespace), namespace)


def signature_of(function: Callable[..., object]) -> inspect.Signature:
    """`inspect.signature`, without evaluating annotations that cannot be, and without what a partial fills by name:
    who does so does not mean the model to see it.

    Raises:
        TypeError, ValueError: Python knows no signature of it.
    """
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        signature = inspect.signature(function, annotation_format=Format.FORWARDREF)
    else:
        signature = inspect.signature(function)
    if not isinstance(function, functools.partial) or not function.keywords:
        return signature
    return signature.replace(
        parameters=[parameter for parameter in signature.parameters.values() if parameter.name not in function.keywords]
    )


def namespace_of(function: Callable[..., object]) -> Mapping[str, object]:
    """The module globals in which the annotations of `function` were written."""
    plain = _plain(function)
    found = getattr(plain, "__globals__", None)
    if not isinstance(found, dict):
        return {}
    parameters = getattr(plain, "__type_params__", ())  # of `def f[T](...)`, Python 3.12
    return {**found, **{each.__name__: each for each in parameters}} if parameters else found


def _plain(function: Callable[..., object]) -> Callable[..., object]:
    """The function that holds signature, globals and docstring."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = inspect.unwrap(function)
        elif inspect.isroutine(function) or inspect.isclass(function):
            return function
        else:
            function = type(function).__call__


def _doc(function: Callable[..., object]) -> str | None:
    if isinstance(function, functools.partial):
        return _doc(function.func)
    if inspect.isroutine(function) or inspect.isclass(function):
        return function.__doc__
    return type(function).__call__.__doc__ or function.__doc__


def _parameter(
    parameter: inspect.Parameter, namespace: Mapping[str, object], types: Types, problems: list[SchemaProblem]
) -> Field:
    node: Type = ANY
    said = notes.NONE
    if parameter.annotation is not inspect.Parameter.empty:
        try:
            hint, beside = types.annotated(resolve(parameter.annotation, namespace))
            node, said = types.type(hint, namespace), beside
        except UnknownTypeError as fault:
            problems.append(type_problem(parameter.name, str(fault)))
    if parameter.default is not inspect.Parameter.empty:
        try:
            said = live_notes.default(parameter.default).over(said)
        except UnknownTypeError:
            said = Notes(default=ABSENT).over(said)
    required = not notes.has_default(said)
    return Field(parameter.name, notes.bounded(node, said), required, notes.json_part(said), said.shown)
