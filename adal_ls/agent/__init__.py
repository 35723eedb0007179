"""The agent host: runs, the approval gate, built-in tools, the sandbox and the run store."""
