"""Serves like `python -m adal_ls`, with the agent host that the arguments name."""

import sys

from adal_ls.server import serve

serve(host_command=sys.argv[1:])
