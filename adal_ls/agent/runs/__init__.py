"""Runs: the loop between model and tools, one episode after the other, and what is kept between them."""
