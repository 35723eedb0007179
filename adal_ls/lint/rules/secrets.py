"""ADAL606: secrets in the source. A local rule over top-level statements; no message repeats the secret."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.rules.base import Rule, statement_rule
from adal_ls.lint.subjects import Statement

_SHAPES = {
    "an API key": r"\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_]{20,}",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "an AWS access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a Slack token": r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}",
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
}
_KNOWN = {what: re.compile(shape) for what, shape in _SHAPES.items()}
_NAME = re.compile(r"(?:^|[_-])(?:password|passwd|pwd|passphrase|api_?key|secret|secret_?key|token|access_?key)$", re.I)
_WORTH_A_LOOK = (
    *("password", "passwd", "pwd", "passphrase", "key", "secret", "token"),
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "akia", "asia", "xox", "aiza", "hf_"),
)
"""In lower case; a statement without any of them holds no secret that is looked for."""
_PLACEHOLDER = re.compile(
    r"example|your|xxx|\.\.\.|changeme|change[_-]me|placeholder|dummy|redacted|todo|fake|sample|insert|replace"
    r"|\*\*|[<>{}$%\s]|://|123456|abcdef",
    re.I,
)
_F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n'
_SHORTEST = 12
_BITS = 3.0
"""Bits for each character: words and placeholders stay below, random text of this length is above."""


@statement_rule(
    code="ADAL606",
    name="secret-literal",
    severity=Severity.WARNING,
    why="Everyone who gets the repository has the secret; if it was shared, it must be changed.",
    failing=f'API_KEY = "q8Zr41LmX0vT9sWk"\n\n\n{_F}',
    passing=f'import os\n\nAPI_KEY = os.environ.get("API_KEY")\n\n\n{_F}',
)
def secret_literal(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    text = statement.text.lower()
    for word in _WORTH_A_LOOK:
        if word in text:
            break
    else:
        return
    seen: set[int] = set()
    for name, node in _strings(statement.node):
        if id(node) in seen or not isinstance(node.value, str):
            continue
        what = _shape(node.value) or (f"the secret for '{name}'" if name and _is_secret(node.value) else None)
        if what is not None:
            seen.add(id(node))
            message = f"This looks like {what}: read it from the environment, os.environ[...]"
            yield rule.finding(message, statement.lines.range_of(node))


def _shape(text: str) -> str | None:
    for what, shape in _KNOWN.items():
        match = shape.search(text)
        if match is not None and not _PLACEHOLDER.search(match.group().replace("-----", "").replace(" ", "")):
            return what
    return None


def _is_secret(text: str) -> bool:
    """Whether a value under a telling name is one: long enough, mixed, and neither a placeholder nor a name."""
    if len(text) < _SHORTEST or _PLACEHOLDER.search(text):
        return False
    letters, digits = any(c.isalpha() for c in text), any(c.isdigit() for c in text)
    is_constant_name = re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", text) is not None
    counts = Counter(text).values()
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
    return letters and digits and not is_constant_name and bits >= _BITS


def _strings(node: ast.stmt) -> Iterator[tuple[str | None, ast.Constant]]:
    """The strings of a statement, docstrings aside, each with the name it is given to if that is a secret's."""
    stack: list[ast.AST] = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
            continue
        for name, value in _given(inner):
            if name is not None and _NAME.search(name) and isinstance(value, ast.Constant):
                yield name, value
        if isinstance(inner, ast.Constant):
            yield None, inner
        stack.extend(ast.iter_child_nodes(inner))


def _given(node: ast.AST) -> Iterator[tuple[str | None, ast.expr | None]]:
    """Names and the values they are given, by whatever syntax."""
    if isinstance(node, ast.Assign):
        yield from ((_name(target), node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        yield _name(node.target), node.value
    elif isinstance(node, ast.keyword):
        yield node.arg, node.value
    elif isinstance(node, ast.Dict):
        yield from ((_text(key), value) for key, value in zip(node.keys, node.values, strict=True))
    elif isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        yield from (
            (a.arg, d) for a, d in zip(positional[len(positional) - len(node.defaults) :], node.defaults, strict=True)
        )
        yield from ((a.arg, d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True))


def _name(target: ast.expr) -> str | None:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    return _text(target.slice) if isinstance(target, ast.Subscript) else None


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
