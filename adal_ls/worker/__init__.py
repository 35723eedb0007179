"""The tool worker: a process of the workspace's Python that loads `.adal/tools.py` and runs its tools.

`client` is the host's side of the pipe; `bootstrap` is the script that the interpreter runs; the rest lives in the
worker process. A worker loads its project once: newer code means a new worker, which never sees stale modules.
"""
