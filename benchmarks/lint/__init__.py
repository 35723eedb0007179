"""What an edit costs until its diagnostics are there, beside other servers. `python -m benchmarks.lint`."""
