"""Fills `bundled/`: the wheel of adal_ls, and `libs` with it and the pure-Python packages that the server needs.

Versions and hashes come from `requirements/runtime.lock`. Nothing is done when neither that nor the package changed.

Run with the repository's environment, which has pip and the build backend: `make vscode-build`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1]
ROOT = CLIENT.parent
BUNDLED = CLIENT / "bundled"
STAMP = BUNDLED / ".stamp"
LOCK = ROOT / "requirements" / "runtime.lock"

# exceptiongroup and tomli are for Python 3.10 only, but the same .vsix runs on all of them.
PACKAGES = ("attrs", "cattrs", "exceptiongroup", "lsprotocol", "pygls", "tomli", "typing-extensions")
# Some of them have wheels with native code too.
PURE = ("--only-binary", ":all:", "--platform", "any", "--implementation", "py", "--abi", "none")
NATIVE = (".so", ".pyd", ".dylib", ".dll")


def main() -> int:
    version = same_version()
    wanted = fingerprint()
    for cache in list((BUNDLED / "libs").rglob("__pycache__")):  # the tests in the extension host run from here
        shutil.rmtree(cache)
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return 0
    STAMP.unlink(missing_ok=True)
    libs, wheels = BUNDLED / "libs", BUNDLED / "wheels"
    for folder in (libs, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    # Built with the backend that the environment has, checked against a hash, rather than with one fetched for it.
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT))
    wheel = wheels / f"adal_ls-{version}-py3-none-any.whl"
    with tempfile.TemporaryDirectory() as scratch:
        pinned = Path(scratch) / "requirements.txt"
        pinned.write_text("\n".join(pinned_requirement(name) for name in PACKAGES))
        target = ("--no-deps", "--no-compile", "--target", str(libs))
        pip("install", *target, *PURE, "--require-hashes", "--requirement", str(pinned))
        pip("install", *target, str(wheel))
    shutil.rmtree(libs / "bin", ignore_errors=True)  # start scripts that name this machine's interpreter
    for record in libs.glob("*.dist-info/direct_url.json"):
        record.unlink()  # names this machine's folders
    native = [path for path in libs.rglob("*") if path.suffix in NATIVE]
    if native:
        raise SystemExit(f"bundle: {native[0].name} is native code and would tie the extension to one platform")
    STAMP.write_text(wanted)
    return 0


def same_version() -> str:
    """The version of the package, which the extension's must equal.

    Raises:
        SystemExit: they differ.
    """
    package = re.search(r'__version__ = "([^"]+)"', (ROOT / "adal_ls" / "version.py").read_text())
    extension = json.loads((CLIENT / "package.json").read_text())["version"]
    if package is None or package[1] != extension:
        found = package[1] if package else "none"
        raise SystemExit(f"bundle: adal_ls is {found}, vscode-client/package.json says {extension}; make them equal")
    return package[1]


def fingerprint() -> str:
    digest = hashlib.sha256()
    sources = [path for path in (ROOT / "adal_ls").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in sorted([*sources, LOCK, ROOT / "pyproject.toml", Path(__file__)]):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def pinned_requirement(name: str) -> str:
    """The lock's entry with its hashes, without the condition it may have there."""
    entry = re.search(rf"^{re.escape(name)}==(\S+)[^\\\n]*\\\n((?:    --hash=\S+(?: \\)?\n)+)", LOCK.read_text(), re.M)
    if entry is None:
        raise SystemExit(f"bundle: {name} is not in {LOCK.relative_to(ROOT)}")
    return f"{name}=={entry[1]} \\\n{entry[2]}"


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"bundle: pip {arguments[0]} failed, see above")


if __name__ == "__main__":
    sys.exit(main())
