"""Messages in and out: framing, order, bounds, and whatever an editor does to a pipe."""
