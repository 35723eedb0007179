"""What an editor offers at a place of a tools file."""
