"""What is kept of runs, and for how long."""
