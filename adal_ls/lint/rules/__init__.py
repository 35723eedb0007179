"""The rules, one module per family. Importing this package registers all of them in `RULES`."""

from __future__ import annotations

from adal_ls.lint.rules import entries, naming, shape, syntax
from adal_ls.lint.rules.base import RULES, Rule

__all__ = ["RULES", "Rule", "entries", "naming", "shape", "syntax"]
