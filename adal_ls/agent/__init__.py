"""The agent host: runs and their loop, the gate that every call passes, tools, models, and what is kept of it all."""
