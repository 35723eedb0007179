"""Texts as the editor has them, by LSP's line and column rules."""
