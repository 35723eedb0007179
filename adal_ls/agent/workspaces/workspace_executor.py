"""What runs the commands of one workspace under one policy, shared by all who have the same of both."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.sandbox.mounts import Confinement
from adal_ls.agent.sandbox.process import Finished, SandboxLimits, unheard
from adal_ls.agent.workspaces.workspace_policy import InvalidPolicyError, WorkspacePolicy

UNCONFINED_VARIABLE = "ADAL_ALLOW_UNSANDBOXED_BASH"
"""Set to 1 in the environment of the host or the command line, it is the setting of the same name."""


def is_unconfined(setting: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the person lets commands run without a sandbox. Nothing of a workspace is asked."""
    return setting or environ.get(UNCONFINED_VARIABLE) == "1"


@dataclass(eq=False)
class WorkspaceExecutor:
    """Runs commands under `policy`, until it is disposed: then those that run are ended with all their processes.

    Attributes:
        project_root: the project; no sandbox program from in there is used.
        unconfined: a setting of the person says that commands run without a sandbox.
    """

    project_root: Path
    policy: WorkspacePolicy
    unconfined: bool = False
    disposed: bool = field(default=False, init=False)
    _running: set[asyncio.Task[Finished]] = field(default_factory=set, init=False)

    async def run(
        self, command: str, *, pythons: Sequence[Path] = (), on_output: Callable[[bytes], None] = unheard
    ) -> Finished:
        """Runs `command`; see `sandbox.run`. `pythons`: environments it may use beside ours.

        Raises:
            SandboxUnavailableError: it cannot be confined as the policy says, or this executor is disposed.
            ValueError: `command` holds a NUL character.
        """
        if self.disposed:
            raise sandbox.SandboxUnavailableError("the workspace of this tool was disposed: the command was not run")
        task = asyncio.ensure_future(self._run(command, pythons, on_output))
        self._running.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self.disposed:
                raise sandbox.SandboxUnavailableError("the command was ended: its workspace was disposed") from None
            raise
        finally:
            self._running.discard(task)

    async def dispose(self) -> None:
        """Ends what runs; nothing is run after. More than once does no more."""
        self.disposed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def confinement(self) -> Confinement:
        """What a command may reach under the policy.

        Raises:
            SandboxUnavailableError: the policy wants what no sandbox here can keep.
        """
        policy = self.policy
        if policy.allow_network and policy.filters_domains:
            raise sandbox.SandboxUnavailableError(
                "bash is refused: the policy gives commands the network and filters domains (allowed_domains, "
                "denied_domains), which the sandbox cannot keep. Use fetch_url, or a policy without network for "
                "commands. The command was not run"
            )
        if not any(policy.cwd.is_relative_to(folder) for folder in (*policy.allow_read, *policy.allow_write)):
            raise sandbox.SandboxUnavailableError(
                f"bash is refused: the policy does not let {policy.cwd} be read. The command was not run"
            )
        return Confinement(
            cwd=policy.cwd,
            writable=policy.allow_write,
            readable=policy.allow_read,
            frozen=policy.deny_write,
            hidden=policy.deny_read,
            network=bool(policy.allow_network),
            environment=tuple(sorted(policy.environment(os.environ).items())),
        )

    async def _run(self, command: str, pythons: Sequence[Path], on_output: Callable[[bytes], None]) -> Finished:
        limits = SandboxLimits(seconds=self.policy.bash_timeout_ms / 1000)
        if self.unconfined:
            environment = sorted(self.policy.environment(os.environ).items())
            return await sandbox.run_unconfined(
                command, self.policy.cwd, limits=limits, environment=environment, on_output=on_output
            )
        return await sandbox.run(
            command,
            self.project_root,
            limits=limits,
            readable=pythons,
            on_output=on_output,
            confinement=self.confinement(),
        )


class ExecutorPool:
    """Executors by project root, backend and policy, each disposed when the last of its users has released it.

    The pool is the host's: what the worker loads anew changes nothing here.
    """

    def __init__(self, *, unconfined: bool = False) -> None:
        self._unconfined = unconfined
        self._used: dict[tuple[Path, str], tuple[WorkspaceExecutor, int]] = {}

    def acquire(self, project_root: Path, policy: WorkspacePolicy) -> WorkspaceExecutor:
        """The executor of this root and policy, one more time; every call is answered by one `release`.

        Raises:
            InvalidPolicyError: the root is no folder.
        """
        root = Path(os.path.realpath(project_root))
        if not root.is_dir():
            raise InvalidPolicyError(f"the workspace is not there: {project_root}")
        key = (root, policy.key())
        executor, users = self._used.get(key) or (WorkspaceExecutor(root, policy, self._unconfined), 0)
        self._used[key] = (executor, users + 1)
        return executor

    async def release(self, executor: WorkspaceExecutor) -> None:
        """Gives one use back. One that is not of this pool, or that nobody uses any more, is left alone."""
        key = (executor.project_root, executor.policy.key())
        known, users = self._used.get(key) or (None, 0)
        if known is not executor:
            return
        if users > 1:
            self._used[key] = (executor, users - 1)
            return
        del self._used[key]
        await executor.dispose()

    async def close(self) -> None:
        """Disposes all executors, whoever uses them."""
        used, self._used = list(self._used.values()), {}
        await asyncio.gather(*(executor.dispose() for executor, _ in used))
