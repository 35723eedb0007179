"""What the editor and the command line both know of a folder of files: its projects, their texts and settings."""
