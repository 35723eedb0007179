"""Benchmarks against peers, in one run."""
