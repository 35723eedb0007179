"""Which rules speak, how loud, and where they are silenced."""
