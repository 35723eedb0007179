"""A small MCP server, as others write them: it looks after the books in a folder. It talks over stdin and stdout."""

from __future__ import annotations

from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("library", version="1.0")
BOOKS = Path("books")


@server.tool()
def find(word: str) -> list[str]:
    """Find the books in which a word stands."""
    return sorted(book.stem for book in BOOKS.glob("*.txt") if word.lower() in book.read_text(encoding="utf-8").lower())


@server.tool()
def remove(title: str) -> str:
    """Take a book off the shelf, for good."""
    books = {book.stem: book for book in BOOKS.glob("*.txt")}
    books[title].unlink()
    return f"{title} is gone"


if __name__ == "__main__":
    server.run()
