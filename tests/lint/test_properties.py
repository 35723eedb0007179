"""Whatever the text is: reading never fails, every place lies inside the text, and the answer is always the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adal_ls.lint import Finding, Lines, Range, check, decode, read
from tests.lint.test_real_shapes import FILES

# No "codec" alphabet: editors can send lone surrogates too.
TEXT = st.text(st.characters(codec=None), max_size=200)
WORDS = (
    "def f():|async |class C:|if x:|else:|import |from x import *|lambda: |CUSTOM_TOOLS| = | += |f|\"name\"|'function'"
    "|    |\t|\n|\r|\r\n|\"\"\"|'''|'|\"|(|)|[|]|{|}|:|,|=|@|#|\\|\\\n|é|🎫|\ufeff|\0|\x0c|\u2028"
)
FRAGMENTS = st.lists(st.sampled_from(WORDS.split("|")), max_size=40).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from([text for text, _ in FILES.values()]))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 20)))
        text = text[:start] + draw(FRAGMENTS | TEXT) + text[end:]
    return text


def places(finding: Finding) -> list[Range]:
    edits = [edit.range for fix in finding.fixes for edit in fix.edits]
    return [finding.range, *(place for place, _ in finding.related), *edits]


@settings(max_examples=150, deadline=None)
@given(TEXT | FRAGMENTS | mutated())
def test_any_text_is_read_and_every_place_lies_inside_of_it(text: str) -> None:
    file = read(text)
    findings = check(file)
    lines = Lines(text)
    for finding in findings:
        for start, end in places(finding):
            assert start <= end
            assert end.line < len(lines.starts)
            assert 0 <= start.column <= len(lines.line(start.line))
            assert 0 <= end.column <= len(lines.line(end.line))
    assert check(read(text)) == findings
    assert len({tool.name for tool in file.tools}) == len(file.tools)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=100) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_decoded_with_one_finding_at_most(data: bytes) -> None:
    text, findings = decode(data)
    assert len(findings) <= 1
    read(text)
    if not findings:
        assert text.encode() == data.removeprefix(b"\xef\xbb\xbf") or b"coding" in data
