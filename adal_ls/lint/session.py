"""A text that is linted while it is edited: an edit costs what it changes, and the findings are those of a fresh read.

Every rule looks at a small subject (an entry, a chunk), and what it asks for of the rest of the file is noted. After an
edit those subjects are looked at again that changed, or that asked for something that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from dataclasses import replace

from adal_ls.lint.findings import Finding, Fix, TextEdit
from adal_ls.lint.lists.listed import ListedTools
from adal_ls.lint.lists.unlisted import Unlisted
from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules.around import NOWHERE, Around, ModuleText, Resolve
from adal_ls.lint.modules.beside import Beside
from adal_ls.lint.modules.index import Index
from adal_ls.lint.reader import join_chunks
from adal_ls.lint.reading.blocks import Part, Place
from adal_ls.lint.reading.chunks import (
    Chunk,
    must_be_judged_whole,
    never_closed,
    problem_of_whole,
    read_chunks,
    syntax_problems,
    text_for_us,
)
from adal_ls.lint.reading.parsing import NewerSyntax, SyntaxProblem
from adal_ls.lint.reading.rows import Held, Row
from adal_ls.lint.reading.stopping import finished, look_up
from adal_ls.lint.reading.text import Lines, Range, line_end
from adal_ls.lint.rules.base import FILE_RULES, FUNCTION_RULES, IGNORE_RULES, STATEMENT_RULES
from adal_ls.lint.settings.config import Config
from adal_ls.lint.settings.ignores import Ignores, has_marks
from adal_ls.lint.subjects import of_chunk
from adal_ls.lint.view import Overview

DEFAULT = Config()


def open_text(text: str, config: Config = DEFAULT, resolve: Resolve | None = None) -> LintedText:
    """Read and check a text that is going to be edited. `resolve` gives the texts of the modules beside it."""
    return finished(opening(text, config, resolve))


def opening(text: str, config: Config = DEFAULT, resolve: Resolve | None = None) -> Generator[None, None, LintedText]:
    """`open_text` in small steps, between which whoever runs it can do other things."""
    chunks = []
    for chunk in read_chunks(text):
        chunks.append(chunk)
        yield
    linted = LintedText((), config, resolve)
    yield from linted.fill(chunks)
    return linted


class LintedText:
    """The chunks of one text, and what lint says about it."""

    def __init__(self, chunks: Iterable[Chunk], config: Config = DEFAULT, resolve: Resolve | None = None) -> None:
        """`chunks` are numbered as the lines of their text are (`ToolFile.chunks`, `read_chunks`)."""
        self._config = config
        self._row = Row()
        self._index = Index(resolve)
        self._listed = ListedTools(self._index, self._row)
        self._unlisted = Unlisted(self._row, self._index, self._listed)
        self._beside = Beside()
        self._troubled: set[Held] = set()
        self._doubtful: set[Held] = set()
        self._openings: set[Held] = set()
        self._breakers: set[Held] = set()
        self._marked: set[Held] = set()
        self._speaking: set[Held] = set()
        finished(self.fill(chunks))

    def fill(self, chunks: Iterable[Chunk]) -> Generator[None, None, None]:
        """Take the chunks of a file in, in steps. It must have none yet."""
        self._row.fill(chunks)
        yield from self._renew([], self._row.held)

    @property
    def text(self) -> str:
        return self._row.text

    def replace(self, first: int, last: int, text: str) -> None:
        """Put `text` in the place of the lines `first` to `last` (zero-based, line ends included)."""
        finished(self._renew(*self._row.replace(first, last, text)))

    def reader(self) -> Callable[[], ToolFile]:
        """Gives the file as it is now, whenever and on whichever thread it is called."""
        chunks, modules = self._row.reader(), self._index.modules
        around = NOWHERE if modules is None else Around(modules.copied())
        return lambda: join_chunks(chunks(), around)

    def refresh(self) -> bool:
        """Look at the modules beside the file again, as one of them may have changed; whether any has."""
        keys = set() if self._index.modules is None else self._index.modules.refresh()
        if not keys:
            return False
        starred = self._index.with_stars()
        finished(self._renew(starred, starred, keys))
        return True

    def beside(self, *, quiet: bool = False) -> dict[ModuleText, list[Finding]]:
        """What is said of functions in modules beside the file that are tools of it, by module. The rules about the
        list and its names speak in the file itself. `quiet`: also the modules of which nothing is said."""
        told = self._beside.there(self._listed.abroad(), self._config)
        return {text: found for text, found in told.items() if found or quiet}

    def findings(self) -> list[Finding]:
        """All findings that the configuration lets through, sorted by place, then by code."""
        found: dict[tuple[object, ...], Finding] = {}
        ignores = Ignores(held.chunk.lines for held in self._marked)
        for finding in self._all():
            configured = self._config.apply(finding)
            if configured is not None and not ignores.silences(configured):
                # Two entries of one function say the same about its name.
                found.setdefault(_key(finding), configured)
        told: list[Finding] = []
        for held in self._speaking:
            of_chunk = self._told(held)
            if self._marked:
                pairs = zip(held.findings, of_chunk, strict=True)
                told += (placed for finding, placed in pairs if not ignores.silences(finding))
            else:
                told += of_chunk
        for unused in ignores.unused(self._config):
            for rule in IGNORE_RULES:
                for finding in rule(unused):
                    configured = self._config.apply(finding)
                    if configured is not None:
                        found[_key(finding)] = configured
        told += (self._placed(finding) for finding in found.values())
        return sorted(told, key=lambda finding: (finding.range, finding.code))

    def _renew(self, gone: list[Held], came: list[Held], keys: Collection[str] = ()) -> Generator[None, None, None]:
        """Bring everything in line with chunks that were exchanged, and other answers to `keys`, in steps."""
        changed = (yield from self._index.update(gone, came)) | {*keys}
        for held in gone:
            for kept in (self._troubled, self._doubtful, self._openings, self._breakers, self._marked, self._speaking):
                kept.discard(held)
        for held in came:
            self._note(held)
        dirty = {*came, *(one for one in self._index.askers(changed) if isinstance(one, Held))}
        relisted = yield from self._listed.update(gone, came, changed)
        if self._row.held:
            dirty.update(self._row.at(place.start.line) for place in relisted)
        self._unlisted.update(gone, came, relisted)
        for held in dirty:
            self._look_at(held)
            yield

    def _note(self, held: Held) -> None:
        chunk = held.chunk
        if chunk.is_troubled:
            self._troubled.add(held)
        if chunk.is_doubtful:
            self._doubtful.add(held)
        if chunk.part is Part.OPENING:
            self._openings.add(held)
        if chunk.leaves_list_open:
            self._breakers.add(held)
        if has_marks(chunk.text):
            self._marked.add(held)

    def _look_at(self, held: Held) -> None:
        """The local rules over one chunk."""
        look_up()
        with self._index.asked.noting() as asked:
            subjects = of_chunk(held.chunk, self._index.names, self._listed.listings)
            found = [finding for tool in subjects.functions for local in FUNCTION_RULES for finding in local(tool)]
            found += (finding for one in subjects.statements for at_top in STATEMENT_RULES for finding in at_top(one))
        self._index.set_asked(held, asked)
        far, inside = list[Finding](), dict[object, Finding]()
        for finding in found:
            if not self._is_inside(held, finding):
                far.append(finding)
            elif (configured := self._config.apply(finding)) is not None:
                inside.setdefault(_key(finding), configured)
        held.findings, held.far, held.told_at = tuple(inside.values()), tuple(far), None
        (self._speaking.add if found else self._speaking.discard)(held)

    def _all(self) -> Iterator[Finding]:
        overview = self._overview()
        for rule in FILE_RULES:
            yield from rule(overview)
        yield from self._listed.findings()
        yield from self._beside.here(self._listed.abroad())
        for held in self._speaking:
            yield from held.far

    def _overview(self) -> Overview:
        row = self._row
        last = next((held for held in reversed(row.held) if held.chunk.text.strip()), None)
        return Overview(
            self._listed,
            self._listed.tools,
            self._listed.all_read,
            self._listed.last,
            tuple(self._syntax()),
            tuple(self._newer()),
            lambda place: row.at(place.line).chunk.lines,
            last.chunk.lines if last is not None else Lines(""),
            next((line_end(held.chunk.text) for held in row.held if held.chunk.size), "\n"),
            self._unlisted.functions(),
            self._unlisted.uses,
            lambda: (held.chunk for held in row.held),
            row.absolute,
        )

    def _newer(self) -> Iterator[NewerSyntax]:
        for held in sorted(self._troubled, key=lambda held: held.first):
            yield from held.chunk.parsed.newer

    def _syntax(self) -> Iterator[SyntaxProblem]:
        troubled = sorted(self._troubled, key=lambda held: held.first)
        never_closed = [*self._never_closed()]
        yield from syntax_problems((held.first, held.chunk) for held in troubled)
        yield from never_closed
        if any(held.chunk.is_refused for held in troubled) or never_closed or not self._doubtful:
            return
        chunks = [held.chunk for held in self._row.held]
        if must_be_judged_whole(chunks, {held.chunk for held in self._doubtful}):
            problem = problem_of_whole(text_for_us(chunks))
            if problem is not None:
                start, end = (self._row.numbered(position) for position in problem.range)
                yield SyntaxProblem(problem.message, Range(start, end))

    def _never_closed(self) -> Iterator[SyntaxProblem]:
        """The lists that are still open where another statement, or the end of the file, comes."""
        ends = [(held.first, self._row.before(held)) for held in self._breakers]
        if self._row.held and self._row.held[-1].chunk.after is not Place.OUTSIDE:
            last = self._row.held[-1]
            ends.append((last.first + 1, last))
        for line, end in ends:
            opening = max((held for held in self._openings if held.first < line), key=lambda held: held.first)
            if end is not None:
                yield from never_closed(opening.chunk, end.chunk)

    def _is_inside(self, held: Held, finding: Finding) -> bool:
        """Whether all places of a finding are in one chunk."""
        lines = held.chunk.lines
        first, last = lines.first, lines.first + len(lines.starts)
        places = [finding.range, *(place for place, _ in finding.related)]
        places += (edit.range for fix in finding.fixes for edit in fix.edits)
        return all(first <= place.start.line and place.end.line < last for place in places)

    def _told(self, held: Held) -> tuple[Finding, ...]:
        """What is said of a chunk, with the lines of the file: the same objects as long as it is the same."""
        if held.told_at != held.moved:
            held.told = tuple(map(self._placed, held.findings)) if held.moved else held.findings
            held.told_at = held.moved
        return held.told

    def _placed(self, finding: Finding) -> Finding:
        """A finding with the lines of the file."""
        at = self._row.absolute
        related = tuple((at(place), message) for place, message in finding.related)
        fixes = tuple(
            Fix(fix.title, tuple(TextEdit(at(edit.range), edit.new_text) for edit in fix.edits), fix.preferred)
            for fix in finding.fixes
        )
        return replace(finding, range=at(finding.range), related=related, fixes=fixes)


def _key(finding: Finding) -> tuple[object, ...]:
    """What tells findings apart."""
    return finding.range, finding.code, finding.message
