"""What the built-in tools of a workspace may reach."""
