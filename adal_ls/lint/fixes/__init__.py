"""Fixes and how they are applied."""
