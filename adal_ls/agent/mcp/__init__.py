"""Tools of MCP servers that a project's providers describe."""
