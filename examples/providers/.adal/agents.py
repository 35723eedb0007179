"""An agent whose tools depend on the call: which shelf it works on, and who is asking."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, ValidationError

from adal_ls import (
    InvalidContextError,
    ToolContext,
    ToolSet,
    ToolSummary,
    combine_tool_providers,
    create_runtime,
    create_tool_provider,
)


class Shelf(BaseModel):
    """Describes the context in the editor's form. The provider itself parses with it; nobody else does."""

    name: str = "recipes"


class ShelfTools:
    """A provider as a class: it keeps something for each run, and lets go of it when the run ends."""

    context_schema = Shelf

    def __init__(self) -> None:
        self._read: dict[str, int] = {}

    def get_tools(self, ctx: ToolContext[dict[str, str]], /) -> ToolSet:
        try:
            shelf = Shelf.model_validate(ctx.tool_provider_context or {})
        except ValidationError as fault:
            raise InvalidContextError(f"the shelf is {{'name': ...}}: {fault}") from None
        folder = (ctx.project_root or Path.cwd()) / "shelves" / shelf.name
        if not shelf.name.isidentifier() or not folder.is_dir():
            raise InvalidContextError(f"there is no shelf '{shelf.name}'")
        self._read[ctx.agent_call_id] = 0

        def list_notes() -> list[str]:
            """List the notes of the shelf."""
            return sorted(note.stem for note in folder.glob("*.txt"))

        def read_note(title: str) -> str:
            """Read a note of the shelf.

            Args:
                title: As list_notes gives it.
            """
            self._read[ctx.agent_call_id] += 1
            notes = {note.stem: note for note in folder.glob("*.txt")}
            return notes[title].read_text(encoding="utf-8")

        def add_note(title: str, text: str) -> str:
            """Put a note on the shelf.

            Args:
                title: A word.
                text: What it says.
            """
            if not title.isidentifier():
                raise ValueError(f"a title is one word, not {title!r}")
            (folder / f"{title}.txt").write_text(text, encoding="utf-8")
            return f"{title} is on the shelf {shelf.name}"

        return [
            {"function": list_notes, "require_approval": False},
            {"function": read_note, "require_approval": False},
            add_note,  # asks
        ]

    def list_tools(self) -> list[ToolSummary]:
        return [
            ToolSummary("list_notes", "List the notes of the shelf."),
            ToolSummary("read_note", "Read a note of the shelf."),
            ToolSummary("add_note", "Put a note on the shelf."),
        ]

    def on_run_end(self, ctx: ToolContext[dict[str, str]], /) -> None:
        self._read.pop(ctx.agent_call_id, None)  # the run may have failed before it had any tools


class Reader(TypedDict):
    name: str


def reader_tools(ctx: ToolContext[Reader]) -> ToolSet:
    reader = ctx.tool_provider_context

    def who_is_asking() -> str:
        """Tell the name of the reader."""
        return reader["name"] if reader else "nobody in particular"

    return {"who_is_asking": {"function": who_is_asking, "require_approval": False}}


runtime = create_runtime(model="script:turns.yaml")

AGENTS = [
    runtime.create_agent(
        "librarian",
        description="Looks after the notes of one shelf.",
        system_prompt="You look after the notes of one shelf.",
        tools=combine_tool_providers(
            {"shelf": ShelfTools(), "reader": create_tool_provider(get_tools=reader_tools)},
        ),
    ),
]
