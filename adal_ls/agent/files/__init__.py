"""Files read and written by their real place, whole or not at all."""
