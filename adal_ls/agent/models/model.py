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
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from adal_ls.agent.models.model_faults import again, read_fault, said
from adal_ls.agent.models.stream import (
    AgainDelta,
    CallDelta,
    ChatMessage,
    Delta,
    FinishDelta,
    ModelError,
    TextDelta,
    ToolSpec,
    UsageDelta,
)
from adal_ls.agent.models.unrepeated import Unrepeated

ATTEMPTS = 3
"""Tries of one request: before its text begins, and behind that only where the provider limits requests."""

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
_QUIET_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")


class LitellmModel:
    """Any model id litellm knows, such as `openai/gpt-4o` or `ollama_chat/qwen3`."""

    any_name = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.context_tokens: int | None = None
        self._litellm: Any = None
        self._unpriced = False

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        litellm = await self._prepared()
        shown = ""
        for attempt in range(1, ATTEMPTS + 1):
            text = Unrepeated(shown)
            try:
                async with aclosing(self._once(litellm, messages, tools)) as answer:
                    async for delta in answer:
                        if not isinstance(delta, TextDelta):
                            yield delta
                        elif rest := text.rest(delta.text):
                            shown += rest
                            yield TextDelta(rest)
                return
            except Exception as fault:  # noqa: BLE001 - providers raise anything; it becomes one typed error here
                next_try = self._again(litellm, fault, attempt, visible=bool(shown))
            yield AgainDelta(next_try.why)
            await asyncio.sleep(next_try.wait)

    async def _prepared(self) -> Any:
        """litellm, once the model's name and the environment were found good; looked at before the first request."""
        if self._litellm is None:
            _check_known_key(self.name)
            litellm = await load()
            _check_environment(litellm, self.name)
            self.context_tokens = _context_tokens(litellm, self.name)
            self._litellm = litellm
        return self._litellm

    def _again(self, litellm: Any, fault: Exception, attempt: int, *, visible: bool) -> _NextTry:
        """When the request is made once more after `fault`, and what the person is told meanwhile.

        After text was shown only a limit of the provider is waited out: it says when it will answer, and what it then
        repeats is left out. A break says nothing, so there the person decides.

        Raises:
            ModelError: it is not made again.
        """
        error = read_fault(fault, self.name, _base_url(litellm, self.name))
        try:
            chance = None if attempt == ATTEMPTS or isinstance(fault, ModelError) else again(fault, attempt, _BACKOFF)
        except ModelError as later:
            raise ModelError(later.code, f"{self.name}: {later.message}") from None
        if chance is None or (visible and not chance.limited):
            raise error from None  # the chain could carry headers and prompt text into a log
        tries = f"attempt {attempt + 1} of {ATTEMPTS} in {chance.wait:.3g} s"
        if chance.limited:
            return _NextTry(chance.wait, f"{self.name}: waiting for the rate limit of the provider; {tries}.")
        return _NextTry(chance.wait, f"{self.name}: the request failed ({said(fault)}); {tries}.")

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
        empty = True
        try:
            async for chunk in response:
                for delta in self._deltas(litellm, chunk, response):
                    empty = empty and isinstance(delta, FinishDelta)
                    yield delta
        finally:
            await response.aclose()
        if empty:
            what = "a web page (HTML)" if _is_page(response) else "nothing at all"
            raise ModelError(
                "server",
                f"{self.name}: {_base_url(litellm, self.name)} answered with {what}; check that the address is "
                "that of a model provider's API, and that the server streams answers",
            )

    def _deltas(self, litellm: Any, chunk: Any, response: Any) -> list[Delta]:
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
        if usage is not None and _is_counted(response):
            tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0)
            # Looking for a price that is not there takes litellm longer than finding one.
            cost = None if self._unpriced else _cost(litellm, self.name, *tokens)
            self._unpriced = cost is None
            out.append(UsageDelta(*tokens, cost=cost))
        return out


@dataclass(frozen=True, slots=True)
class _NextTry:
    wait: float
    why: str


def _is_counted(response: Any) -> bool:
    """Whether the provider itself counted the tokens. Where none did litellm guesses, and its guess looks the same."""
    return any(getattr(chunk, "usage", None) is not None for chunk in response.chunks)


def _is_page(response: Any) -> bool:
    """Whether what came is for a browser: a login, a proxy's notice, or just another address of the server."""
    headers = (getattr(response, "_hidden_params", None) or {}).get("additional_headers") or {}
    return str(headers.get("llm_provider-content-type", "")).lower().startswith("text/html")


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
    if "/" in model:
        return ModelError("not_found", f"no provider '{provider}' is known ({how})")
    return ModelError("not_found", f"'{model}' is no model id that names its provider; {how}")


_DEFAULTS = {"OLLAMA_API_BASE": "http://localhost:11434"}
"""Addresses that litellm counts as missing, and does without: what it asks then."""


def _check_environment(litellm: Any, model: str) -> None:
    try:
        missing = litellm.validate_environment(model).get("missing_keys") or []
        litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        raise _no_provider(litellm, model) from None
    missing = [variable for variable in missing if variable not in _DEFAULTS]
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
    known = known or _DEFAULTS.get(f"{prefix}_API_BASE")
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
