"""adal-ls: lint, preview, run and approve the tools of a coding agent.

Importing this package imports nothing else; public names arrive with the packages that hold them.
"""

from adal_ls.version import __version__

__all__ = ["__version__"]
