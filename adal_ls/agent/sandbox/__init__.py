"""Shell commands in a sandbox, and never without."""
