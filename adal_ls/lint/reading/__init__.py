"""Bytes → text → statements → syntax trees, of files that may be unfinished."""
