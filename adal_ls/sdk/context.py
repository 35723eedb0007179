"""What a provider is told about the call it builds tools for.

Source: the tool-providers document ("getTools receives").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from adal_ls.sdk.errors import InvalidInputError

ContextT_co = TypeVar("ContextT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """The step of a workflow that a call belongs to."""

    workflow_run_id: str
    step_id: str


@dataclass(frozen=True)
class ToolContext(Generic[ContextT_co]):
    """One call of an agent, as its providers see it.

    Attributes:
        agent_id: the agent that runs.
        agent_call_id: this episode; one for each `run` or `stream`, never used again.
        memory_scope: the conversation that the episode belongs to.
        project_root: the project's folder, where the project was loaded or the runtime was given one; else None.
        workflow: the step, inside a workflow; else None.
        tool_provider_context: the value of `agent.run(tool_provider_context=...)` as it was given: neither parsed nor
            checked, and no schema's defaults are filled in. None where none was given (a given None looks the same).
    """

    agent_id: str
    agent_call_id: str
    memory_scope: str
    project_root: Path | None = None
    workflow: WorkflowStep | None = None
    tool_provider_context: ContextT_co | None = None

    def wire(self) -> dict[str, Any]:
        """The envelope as messages carry it; what is None is absent."""
        envelope: dict[str, Any] = {
            "agentId": self.agent_id,
            "agentCallId": self.agent_call_id,
            "memoryScope": self.memory_scope,
        }
        if self.project_root is not None:
            envelope["projectRoot"] = str(self.project_root)
        if self.workflow is not None:
            envelope["workflow"] = {"workflowRunId": self.workflow.workflow_run_id, "stepId": self.workflow.step_id}
        if self.tool_provider_context is not None:
            envelope["toolProviderContext"] = self.tool_provider_context
        return envelope

    @staticmethod
    def from_wire(envelope: Mapping[str, Any]) -> ToolContext[Any]:
        """The context of an envelope that `wire` made.

        Raises:
            KeyError: a required key is missing.
        """
        root, workflow = envelope.get("projectRoot"), envelope.get("workflow")
        return ToolContext(
            agent_id=envelope["agentId"],
            agent_call_id=envelope["agentCallId"],
            memory_scope=envelope["memoryScope"],
            project_root=None if root is None else Path(root),
            workflow=None if workflow is None else WorkflowStep(workflow["workflowRunId"], workflow["stepId"]),
            tool_provider_context=envelope.get("toolProviderContext"),
        )


def parse_tool_context(text: str | None) -> Any:
    """The tool context that a command line gives as JSON, whatever value that is; None where the option is absent.

    Raises:
        InvalidInputError: it is no JSON.
    """
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InvalidInputError(f"Could not parse --tool-context as JSON: {fault}") from None
