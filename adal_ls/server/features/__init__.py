"""One module per LSP request: a pure function from a snapshot and the parameters to the result."""
