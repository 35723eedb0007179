"""CUSTOM_TOOLS, followed through the statements that make it."""
