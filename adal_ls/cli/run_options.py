"""The options that every command takes that runs an agent, and what they make of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adal_ls.cli.numbers import Amount, Count
from adal_ls.cli.time_options import load_seconds_option, tool_seconds_option

if TYPE_CHECKING:
    from adal_ls.protocol.host import HostSettings
    from adal_ls.protocol.runs import PermissionMode, RunStartParams

F = TypeVar("F", bound=Callable[..., Any])

_AGENT = click.option("--agent", metavar="ID", help="One of the project's agents (adal-ls agent list).")
_OPTIONS = (
    click.option("-m", "--model", metavar="MODEL", help="Any litellm id, script:FILE.yaml, or offline (no model)."),
    _AGENT,
    click.option("-p", "--prompt", "system_prompt", metavar="TEXT", help="The system prompt, in place of ours."),
    click.option(
        "--prompt-file",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="The same from a file.",
    ),
    click.option("--yolo", is_flag=True, help="Run every tool without asking."),
    click.option("--permission-mode", type=click.Choice(["default", "acceptEdits", "yolo"])),
    click.option("--enabled-default-tools", metavar="CSV", help="Only these built-in tools (names or groups)."),
    click.option("--disabled-default-tools", metavar="CSV", help="All built-in tools but these (names or groups)."),
    click.option("--max-steps", type=Count(), metavar="N", help="Requests to the model; else 20."),
    click.option("--max-seconds", type=Amount(), metavar="N", help="Waiting for you aside."),
    click.option("--max-cost", type=Amount(), metavar="N", help="US dollars."),
    load_seconds_option,
    tool_seconds_option,
    click.option("--scope", metavar="NAME", help="The conversation to go on with; or a run's id."),
    click.option("-c", "--tool-context", metavar="JSON", help="What the tool providers make their tools from."),
    click.option("--trust", "trusted", is_flag=True, help="Load the folder's tools this once; see adal-ls trust."),
)


def run_options(command: F) -> F:
    """Adds the options; the command takes them as `**given` and makes `RunOptions` of them."""
    return _with(_OPTIONS, command)


def agent_run_options(command: F) -> F:
    """The same for a command that names its agent another way, and gives `RunOptions` the agent."""
    return _with([option for option in _OPTIONS if option is not _AGENT], command)


def _with(options: Sequence[Callable[[F], F]], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options as they were given."""

    model: str | None
    agent: str | None
    system_prompt: str | None
    prompt_file: Path | None
    yolo: bool
    permission_mode: PermissionMode | None
    enabled_default_tools: str | None
    disabled_default_tools: str | None
    max_steps: int | None
    max_seconds: float | None
    max_cost: float | None
    load_seconds: float | None
    tool_seconds: float | None
    scope: str | None
    tool_context: str | None
    trusted: bool

    def __post_init__(self) -> None:
        """
        Raises:
            click.UsageError: options that contradict each other.
        """
        if self.yolo and self.permission_mode not in (None, "yolo"):
            raise click.UsageError(
                f"--yolo and --permission-mode {self.permission_mode} contradict each other: give one."
            )
        if self.model is not None and not self.model.strip():
            raise click.UsageError("--model is empty: give a model such as openai/gpt-4o, or leave the option out.")
        if self.system_prompt is not None and self.prompt_file is not None:
            raise click.UsageError("--prompt and --prompt-file both give the system prompt: give one.")

    @property
    def mode(self) -> PermissionMode | None:
        return "yolo" if self.yolo else self.permission_mode

    def settings(self) -> HostSettings:
        """What holds for all runs of this command."""
        from adal_ls.protocol.host import HostSettings

        return HostSettings(load_seconds=self.load_seconds, tool_seconds=self.tool_seconds)

    def start_params(self, prompt: str, project: Path) -> RunStartParams:
        """What a run with these options is started with.

        Raises:
            click.UsageError: an option whose text cannot be read.
        """
        from adal_ls.protocol.runs import RunStartParams

        given: dict[str, Any] = {} if self.tool_context is None else {"tool_context": _json(self.tool_context)}
        return RunStartParams(
            prompt=prompt,
            project_root=str(project),
            agent=self.agent,
            model=self.model,
            system_prompt=self._system_prompt(),
            permission_mode=self.mode,
            enabled_default_tools=_names(self.enabled_default_tools),
            disabled_default_tools=_names(self.disabled_default_tools),
            max_steps=self.max_steps,
            max_seconds=self.max_seconds,
            max_cost=self.max_cost,
            scope=self.scope,
            **given,
        )

    def only_for_new_runs(self) -> list[str]:
        """The options among those given that a run which is taken up again cannot change."""
        names = ("agent", "system_prompt", "prompt_file", "enabled_default_tools", "disabled_default_tools", "scope")
        spelled = {"system_prompt": "prompt"}
        return [f"--{spelled.get(name, name).replace('_', '-')}" for name in names if getattr(self, name) is not None]

    def _system_prompt(self) -> str | None:
        if self.prompt_file is None:
            return self.system_prompt
        try:
            return self.prompt_file.read_text(encoding="utf-8")
        except UnicodeDecodeError as fault:
            raise click.UsageError(f"--prompt-file {self.prompt_file} is no text in UTF-8: {fault}") from fault


def _names(csv: str | None) -> list[str] | None:
    return None if csv is None else [name.strip() for name in csv.split(",") if name.strip()]


def _json(text: str) -> Any:
    from adal_ls.sdk.context import parse_tool_context
    from adal_ls.sdk.errors import InvalidInputError

    try:
        return parse_tool_context(text)
    except InvalidInputError as fault:
        raise click.UsageError(f"{fault.code}: {fault.message}") from fault
