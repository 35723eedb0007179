"""Models behind litellm. The only module that knows it; it is imported at the first request, in a thread.

Endpoints and keys come from litellm's environment variables (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OLLAMA_API_BASE`,
...), never from a workspace file.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from adal_ls.agent.stream import (
    CallDelta,
    ChatMessage,
    Delta,
    ErrorCode,
    FinishDelta,
    ModelError,
    TextDelta,
    ToolSpec,
    UsageDelta,
)

ATTEMPTS = 3
"""Tries of one request. Only before its first delta: a retry after visible text would repeat it."""

MAX_RETRY_AFTER = 60.0
"""Seconds a provider may ask us to wait; more stops the run with the reason."""

REQUEST_TIMEOUT = 600.0
"""Seconds without a byte of an answer."""

KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "xai": ("XAI_API_KEY",),
}
"""Providers that cannot be used without one of these variables; litellm says so too, after its import."""

_loading = threading.Event()

_BACKOFF = (0.5, 2.0)
_RETRIED = frozenset({429, 500, 502, 503, 504})
_QUIET_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_LAYERS = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception)(?::| -)\s*)+")  # every layer writes its name in front
_KEY_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
_KEY_LIKE = re.compile(r"\b(sk|pk|key|xai|gsk|AIza)[-_]?[A-Za-z0-9*._-]{8,}")


class LitellmModel:
    """Any model id litellm knows, such as `openai/gpt-4o` or `ollama_chat/qwen3`."""

    any_name = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.context_tokens: int | None = None

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        _check_known_key(self.name)
        litellm = await load()
        _check_environment(litellm, self.name)
        self.context_tokens = _context_tokens(litellm, self.name)
        for attempt in range(1, ATTEMPTS + 1):
            visible = False
            try:
                async with aclosing(self._once(litellm, messages, tools)) as answer:
                    async for delta in answer:
                        visible = True
                        yield delta
                return
            except Exception as fault:  # noqa: BLE001 - providers raise anything; it becomes one typed error here
                error = read_fault(fault, self.name, _base_url(litellm, self.name))
                wait = _retry_wait(fault, attempt)
                if visible or wait is None or attempt == ATTEMPTS:
                    raise error from None  # the chain could carry headers and prompt text into a log
                if wait > MAX_RETRY_AFTER:
                    raise ModelError(
                        "rate_limit",
                        f"{self.name}: the provider asks to wait {wait:.0f} s, more than {MAX_RETRY_AFTER:.0f} s; "
                        "start the run again later",
                    ) from None
            await asyncio.sleep(wait)

    async def _once(
        self, litellm: Any, messages: list[ChatMessage], tools: list[ToolSpec]
    ) -> AsyncGenerator[Delta, None]:
        options: dict[str, Any] = {"tools": tools} if tools else {}
        response = await litellm.acompletion(
            model=self.name,
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            timeout=REQUEST_TIMEOUT,
            # Both layers would retry, each on its own count; we do it, and only before the first delta.
            num_retries=0,
            max_retries=0,
            **options,
        )
        try:
            async for chunk in response:
                for delta in self._deltas(litellm, chunk):
                    yield delta
        finally:
            await response.aclose()

    def _deltas(self, litellm: Any, chunk: Any) -> list[Delta]:
        out: list[Delta] = []
        for choice in chunk.choices[:1]:
            if choice.delta.content:
                out.append(TextDelta(choice.delta.content))
            for piece in choice.delta.tool_calls or ():
                function = getattr(piece, "function", None)
                out.append(
                    CallDelta(
                        index=piece.index,
                        id=piece.id,
                        name=getattr(function, "name", None),
                        arguments=getattr(function, "arguments", None) or "",
                    )
                )
            if choice.finish_reason:
                out.append(FinishDelta(choice.finish_reason))
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0)
            out.append(UsageDelta(*tokens, cost=_cost(litellm, self.name, *tokens)))
        return out


async def load() -> Any:
    """litellm itself, imported in a thread at the first call (2.6 s of CPU that would stall the loop)."""
    _loading.set()
    try:
        return await asyncio.to_thread(_import)
    finally:
        _loading.clear()


def is_loading() -> bool:
    """Whether litellm is being imported at the moment, which takes seconds."""
    return _loading.is_set()


async def close() -> None:
    """Closes litellm's connections, if it was ever imported; call before the loop ends."""
    litellm = sys.modules.get("litellm")
    if litellm is not None and hasattr(litellm, "close_litellm_async_clients"):
        await litellm.close_litellm_async_clients()


def _import() -> Any:
    # Without these the import fetches the price map, and other things later, from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    for name in _QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)  # below that they log prompts
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def _check_known_key(model: str) -> None:
    """What can be said for certain before the import, which takes seconds.

    Raises:
        ModelError: code `auth`.
    """
    variables = KEYS.get(model.partition("/")[0]) if "/" in model else None
    if variables and not any(variable in os.environ for variable in variables):
        raise _no_key(model, " or ".join(variables))


def _no_key(model: str, variables: str) -> ModelError:
    return ModelError(
        "auth",
        f"{model} needs the environment variable {variables}, which is not set; set it where the editor or the "
        "command line starts (any text will do for a local server that asks for none)",
    )


def _no_provider(litellm: Any, model: str) -> ModelError:
    from difflib import get_close_matches  # only a slip pays for the import

    provider = model.partition("/")[0]
    near = get_close_matches(provider.lower(), [str(known.value) for known in litellm.provider_list], n=1)
    how = "write provider/model, for example openai/gpt-4o or ollama_chat/qwen3, or 'offline' for none"
    if "/" in model and near:
        return ModelError("not_found", f"unknown provider '{provider}', did you mean {near[0]}? ({how})")
    return ModelError("not_found", f"'{model}' is no model id that names its provider; {how}")


def _check_environment(litellm: Any, model: str) -> None:
    try:
        missing = litellm.validate_environment(model).get("missing_keys") or []
        litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        raise _no_provider(litellm, model) from None
    if missing:
        raise _no_key(model, " and ".join(missing))


def _base_url(litellm: Any, model: str) -> str:
    """Where requests for `model` go, as far as litellm says before it sends one."""
    provider, known = "", None
    try:
        _, provider, _, known = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return "the provider"
    prefix = provider.split("_")[0].upper()
    for variable in (f"{prefix}_BASE_URL", f"{prefix}_API_BASE"):
        if os.environ.get(variable):
            return f"{_without_userinfo(os.environ[variable])} ({variable})"
    return _without_userinfo(known) if known else f"the provider {provider}"


def _without_userinfo(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)


def _cost(litellm: Any, model: str, input_tokens: int, output_tokens: int) -> float | None:
    try:
        prompt, completion = litellm.cost_per_token(
            model=model, prompt_tokens=input_tokens, completion_tokens=output_tokens
        )
    except Exception:  # noqa: BLE001 - a model without a price; litellm has several exceptions for it
        return None
    return float(prompt + completion)


def _context_tokens(litellm: Any, model: str) -> int | None:
    try:
        known = litellm.get_model_info(model).get("max_input_tokens")
    except Exception:  # noqa: BLE001 - a model that is not in the table; litellm raises a bare Exception for it
        return None
    return known if isinstance(known, int) and known > 0 else None


def _status(fault: Exception) -> int | None:
    status = getattr(fault, "status_code", None)
    return status if isinstance(status, int) else None


def _retry_wait(fault: Exception, attempt: int) -> float | None:
    """Seconds until the next try; None where trying again makes no sense."""
    kind = type(fault).__name__
    if kind in ("AuthenticationError", "BadRequestError", "NotFoundError") or (
        _status(fault) not in _RETRIED and kind not in ("APIConnectionError", "MidStreamFallbackError")
    ):
        return None
    if kind == "InternalServerError" and "Missing credentials" in str(fault):
        return None
    asked = _retry_after(fault)
    return asked if asked is not None else _BACKOFF[min(attempt, len(_BACKOFF)) - 1]


def _retry_after(fault: Exception) -> float | None:
    response = getattr(fault, "response", None)
    headers = getattr(fault, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    given = headers.get("retry-after")
    try:
        return max(0.0, float(given)) if given is not None else None
    except ValueError:
        return None  # an HTTP date; our own back-off will do


def read_fault(fault: Exception, model: str, where: str) -> ModelError:
    """What went wrong at a provider, and what to do next; no key of the environment appears in it."""
    if isinstance(fault, ModelError):
        return fault
    code, advice = _classify(fault, where)
    said = str(getattr(fault, "message", None) or fault).strip().partition("\n")[0]
    detail = redact(_LAYERS.sub("", said))[:500]
    return ModelError(code, f"{model}: {advice} ({type(fault).__name__}: {detail})")


def _classify(fault: Exception, where: str) -> tuple[ErrorCode, str]:
    kind, status = type(fault).__name__, _status(fault)
    text = str(fault)
    if kind == "AuthenticationError" or status in (401, 403) or "Missing credentials" in text:
        return "auth", f"{where} refused the key; check the provider's key in the environment"
    if kind == "ContextWindowExceededError":
        return "context_window", "the conversation is longer than the model takes; start a new run or use another model"
    if kind == "RateLimitError" or status == 429:
        return "rate_limit", "the provider limits requests; wait and start the run again"
    if kind == "Timeout" or status == 408:
        return "timeout", f"{where} did not answer in time; try again"
    if kind == "MidStreamFallbackError":
        return "connection", f"the connection to {where} broke in the middle of the answer; start the run again"
    if kind == "APIConnectionError" or "Connection error" in text or "Connect" in text:
        return "connection", f"cannot connect to {where}; check that the server runs and the address is right"
    if kind == "NotFoundError" or status == 404:
        return "not_found", f"{where} does not know this model; check its name"
    if status is not None and status >= 500:
        return "server", f"{where} failed; try again later"
    return "bad_request", f"{where} refused the request"


def redact(text: str, environ: Mapping[str, str] | None = None) -> str:
    """`text` without the values of key-like environment variables and without what looks like a key."""
    for name, value in (os.environ if environ is None else environ).items():
        if len(value) >= 4 and _KEY_VARIABLE.search(name.upper()):
            text = text.replace(value, "***")
    return _KEY_LIKE.sub("***", text)
