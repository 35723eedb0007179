"""The errors of the SDK. Each has a `code` that programs can compare, and a text that says what to do."""

from __future__ import annotations

from collections.abc import Sequence


class AdalError(Exception):
    """What went wrong, by `code`. A provider may raise one of its own: it becomes the run's error unchanged."""

    code = "ERROR"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class InvalidConfigError(AdalError, ValueError):
    """What was put together cannot work: a tool set of the wrong shape, a name used twice, an impossible option."""

    code = "INVALID_CONFIG"


class InvalidInputError(AdalError, ValueError):
    """What a call was given cannot be used."""

    code = "INVALID_INPUT"


class InvalidContextError(AdalError, ValueError):
    """A provider cannot work with the tool context of this call. For providers to raise."""

    code = "INVALID_CONTEXT"


class MissingModelError(AdalError):
    """Neither the agent nor its runtime names a model."""

    code = "MISSING_MODEL"


class UnknownAgentError(AdalError, LookupError):
    """There is no agent of that id."""

    code = "UNKNOWN_AGENT"


class ScopeBusyError(AdalError):
    """A run is going on in this memory scope; two would mix their messages."""

    code = "SCOPE_BUSY"


class RunCancelledError(AdalError):
    """The run was cancelled before it ended."""

    code = "CANCELLED"


class ModelFailedError(AdalError):
    """The model could not answer. `reason` is finer: `auth`, `connection`, `rate_limit`, `timeout`, `script`, ..."""

    code = "MODEL_ERROR"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class McpServerError(AdalError):
    """An MCP server cannot be used: it was not started or reached, or gives no answer or one that is none.

    The text says which server and why. The next run tries again.
    """

    code = "MCP_SERVER"


class ProjectLoadError(AdalError):
    """A project's tools or agents could not be loaded; `file` and `line` (one-based, 0: not known) say where."""

    code = "LOAD_FAILED"

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class ProviderHooksError(AdalError):
    """Several providers failed in the same hook; `errors` are theirs, in the order of the providers."""

    code = "TOOL_PROVIDER"

    def __init__(self, hook: str, errors: Sequence[BaseException]) -> None:
        told = "; ".join(f"{type(error).__name__}: {error}" for error in errors)
        super().__init__(f"ToolProvider.{hook} failed for {len(errors)} providers: {told}")
        self.errors = tuple(errors)
