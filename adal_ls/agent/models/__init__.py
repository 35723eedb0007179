"""Models as the loop sees them, whatever the provider sends."""
