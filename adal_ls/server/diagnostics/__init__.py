"""Findings on their way to the editor."""
