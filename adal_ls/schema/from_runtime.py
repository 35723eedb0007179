"""A tool's schema from the live function: what the run uses."""

from __future__ import annotations

import enum
import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping

from adal_ls.schema.signature import (
    ABSENT,
    Parameter,
    SchemaProblem,
    ToolSchema,
    build,
    json_default,
    self_problem,
    stars_problem,
    type_problem,
)
from adal_ls.schema.types import ANY, NULL, SCALARS, Type, UnknownTypeError, choice, generic, union

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
    parameters: list[Parameter] = []
    for index, parameter in enumerate(signature.parameters.values()):
        if parameter.kind in _STARS:
            stars.append(stars_problem(_STARS[parameter.kind] + parameter.name))
        elif index == 0 and parameter.name in ("self", "cls"):
            problems.append(self_problem(parameter.name))
        else:
            parameters.append(_parameter(parameter, namespace, problems))
    return build(parameters, _doc(function), [*problems, *stars])


def resolve(annotation: object, namespace: Mapping[str, object]) -> object:
    """The type that an annotation means, quoted names looked up in `namespace`.

    Raises:
        UnknownTypeError: it cannot be evaluated.
    """
    # One at a time: `get_type_hints` of a whole function gives nothing when one name is missing.
    carrier = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(carrier, globalns=dict(namespace), include_extras=True)["it"]
    except Exception as fault:  # evaluating an annotation runs code of the project
        raise UnknownTypeError(_shown(annotation)) from fault


def signature_of(function: Callable[..., object]) -> inspect.Signature:
    """`inspect.signature`, without evaluating annotations that cannot be.

    Raises:
        TypeError, ValueError: Python knows no signature of it.
    """
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.FORWARDREF)
    return inspect.signature(function)


def namespace_of(function: Callable[..., object]) -> Mapping[str, object]:
    """The module globals in which the annotations of `function` were written."""
    found = getattr(_plain(function), "__globals__", None)
    return found if isinstance(found, dict) else {}


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
    parameter: inspect.Parameter, namespace: Mapping[str, object], problems: list[SchemaProblem]
) -> Parameter:
    node: Type = ANY
    text: str | None = None
    if parameter.annotation is not inspect.Parameter.empty:
        try:
            hint = resolve(parameter.annotation, namespace)
            node = _type(hint, namespace)
            if typing.get_origin(hint) is typing.Annotated:
                text = next((extra for extra in typing.get_args(hint)[1:] if isinstance(extra, str) and extra), None)
        except UnknownTypeError as fault:
            problems.append(type_problem(parameter.name, str(fault)))
    required = parameter.default is inspect.Parameter.empty
    default = ABSENT if required else json_default(parameter.default)
    return Parameter(parameter.name, node, required, default, text)


def _type(hint: object, namespace: Mapping[str, object]) -> Type:
    if hint is None:
        return NULL
    if isinstance(hint, str):  # Python 3.10 leaves the quotes inside list["int"]
        return _type(resolve(hint, namespace), namespace)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        for value in arguments:
            if value is not None and type(value) not in (str, int, bool):
                raise UnknownTypeError(f"Literal of {value!r}")
        return choice(arguments)
    if origin is typing.Annotated:
        return _type(arguments[0], namespace)
    if origin is typing.Union or origin is types.UnionType:
        return union([_type(argument, namespace) for argument in arguments])
    if type(hint).__name__ == "TypeAliasType":  # `type X = ...`, Python 3.12
        return _type(hint.__value__, namespace)  # type: ignore[attr-defined]
    if origin is None and isinstance(hint, enum.EnumMeta):
        return _enum(hint)
    name = _dotted(hint if origin is None else origin)
    if origin is None and name in SCALARS:
        return SCALARS[name]
    open_ended = len(arguments) == 2 and arguments[1] is ...
    if open_ended:
        arguments = arguments[:1]
    elif arguments == ((),):  # tuple[()] before Python 3.11
        arguments = ()
    try:
        return generic(name, [_type(argument, namespace) for argument in arguments], open_ended=open_ended)
    except UnknownTypeError:
        raise UnknownTypeError(_shown(hint)) from None


def _enum(kind: enum.EnumMeta) -> Type:
    members: list[enum.Enum] = list(kind.__members__.values())
    values = [member.value for member in members]
    if not values or any(type(value) not in (str, int, bool) for value in values):
        raise UnknownTypeError(kind.__name__)
    return choice(values)


def _dotted(kind: object) -> str:
    if kind is typing.Any:
        return "typing.Any"
    # Where a class is written differs from where it is found: pathlib keeps Path in pathlib._local since 3.13.
    module = str(getattr(kind, "__module__", "")).partition("._")[0]
    return f"{module}.{getattr(kind, '__qualname__', kind)}"


def _shown(hint: object) -> str:
    if isinstance(hint, str):
        return hint
    if isinstance(hint, typing.ForwardRef):
        return hint.__forward_arg__
    return hint.__qualname__ if inspect.isclass(hint) and typing.get_origin(hint) is None else str(hint)
