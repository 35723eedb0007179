"""Runs in a user's own script, under the same loop and gate."""
