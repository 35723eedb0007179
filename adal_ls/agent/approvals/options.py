"""What a person may answer to one question. Pure.

Every option says what it covers and how long it holds, in its label and, word for word, in its rule: a client that
shows nothing but titles shows enough. The first `allow_always` is the narrowest: this call, in this workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adal_ls.agent.approvals.rules import Rule
from adal_ls.agent.approvals.visible import visible
from adal_ls.protocol.approvals import ApprovalOption, Life

ALLOW_ONCE = ApprovalOption(option_id="allow_once", kind="allow_once", label="Allow once")
REJECT_ONCE = ApprovalOption(option_id="reject_once", kind="reject_once", label="Deny")

_HOLDS: dict[Life, str] = {
    "workspace": "in this workspace, until you revoke it (adal-ls grants)",
    "session": "until this session ends",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What an option that is remembered stands for."""

    rule: Rule
    life: Life


def options_of(
    tool: str, rules: Sequence[Rule], lives: Sequence[Life]
) -> tuple[list[ApprovalOption], dict[str, Choice]]:
    """The options for a call, and what those that are remembered stand for, by option id.

    `rules` are empty where no answer may be remembered.
    """
    options, choices = [ALLOW_ONCE], {}
    for rule in rules:
        for life in lives:
            option_id = f"always_{rule.covers}_{life}"
            choices[option_id] = Choice(rule, life)
            options.append(
                ApprovalOption(
                    option_id=option_id,
                    kind="allow_always",
                    label=f"Always allow {visible(_named(tool, rule))} (this {life})",
                    rule=visible(f"{rule.text(tool)}; {_HOLDS[life]}"),
                    covers=rule.covers,
                    life=life,
                )
            )
    options.append(REJECT_ONCE)
    options.append(
        ApprovalOption(
            option_id="reject_always",
            kind="reject_always",
            label="Always deny with these arguments (this session)",
            rule=visible(f"{tool} with exactly these arguments is denied without asking, until this session ends"),
            covers="arguments",
            life="session",
        )
    )
    return options, choices


def _named(tool: str, rule: Rule) -> str:
    if rule.kind == "arguments":
        return "with these arguments"
    if rule.kind == "tool":
        return f"every call of {tool}"
    return f"{tool}: {rule.value}" + (" …" if rule.kind == "words" else "")
