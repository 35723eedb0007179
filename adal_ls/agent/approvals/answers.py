"""What an answer to an approval means. Fails closed: whatever is not exactly an answer to the question is a refusal."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.models.assembly import read_arguments
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, OptionKind

if TYPE_CHECKING:
    from jsonschema import ValidationError

MAX_EDITED = 1024 * 1024
"""Bytes of the JSON of edited arguments."""

_MOST_PROBLEMS = 5
_MOST_STEPS = 50_000
"""Keywords of a schema that are looked at for one check, beside one for each character that is checked."""
_KEYED_BY_NAMES = ("properties", "$defs", "definitions", "dependentSchemas")


class _EndlessSchemaError(Exception):
    """The schema takes more steps than any that a function has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was decided. `reason` is for the model where the call was refused; `rule` is the remembered
    one, `waited_ms` how long the person took.
    """

    allowed: bool
    decided_by: str
    option_kind: OptionKind | None = None
    reason: str | None = None
    feedback: str | None = None
    updated_input: dict[str, Any] | None = None
    rule: str | None = None
    option_id: str | None = None
    waited_ms: float | None = None

    @property
    def rejected_by_person(self) -> bool:
        return not self.allowed and self.decided_by == "person"


def refused(decided_by: str, reason: str, feedback: str | None = None) -> Answer:
    return Answer(allowed=False, decided_by=decided_by, reason=reason, feedback=feedback)


def read_answer(given: object, request: ApprovalRequest) -> Answer:
    """What an answer means, if it is one: of the right type, to this question, with an option that was offered."""
    if not isinstance(given, ApprovalAnswer):
        return refused("wrong answer", f"the approver answered with {type(given).__name__}, not with an answer")
    if given.approval_id != request.approval_id:
        return refused("wrong answer", "the answer belongs to another question")
    if given.args_digest != request.args_digest:
        return refused("wrong digest", "the answer is for other arguments than the ones shown")
    if given.outcome == "cancelled":
        return refused("no answer", "the question was closed without an answer", given.feedback)
    option = next((offered for offered in request.options if offered.option_id == given.option_id), None)
    if given.outcome != "selected" or option is None:
        return refused("wrong answer", f"the answer chose '{given.option_id}', which was not offered")
    if option.kind in ("allow_once", "allow_always"):
        return Answer(
            True,
            "person",
            option.kind,
            feedback=given.feedback,
            updated_input=given.updated_input,
            option_id=option.option_id,
        )
    return Answer(False, "person", option.kind, "denied by the user", given.feedback, option_id=option.option_id)


def problem_with(edited: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """What is wrong with edited arguments, and where; None where the tool's schema takes them."""
    try:
        text = canonical(edited)
    except (TypeError, ValueError, RecursionError) as fault:
        return f"the edited arguments are not JSON: {fault}"
    if len(text) > MAX_EDITED:
        return f"the edited arguments take {len(text)} bytes, more than {MAX_EDITED}"
    # They take the way that a model's take, so what is refused there (depth, half a surrogate pair) is refused here.
    _, problem = read_arguments(text)
    if problem is not None:
        return problem
    try:
        found = sorted(_errors(edited, schema, len(text)), key=lambda error: list(map(str, error.absolute_path)))
    except Exception as fault:  # noqa: BLE001 - the schema is the workspace's, and may be anything
        return f"the edited arguments cannot be checked against the tool's schema: {type(fault).__name__}"
    if not found:
        return None
    lines = [f"{_place(error.absolute_path)}: {error.message[:300]}" for error in found[:_MOST_PROBLEMS]]
    more = len(found) - _MOST_PROBLEMS
    return "; ".join(lines) + (f"; and {more} more" if more > 0 else "")


def _errors(edited: Mapping[str, Any], schema: Mapping[str, Any], size: int) -> list[ValidationError]:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    # An empty registry fetches nothing for a `$ref`.
    registry: Registry[Any] = Registry()
    steps, most = itertools.count(1), _MOST_STEPS + size

    def counted(rule: Callable[..., Any]) -> Callable[..., Any]:
        def check(*given: Any) -> Any:
            if next(steps) > most:
                raise _EndlessSchemaError
            return rule(*given)

        return check

    # References to references are as short as they like and take as long as they like.
    extend: Any = validators.extend  # the one function there without types
    bounded = extend(
        Draft202012Validator, {key: counted(rule) for key, rule in Draft202012Validator.VALIDATORS.items()}
    )
    return list(bounded(_without_patterns(schema), registry=registry).iter_errors(dict(edited)))


def _without_patterns(schema: Any, *, names: bool = False) -> Any:
    """`schema` without regular expressions: a hostile one would hold this process up for ever. The worker checks them
    when it is called, and can be killed. `names`: the keys are names of the schema's, no keywords.
    """
    if isinstance(schema, list):
        return [_without_patterns(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: _without_patterns(part, names=not names and key in _KEYED_BY_NAMES)
        for key, part in schema.items()
        if names or key not in ("pattern", "patternProperties")
    }


def _place(path: Iterable[object]) -> str:
    place = "arguments"
    for part in path:
        place += f"[{part}]" if isinstance(part, int) else f".{part}"
    return place
