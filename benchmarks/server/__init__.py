"""The language server beside others."""
