"""What every built-in tool gets beside its arguments, and how it says that it could not do its work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adal_ls.agent.builtin.todos import TodoList
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy


@dataclass(frozen=True, slots=True)
class BuiltinContext:
    """Of one run; everything in it is from the host, never from the model.

    Attributes:
        root: the project folder.
        pythons: environments bash may use.
        executor: policy and commands of the workspace; the whole of `root` and nothing else where it is left out.
        todos: the run's list.
        base: what the gate saw of the file that an edit starts from (`base_file.seen`); None: nobody looked.
    """

    root: Path
    pythons: Sequence[Path] = ()
    executor: WorkspaceExecutor | None = None
    todos: TodoList = field(default_factory=TodoList)
    base: str | None = None

    @property
    def workspace(self) -> WorkspaceExecutor:
        return self.executor or WorkspaceExecutor(self.root, WorkspacePolicy.of(self.root))

    @property
    def policy(self) -> WorkspacePolicy:
        return self.workspace.policy


class BuiltinError(Exception):
    """The call cannot be done; the text is for the model and says what to do instead."""
