"""An MCP server written with the protocol's own package: `python mcp_server.py stdio` or `http PORT`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp_types import (
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import Field

server = MCPServer("library", version="1.0")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: Annotated[int, Field(description="One number.")], b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def note(text: str) -> str:
    """Write a note into notes.txt."""
    with Path("notes.txt").open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    return f"noted {text}"


@server.tool()
def surroundings() -> dict[str, Any]:
    """Tell the folder and the variables."""
    return {"cwd": str(Path.cwd()), "env": dict(os.environ)}


@server.tool()
async def slow(ctx: Context[Any, Any]) -> str:
    """Take a minute."""
    try:
        for step in range(600):
            await ctx.report_progress(step, 600, f"step {step}")
            await anyio.sleep(0.1)
    except BaseException:
        Path("cancelled.txt").write_text("cancelled", encoding="utf-8")
        raise
    return "slept"


@server.tool(structured_output=False)
def picture() -> list[Any]:
    """Give a picture, a book and a place."""
    return [
        "a text",
        Image(data=b"\x89PNG" + b"0" * 20, format="png"),
        EmbeddedResource(
            type="resource", resource=TextResourceContents(uri="book://moby", mime_type="text/plain", text="Call me")
        ),
        ResourceLink(type="resource_link", name="shelf", uri="book://shelf", description="all of them"),
    ]


@server.tool()
def fails() -> CallToolResult:
    """Fail."""
    return CallToolResult(content=[TextContent(type="text", text="no such book")], is_error=True)


@server.tool()
async def change(ctx: Context[Any, Any]) -> str:
    """Change what `note` says it is."""
    server.remove_tool("note")

    def changed(text: str) -> str:
        return f"took {text}"

    server.add_tool(changed, name="note", description="Something else now.")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "changed"


@server.tool()
def die() -> str:
    """End the server in the middle of the call."""
    sys.stderr.write("out of books\n")
    sys.stderr.flush()
    os._exit(3)


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run()
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
