"""An agent with the tools of an MCP server, which the agent host starts when a run first needs it."""

from __future__ import annotations

import sys

from adal_ls import create_runtime, mcp_tool_provider

library = mcp_tool_provider(
    name="library",
    command=[sys.executable, "library.py"],  # starts in the project's folder
    prefix="library_",
)

AGENTS = [
    create_runtime(model="script:turns.yaml").create_agent(
        "reader",
        description="Knows the books.",
        tools=library,
    ),
]
