"""What the model and programs get of an MCP tool's answer."""

from __future__ import annotations

from typing import Any

import pytest

from adal_ls.agent.mcp.results import tool_result


@pytest.mark.parametrize(
    ("content", "observation"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image", "data": "QUJD", "mimeType": "image/png"}], "[image image/png, 3 bytes]"),
        ([{"type": "audio", "data": "QUI=", "mimeType": "audio/wav"}], "[audio audio/wav, 2 bytes]"),
        ([{"type": "resource", "resource": {"uri": "b://m", "text": "Call me"}}], "[resource b://m]\nCall me"),
        (
            [{"type": "resource", "resource": {"uri": "b://m", "mimeType": "a/zip", "blob": "QUJD"}}],
            "[resource b://m a/zip, 3 bytes]",
        ),
        ([{"type": "resource_link", "name": "m", "uri": "b://m", "description": "old"}], "[resource m at b://m: old]"),
        ([{"type": "smell"}], "[content of the type smell, which cannot be shown]"),
        ([], ""),
    ],
)
def test_the_model_reads_texts_and_hears_of_everything_else(content: list[Any], observation: str) -> None:
    result = tool_result({"content": content})
    assert (result.status, result.observation) == ("success", observation)


def test_structured_content_is_for_programs_and_for_the_model_only_where_no_text_says_it() -> None:
    both = tool_result({"content": [{"type": "text", "text": '{"n": 1}'}], "structuredContent": {"n": 1}})
    assert (both.observation, both.output) == ('{"n": 1}', {"n": 1})
    alone = tool_result({"content": [], "structuredContent": {"ä": [1]}})
    assert (alone.observation, alone.output) == ('{"ä": [1]}', {"ä": [1]})
    picture = tool_result({"content": [{"type": "image", "data": "QUJD", "mimeType": "i/p"}], "structuredContent": 5})
    assert picture.observation == "5\n[image i/p, 3 bytes]"


def test_without_structured_content_programs_get_the_parts() -> None:
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    assert tool_result({"content": [image]}).output == [image]
    assert tool_result({"content": [{"type": "text", "text": "a"}]}).output == "a"
    assert tool_result({"content": []}).output is None


def test_a_tool_that_failed_is_an_error_with_its_own_words() -> None:
    said = tool_result({"content": [{"type": "text", "text": "no such book"}], "isError": True})
    assert (said.status, said.observation) == ("error", "no such book")
    assert tool_result({"content": [], "isError": True}).observation == "The tool failed and did not say why."


def test_half_a_surrogate_pair_is_written_out() -> None:
    result = tool_result(
        {"content": [{"type": "text", "text": "a\ud800"}], "structuredContent": {"k\ud800": ["\udfff"]}}
    )
    assert result.observation == "a\\ud800"
    assert result.output == {"k\\ud800": ["\\udfff"]}
