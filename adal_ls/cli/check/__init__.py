"""`adal-ls check`: lint tools files."""
