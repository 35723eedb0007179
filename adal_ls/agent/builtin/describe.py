"""The tool describe_workspace_env of workspace providers: where files and commands are, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adal_ls.agent.builtin import arguments
from adal_ls.agent.builtin.context import BuiltinContext


async def describe_workspace_env(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """The policy in words; raises `BuiltinError` for arguments, which it does not have."""
    arguments.only("describe_workspace_env", given)
    policy = context.policy
    sandbox = "no sandbox: all rights of the user" if context.workspace.unconfined else "a sandbox"
    network = "the network" if policy.allow_network else "no network"
    lines = [
        f"files: relative paths start in {policy.cwd}",
        f"bash: starts in {policy.cwd}, in {sandbox}, with {network}, {policy.bash_timeout_ms / 1000:g} seconds",
        f"may be read: {_listed(policy.allow_read)}; not: {_listed(policy.deny_read)}",
        f"may be written: {_listed(policy.allow_write)}; not: {_listed(policy.deny_write)}",
        f"sizes: {policy.max_read_bytes:,} bytes read, {policy.max_write_bytes:,} written by one call",
    ]
    if policy.allow_network is not False:
        lines.append(f"fetch_url: {', '.join(policy.allowed_domains)}; not: {', '.join(policy.denied_domains) or '-'}")
    return "\n".join(lines)


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths)) or "-"
