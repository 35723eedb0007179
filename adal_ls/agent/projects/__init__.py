"""The tools and agents of trusted projects, as loaded by their workers."""
