"""Starts the language server on the libraries that the extension brings, whatever else the interpreter has.

Run as `python -I serve.py`. Only this folder's `libs` is added to the module path, ahead of everything installed.
"""

import os.path
import sys

if sys.version_info < (3, 10):
    sys.exit("AdaL needs Python 3.10 or newer; this is Python %d.%d (%s)." % (*sys.version_info[:2], sys.executable))

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "libs"))

from adal_ls.__main__ import main

sys.exit(main())
