"""The agent host: its process, what it loads, and the runs it tells of."""
