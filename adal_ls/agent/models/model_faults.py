"""What goes wrong at a model provider → one typed error, and whether trying again can help. Pure but for the clock."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from adal_ls.agent.models.stream import ErrorCode, ModelError

MAX_RETRY_AFTER = 60.0
"""Seconds a provider may ask us to wait; more stops the run with the reason."""

_RETRIED = frozenset({429, 500, 502, 503, 504, 529})
_FINAL = frozenset({"AuthenticationError", "BadRequestError", "NotFoundError", "ContextWindowExceededError"})
_LAYERS = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception)(?::| -)\s*)+")  # every layer writes its name in front
_INSIDES = re.compile(r" ssl:(?:<[^>]*>|\w+)| \[Connect call failed .*?\)\]")  # aiohttp, about where it failed itself
_KEY_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
_KEY_LIKE = re.compile(r"\b(sk|pk|key|xai|gsk|AIza)[-_]?[A-Za-z0-9*._-]{8,}")
_TRY_AGAIN_IN = re.compile(r"(?:try again|retry) (?:in|after) (?:(\d+)m)?(\d+(?:\.\d+)?)(ms|s| second)", re.IGNORECASE)

# litellm knows the words of some; a server behind an OpenAI-compatible address may be any of them.
_TOO_LONG = re.compile(
    r"maximum (?:context|prompt) length|context (?:length|size|window)|prompt is too long|input is too long"
    r"|too (?:long|large) (?:for|to fit|in) .*(?:model|context)|input token count.*exceeds|context the overflows"
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)|tokens \(inputs? \+ outputs?\)"
    r"|request entity too large",
    re.IGNORECASE,
)

# What Python's reader of JSON says; litellm hands on no more than that.
_NO_JSON = re.compile(r"(?:Expecting|Unterminated|Extra data|Invalid).*: line \d+ column \d+ \(char \d+\)")


@dataclass(frozen=True, slots=True)
class Again:
    """The request is worth another try, `wait` seconds from now. `limited`: the provider limits requests."""

    wait: float
    limited: bool


def again(fault: Exception, attempt: int, backoff: tuple[float, ...]) -> Again | None:
    """Whether to try again after `attempt` tries; None where it makes no sense.

    Raises:
        ModelError: it would, but later than a person wants to wait.
    """
    kind, status = type(fault).__name__, _status(fault)
    broken = kind in ("APIConnectionError", "MidStreamFallbackError")
    if kind in _FINAL or (status not in _RETRIED and not broken) or _is_final(fault):
        return None
    limited = kind == "RateLimitError" or status == 429
    asked = retry_after(fault)
    if asked is not None and asked > MAX_RETRY_AFTER:
        raise ModelError(
            "rate_limit" if limited else "server",
            f"the provider asks to wait {asked:.0f} s, more than {MAX_RETRY_AFTER:.0f} s; start the run again later",
        )
    return Again(asked if asked is not None else backoff[min(attempt, len(backoff)) - 1], limited)


def retry_after(fault: Exception) -> float | None:
    """Seconds the provider asks us to wait, as it says so: a header, a field of its error, or in words."""
    response = getattr(fault, "response", None)
    headers = getattr(fault, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    body = _body(fault)
    for given in (headers.get("retry-after"), body.get("retry_after")):
        if (seconds := _seconds(given)) is not None:
            return seconds
    found = _TRY_AGAIN_IN.search(str(fault))
    if found is None:
        return None
    minutes, amount, unit = found.groups()
    return int(minutes or 0) * 60 + float(amount) / (1000 if unit == "ms" else 1)


def read_fault(fault: Exception, model: str, where: str) -> ModelError:
    """What went wrong at a provider, and what to do next; no key of the environment appears in it."""
    if isinstance(fault, ModelError):
        return fault
    code, advice = _classify(fault, where)
    return ModelError(code, f"{model}: {advice} ({type(fault).__name__}: {said(fault)})")


def said(fault: Exception) -> str:
    """What the provider, or the connection to it, said: one line, without keys."""
    text = str(getattr(fault, "message", None) or fault).strip().partition("\n")[0]
    return redact(_INSIDES.sub("", _LAYERS.sub("", text)))[:500]


def redact(text: str, environ: Mapping[str, str] | None = None) -> str:
    """`text` without the values of key-like environment variables and without what looks like a key."""
    for name, value in (os.environ if environ is None else environ).items():
        if len(value) >= 4 and _KEY_VARIABLE.search(name.upper()):
            text = text.replace(value, "***")
    return _KEY_LIKE.sub("***", text)


def _classify(fault: Exception, where: str) -> tuple[ErrorCode, str]:
    kind, status = type(fault).__name__, _status(fault)
    text = str(fault)
    if kind == "AuthenticationError" or status in (401, 403) or "Missing credentials" in text:
        return "auth", f"{where} refused the key; check the provider's key in the environment"
    if kind == "ContextWindowExceededError" or status == 413 or (status == 400 and _TOO_LONG.search(text)):
        return "context_window", "the conversation is longer than the model takes; start a new run or use another model"
    if _out_of_credit(fault):
        return "rate_limit", "the account has no credit left, and waiting does not help; look at its plan and billing"
    if kind == "RateLimitError" or status == 429:
        return "rate_limit", "the provider limits requests; wait and start the run again"
    if kind == "Timeout" or status == 408:
        return "timeout", f"{where} did not answer in time; try again"
    if kind == "MidStreamFallbackError" and _NO_JSON.search(text):
        return "server", f"{where} sent what is no JSON; check that the address is that of a model provider's API"
    if kind == "MidStreamFallbackError" and _says_something(said(fault)):
        return "server", f"{where} failed in the middle of the answer; start the run again"
    if kind == "MidStreamFallbackError":
        return "connection", f"the connection to {where} broke in the middle of the answer; start the run again"
    if kind == "APIConnectionError" or "Connection error" in text or "Connect" in text:
        return "connection", f"cannot connect to {where}; check that the server runs and the address is right"
    if kind == "NotFoundError" or status == 404:
        return "not_found", f"{where} does not know this model; check its name"
    if status is not None and status >= 500:
        return "server", f"{where} failed; try again later"
    return "bad_request", f"{where} refused the request"


def _is_final(fault: Exception) -> bool:
    missing_key = type(fault).__name__ == "InternalServerError" and "Missing credentials" in str(fault)
    return missing_key or _out_of_credit(fault)


def _out_of_credit(fault: Exception) -> bool:
    # By the code alone: others say "exceeded your current quota" of a limit by the minute.
    return "insufficient_quota" in (_body(fault).get("code"), _body(fault).get("type"))


def _says_something(text: str) -> bool:
    """Whether a stream that ended early brought a provider's own words, and not those of a broken connection."""
    return not re.search(r"connection|finish_reason|peer closed|payload|timed? ?out", text, re.IGNORECASE)


def _status(fault: Exception) -> int | None:
    status = getattr(fault, "status_code", None)
    return status if isinstance(status, int) else None


def _body(fault: Exception) -> Mapping[str, object]:
    """The provider's error object, of a stream that broke too."""
    for one in (fault, getattr(fault, "original_exception", None)):
        body = getattr(one, "body", None)
        if isinstance(body, Mapping):
            return body
    return {}


def _seconds(given: object) -> float | None:
    if isinstance(given, int | float):
        return max(0.0, float(given))
    if not isinstance(given, str):
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, TypeError):
        return None  # no time at all; our own back-off will do
