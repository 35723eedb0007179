"""`adal-ls rule`: what the lint looks for, and why."""

from __future__ import annotations

from typing import Any

import click

from adal_ls.cli.output import give, give_json
from adal_ls.lint.document import silencing
from adal_ls.lint.rules import RULES, Rule
from adal_ls.lint.settings.codes import nearest_code, read_code
from adal_ls.lint.settings.config import FIXED


@click.command("rule")
@click.argument("code", required=False, metavar="[CODE]")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
def command(code: str | None, style: str) -> int:
    """Explain a rule of the lint, by its code (ADAL103) or its name (duplicate); list all if none is given."""
    if code is None:
        rules = [RULES[known] for known in sorted(RULES)]
        if style == "json":
            give_json([as_json(rule) for rule in rules])
        else:
            give("\n".join(_line(rule) for rule in rules))
        return 0
    rule = _find(code)
    if style == "json":
        give_json(as_json(rule))
    else:
        give(_text(rule))
    return 0


def as_json(rule: Rule[Any]) -> dict[str, Any]:
    """A rule for machines; `fix` is absent where there is none."""
    fix = {"fix": rule.fix} if rule.fix else {}
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "why": rule.why,
        "failing": rule.failing,
        "passing": rule.passing,
        **fix,
        "silenceable": rule.code not in FIXED,
    }


def _find(given: str) -> Rule[Any]:
    found = RULES.get(read_code(given) or "")
    if found is None:
        near = nearest_code(given)
        advice = f"did you mean {near}?" if near else "`adal-ls rule` lists all."
        raise click.UsageError(f"There is no rule '{given}'; {advice}")
    return found


def _line(rule: Rule[Any]) -> str:
    return f"{rule.code}  {rule.severity.value:<11}  {rule.name:<28}  {rule.why}"


def _text(rule: Rule[Any]) -> str:
    parts = [
        f"{rule.code} {rule.name} ({rule.severity.value})",
        rule.why,
        *([f"Fails:\n\n{_indented(rule.failing)}", f"Passes:\n\n{_indented(rule.passing)}"] if rule.failing else []),
        *([f"Fix: {rule.fix}"] if rule.fix else []),
        silencing(rule),
    ]
    return "\n\n".join(parts)


def _indented(source: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in source.rstrip().split("\n"))
