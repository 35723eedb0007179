"""The one place that states the package's version (read by the build, the server and the host)."""

__version__ = "0.1.0"
