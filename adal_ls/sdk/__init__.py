"""What users import in their tools and scripts."""

from adal_ls.sdk.output import ToolOutput

__all__ = ["ToolOutput"]
