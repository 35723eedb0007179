"""What providers and servers really send, each with a name, as changes of a sound answer.

A quirk that begins with `once-` shows in the first request of its turn only, so that a second one succeeds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from itertools import zip_longest

from tests.model_server.answer import Answer, Comment, Drop, Item, Wait
from tests.model_server.turns import chunk


@dataclass(frozen=True)
class Quirk:
    """`what` is one line of README.md, `family` its heading."""

    name: str
    family: str
    what: str
    change: Callable[[Answer], None]


QUIRKS: dict[str, Quirk] = {}
"""Name → quirk, in the order of README.md."""

Change = Callable[[Answer], None]


def _quirk(family: str, name: str, what: str) -> Callable[[Change], Change]:
    def add(change: Change) -> Change:
        QUIRKS[name] = Quirk(name, family, what, change)
        return change

    return add


# --- pieces of tool calls -------------------------------------------------------------------------------------------

_CALLS = "Tool calls"


@_quirk(_CALLS, "no-index", "pieces carry no index")
def _no_index(answer: Answer) -> None:
    for piece in answer.call_pieces:
        del piece["index"]


@_quirk(_CALLS, "null-index", "the index of every piece is null")
def _null_index(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["index"] = None


@_quirk(_CALLS, "zero-index", "every parallel call has index 0")
def _zero_index(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["index"] = 0


@_quirk(_CALLS, "no-id", "calls come without the key id")
def _no_id(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece.pop("id", None)


@_quirk(_CALLS, "null-id", "the id of every call is null")
def _null_id(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["id"] = None


@_quirk(_CALLS, "empty-id", "the id of every call is an empty text")
def _empty_id(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["id"] = ""


@_quirk(_CALLS, "no-id-no-index", "calls have neither id nor index; only their names tell them apart")
def _no_id_no_index(answer: Answer) -> None:
    _no_id(answer)
    _no_index(answer)


@_quirk(_CALLS, "one-id", "all calls of the turn have the same id")
def _one_id(answer: Answer) -> None:
    for piece in answer.call_pieces:
        if "id" in piece:
            piece["id"] = "call_0"


@_quirk(_CALLS, "id-repeated", "each piece of a call repeats its id and its name")
def _id_repeated(answer: Answer) -> None:
    known: dict[int, dict[str, object]] = {}
    for piece in answer.call_pieces:
        first = known.setdefault(piece["index"], {"id": piece.get("id"), "name": piece["function"].get("name")})
        piece["id"] = first["id"]
        piece["function"]["name"] = first["name"]


@_quirk(_CALLS, "interleaved", "pieces of parallel calls alternate")
def _interleaved(answer: Answer) -> None:
    pieces = [item for item in answer.chunks if item["choices"] and "tool_calls" in item["choices"][0]["delta"]]
    calls: dict[int, list[Item]] = {}
    for item in pieces:
        calls.setdefault(item["choices"][0]["delta"]["tool_calls"][0]["index"], []).append(item)
    mixed = [item for row in zip_longest(*calls.values()) for item in row if item is not None]
    at = answer.items.index(pieces[0])
    answer.items[at : at + len(pieces)] = mixed


@_quirk(_CALLS, "one-delta", "all calls come whole in one delta")
def _one_delta(answer: Answer) -> None:
    whole = [
        {
            "index": place,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for place, call in enumerate(answer.turn.calls)
    ]
    _replace_pieces(answer, [chunk({"tool_calls": whole})])


@_quirk(_CALLS, "name-in-pieces", "the name of a call comes in two pieces, before its arguments")
def _name_in_pieces(answer: Answer) -> None:
    items: list[Item] = []
    for place, call in enumerate(answer.turn.calls):
        half = len(call.name) // 2
        parts = ((call.name[:half], ""), (call.name[half:], ""), (None, call.arguments))
        for number, (name, arguments) in enumerate(parts):
            function = {"arguments": arguments} | ({"name": name} if name else {})
            items.append(chunk({"tool_calls": [{"index": place, "function": function, **_first(call.id, number)}]}))
    _replace_pieces(answer, items)


@_quirk(_CALLS, "glued-arguments", "two calls come as one, their arguments glued: {…}{…}")
def _glued(answer: Answer) -> None:
    first = answer.turn.calls[0]
    function = {"name": first.name, "arguments": "".join(call.arguments for call in answer.turn.calls)}
    _replace_pieces(answer, [chunk({"tool_calls": [{"index": 0, "function": function, **_first(first.id, 0)}]})])


@_quirk(_CALLS, "null-arguments", "the arguments of a call are null")
def _null_arguments(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["function"]["arguments"] = None


@_quirk(_CALLS, "no-arguments", "a call has no arguments key at all")
def _no_arguments(answer: Answer) -> None:
    for piece in answer.call_pieces:
        del piece["function"]["arguments"]


@_quirk(_CALLS, "empty-arguments", "the arguments of a call are an empty text")
def _empty_arguments(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece["function"]["arguments"] = ""


@_quirk(_CALLS, "object-arguments", "the arguments are a JSON object and not a text that holds one")
def _object_arguments(answer: Answer) -> None:
    _one_delta(answer)
    for piece in answer.call_pieces:
        piece["function"]["arguments"] = json.loads(piece["function"]["arguments"])


@_quirk(_CALLS, "encoded-twice", "the arguments are a JSON text that holds a JSON text")
def _encoded_twice(answer: Answer) -> None:
    _one_delta(answer)
    for piece in answer.call_pieces:
        piece["function"]["arguments"] = json.dumps(piece["function"]["arguments"])


@_quirk(_CALLS, "cut-json", "the last character of the arguments is missing")
def _cut_json(answer: Answer) -> None:
    last = answer.call_pieces[-1]["function"]
    last["arguments"] = last["arguments"][:-1]


@_quirk(_CALLS, "no-type", "calls come without their type")
def _no_type(answer: Answer) -> None:
    for piece in answer.call_pieces:
        piece.pop("type", None)


@_quirk(_CALLS, "printed", "the call is printed as text in place of being made")
def _printed(answer: Answer) -> None:
    call = answer.turn.calls[0]
    text = json.dumps({"name": call.name, "arguments": json.loads(call.arguments)})
    _replace_pieces(answer, [chunk({"content": text})])
    _finish(answer, "stop")


@_quirk(_CALLS, "text-and-call", "text and a call come in the same delta")
def _text_and_call(answer: Answer) -> None:
    for place, delta in enumerate(delta for delta in answer.deltas if "tool_calls" in delta):
        delta["content"] = f"part {place} "


# --- the end of an answer -------------------------------------------------------------------------------------------

_END = "The end of an answer"


@_quirk(_END, "no-finish", "the stream ends without a finish reason")
def _no_finish(answer: Answer) -> None:
    answer.items = [item for item in answer.items if not (isinstance(item, dict) and _finish_of(item))]


@_quirk(_END, "no-done", "there is no [DONE]")
def _no_done(answer: Answer) -> None:
    answer.done = False


@_quirk(_END, "finish-stop", "the finish reason is stop although there are calls")
def _finish_stop(answer: Answer) -> None:
    _finish(answer, "stop")


@_quirk(_END, "finish-tool-calls", "the finish reason is tool_calls although there are none")
def _finish_tool_calls(answer: Answer) -> None:
    _finish(answer, "tool_calls")


@_quirk(_END, "finish-length", "the output limit cut the answer")
def _finish_length(answer: Answer) -> None:
    _finish(answer, "length")


@_quirk(_END, "content-filter", "the provider's filter cut the answer")
def _content_filter(answer: Answer) -> None:
    _finish(answer, "content_filter")


@_quirk(_END, "finish-twice", "the last chunk of the answer comes twice")
def _finish_twice(answer: Answer) -> None:
    last = next(item for item in answer.items if isinstance(item, dict) and _finish_of(item))
    answer.items.insert(answer.items.index(last), dict(last))


@_quirk(_END, "nothing", "the answer holds neither text nor calls")
def _nothing(answer: Answer) -> None:
    answer.items = [item for item in answer.chunks if not (item["choices"] and item["choices"][0]["delta"])]


# --- chunks ---------------------------------------------------------------------------------------------------------

_CHUNKS = "Chunks"


@_quirk(_CHUNKS, "empty-choices", "chunks without a choice come before and between the others")
def _empty_choices(answer: Answer) -> None:
    answer.items = [part for item in answer.items for part in ({**chunk({}), "choices": []}, item)]


@_quirk(_CHUNKS, "role-only", "every chunk is preceded by one that holds a role and no content")
def _role_only(answer: Answer) -> None:
    answer.items = [part for item in answer.items for part in (chunk({"role": "assistant"}), item)]


@_quirk(_CHUNKS, "null-content", "content is null in every delta that has no text")
def _null_content(answer: Answer) -> None:
    for delta in answer.deltas:
        delta["content"] = delta.get("content") or None


@_quirk(_CHUNKS, "reasoning", "a model thinks aloud in reasoning_content before it answers")
def _reasoning(answer: Answer) -> None:
    answer.items[1:1] = [chunk({"reasoning_content": f"thought {number} "}) for number in range(3)]


@_quirk(_CHUNKS, "no-usage", "tokens are not counted although that was asked for")
def _no_usage(answer: Answer) -> None:
    answer.items = [item for item in answer.items if not (isinstance(item, dict) and "usage" in item)]


@_quirk(_CHUNKS, "usage-everywhere", "every chunk counts the tokens so far, null at first")
def _usage_everywhere(answer: Answer) -> None:
    chunks = answer.chunks
    for place, item in enumerate(chunks):
        item["usage"] = answer.turn.counted() if place >= len(chunks) // 2 else None


@_quirk(_CHUNKS, "usage-with-finish", "the tokens are counted in the chunk that finishes")
def _usage_with_finish(answer: Answer) -> None:
    _no_usage(answer)
    for item in answer.chunks:
        if _finish_of(item):
            item["usage"] = answer.turn.counted()


@_quirk(_CHUNKS, "bare-chunks", "chunks have choices and nothing else: no id, no model, no time")
def _bare_chunks(answer: Answer) -> None:
    for item in answer.chunks:
        for key in ("id", "object", "created", "model"):
            item.pop(key, None)


@_quirk(_CHUNKS, "huge-chunk", "the whole text comes in one chunk")
def _huge_chunk(answer: Answer) -> None:
    texts = [item for item in answer.chunks if item["choices"] and item["choices"][0]["delta"].get("content")]
    for item in texts[1:]:
        answer.items.remove(item)
    texts[0]["choices"][0]["delta"]["content"] = answer.turn.text


# --- the wire -------------------------------------------------------------------------------------------------------

_WIRE = "The wire"


@_quirk(_WIRE, "crlf", "lines of the stream end in CR LF")
def _crlf(answer: Answer) -> None:
    answer.line_end = "\r\n"


@_quirk(_WIRE, "comments", "comment lines keep the connection open")
def _comments(answer: Answer) -> None:
    answer.items = [part for item in answer.items for part in (Comment("keep-alive"), item)]


@_quirk(_WIRE, "split-utf8", "every byte comes in a packet of its own, those of one character too")
def _split_utf8(answer: Answer) -> None:
    answer.piece = 1


@_quirk(_WIRE, "gzip", "the stream is compressed")
def _gzip(answer: Answer) -> None:
    answer.gzipped = True


@_quirk(_WIRE, "slow-first-byte", "the answer begins late")
def _slow_first_byte(answer: Answer) -> None:
    answer.items.insert(0, Wait(0.5))


@_quirk(_WIRE, "drop", "the connection ends in the middle of the answer")
def _drop(answer: Answer) -> None:
    answer.items.insert(2, Drop())


@_quirk(_WIRE, "once-drop", "the connection ends before the first byte, once")
def _once_drop(answer: Answer) -> None:
    if answer.attempt == 1:
        answer.items.insert(0, Drop())


@_quirk(_WIRE, "once-drop-in-call", "the connection ends in the middle of a call, once")
def _once_drop_in_call(answer: Answer) -> None:
    if answer.attempt == 1:
        place = next(place for place, item in enumerate(answer.items) if "tool_calls" in json.dumps(item))
        answer.items.insert(place + 1, Drop())


@_quirk(_WIRE, "error-chunk", "an error object comes in the middle of the stream")
def _error_chunk(answer: Answer) -> None:
    answer.items[2:] = [{"error": {"message": "upstream exploded", "type": "server_error", "code": 500}}]


@_quirk(_WIRE, "once-limit-in-text", "after half of the text the stream says 429 with Retry-After, once")
def _once_limit_in_text(answer: Answer) -> None:
    if answer.attempt == 1:
        answer.items[2:] = [_LIMITED]


@_quirk(_WIRE, "once-limit-in-call", "in the middle of a call the stream says 429 with Retry-After, once")
def _once_limit_in_call(answer: Answer) -> None:
    if answer.attempt == 1:
        place = next(place for place, item in enumerate(answer.items) if "tool_calls" in json.dumps(item))
        answer.items[place + 1 :] = [_LIMITED]


@_quirk(_WIRE, "not-streamed", "the answer is one JSON body although a stream was asked for")
def _not_streamed(answer: Answer) -> None:
    answer.whole(200, json.dumps(answer.turn.whole()), "application/json")


@_quirk(_WIRE, "login-page", "a proxy answers 200 with a page in HTML")
def _login_page(answer: Answer) -> None:
    answer.whole(200, "<!doctype html><title>Sign in</title>", "text/html")


# --- refusals -------------------------------------------------------------------------------------------------------

_REFUSALS = "Refusals"
_LIMITED: dict[str, object] = {
    "error": {"message": "Rate limit reached, try again in 1s", "type": "rate_limit", "code": 429, "retry_after": 1}
}


def _refusal(name: str, what: str, status: int, error: dict[str, object], retry_after: str | None = None) -> None:
    @_quirk(_REFUSALS, name, what)
    def refuse(answer: Answer) -> None:
        if answer.attempt == 1 or not name.startswith("once-"):
            answer.refuse(status, error)
            if retry_after is not None:
                answer.headers["Retry-After"] = retry_after


_refusal("once-429", "429 with Retry-After in seconds, once", 429, {"message": "slow down"}, "1")
_refusal("once-429-bare", "429 without Retry-After, once", 429, {"message": "slow down"})
_refusal("429-for-long", "429 that asks for an hour", 429, {"message": "slow down"}, "3600")
_refusal("429-nonsense", "429 with a Retry-After that is no time", 429, {"message": "slow down"}, "soon")
_refusal("once-500", "500, once", 500, {"message": "internal"})
_refusal("once-503", "503 (overloaded), once", 503, {"message": "overloaded"})
_refusal("401", "a wrong key", 401, {"message": "Incorrect API key provided", "code": "invalid_api_key"})
_refusal("403", "a key without the right", 403, {"message": "not allowed"})
_refusal("404", "an unknown model", 404, {"message": "The model `x` does not exist", "code": "model_not_found"})
_refusal("413", "a request too large for a proxy", 413, {"message": "Request Entity Too Large"})
_refusal(
    "quota",
    "429 because the account has no credit, which waiting does not change",
    429,
    {"message": "You exceeded your current quota, please check your plan", "code": "insufficient_quota"},
)

CONTEXT_WORDS = {
    "openai": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "azure": "This model's maximum context length is 4096 tokens, however you requested 5000 tokens.",
    "anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    "gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "groq": "Please reduce the length of the messages or completion.",
    "bedrock": "Input is too long for requested model.",
    "together": "The total number of tokens (inputs + outputs) must be less than or equal to 8193.",
    "llama-cpp": "the request exceeds the available context size, try increasing it",
    "lm-studio": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
    "context length of only 4096 tokens",
    "vllm": "The prompt (total length 9000) is too long to fit into the model (context length 8192).",
    "xai": "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
}
"""Provider → how it says that a conversation is too long."""

for _provider, _words in CONTEXT_WORDS.items():
    _refusal(
        f"once-context-{_provider}",
        f"a conversation too long, in the words of {_provider}, once",
        400,
        {"message": _words},
    )


@_quirk(_REFUSALS, "once-429-date", "429 with Retry-After as an HTTP date, once")
def _once_429_date(answer: Answer) -> None:
    if answer.attempt == 1:
        answer.refuse(429, {"message": "slow down"})
        answer.headers["Retry-After"] = formatdate(time.time() + 2, usegmt=True)


def _first(call_id: str | None, number: int) -> dict[str, str | None]:
    return {"id": call_id, "type": "function"} if number == 0 else {}


def _finish_of(item: dict[str, object]) -> bool:
    choices = item.get("choices")
    return isinstance(choices, list) and any(choice["finish_reason"] for choice in choices)


def _finish(answer: Answer, reason: str) -> None:
    for item in answer.chunks:
        for choice in item["choices"]:
            if choice["finish_reason"]:
                choice["finish_reason"] = reason


def _replace_pieces(answer: Answer, items: list[Item]) -> None:
    """Others in the place of all pieces of calls."""
    pieces = [item for item in answer.chunks if item["choices"] and "tool_calls" in item["choices"][0]["delta"]]
    if pieces:  # another quirk may have ended the stream before them
        at = answer.items.index(pieces[0])
        answer.items[at : at + len(pieces)] = items


def document() -> str:
    """README.md."""
    parts = [_INTRODUCTION]
    for family in dict.fromkeys(quirk.family for quirk in QUIRKS.values()):
        lines = [f"| `{quirk.name}` | {quirk.what} |" for quirk in QUIRKS.values() if quirk.family == family]
        parts.append("\n".join([f"## {family}", "", "| quirk | what the server does |", "|---|---|", *lines]))
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """# The scripted model server

An OpenAI-compatible server on loopback that says what a test wrote down, over real HTTP, standard library only. It is
what a client of model providers has to stand: each quirk below was seen at a provider, a local server or a proxy.

```python
async with ModelServer([Turn(calls=(Call("now"),), quirks=("no-index",)), Turn(text="done")]) as server:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)  # then any client; the model's name does not matter
```

`python -m tests.model_server SCRIPT.json` serves a JSON list of turns and writes its base URL to stdout.

The number of assistant messages in a request decides the turn, so a client that tries again gets the same turn.
`server.requests` are the bodies received. A turn may have several quirks; one whose name begins with `once-` shows in
the first request of its turn only. `Turn.fail`, `failures`, `retry_after`, `drop_after` and `hang_after` are for other
statuses and places. This page is written by `python -m tests.model_server --document`."""
