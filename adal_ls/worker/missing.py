"""The way out where Python does not find a module. In the worker."""

from __future__ import annotations

import sys
from pathlib import Path

from adal_ls.worker.install import install_command
from adal_ls.worker.sources import Sources

_PACKAGES = {
    "Crypto": "pycryptodome",
    "OpenSSL": "pyOpenSSL",
    "PIL": "Pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "github": "PyGithub",
    "jose": "python-jose",
    "jwt": "PyJWT",
    "magic": "python-magic",
    "pkg_resources": "setuptools",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "telegram": "python-telegram-bot",
    "usb": "pyusb",
    "win32api": "pywin32",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
"""Modules whose package has another name: the command would install nothing, or what a stranger has put there."""


def missing_module(module: str, sources: Sources) -> str:
    """What to do about a module that this Python does not find."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        version = ".".join(map(str, sys.version_info[:2]))
        what = "has no such module" if top != module and top in sys.modules else "is missing"
        return f"'{top}' belongs to Python itself, and {what} in Python {version} on {sys.platform} as it is installed"
    if top != module and top in sys.modules:
        where = getattr(sys.modules[top], "__file__", None)
        if isinstance(where, str) and sources.owns(where):
            return f"'{top}' is {where}, and has no such module in it"
        return f"'{top}' is installed, and has none of that name; another version may: {_install(top, '--upgrade ')}"
    if any(Path(sources.root, candidate).exists() for candidate in (f"{top}.py", top)):
        return "only .adal is searched, so add the project folder to sys.path or install the project there"
    if top in _PACKAGES:
        return f"install it with: {_install(top)}"
    return f"if the package has the same name: {_install(top)}"


def _install(top: str, how: str = "") -> str:
    return install_command(f"{how}{_PACKAGES.get(top, top)}")
