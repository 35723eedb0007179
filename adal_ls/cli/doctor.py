"""`adal-ls doctor`: what a person who reports a fault, or looks for one, needs to know about this installation."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import click

from adal_ls.cli.output import give, give_json
from adal_ls.cli.project import nearest, project_of
from adal_ls.version import __version__

PACKAGES = ("pygls", "lsprotocol", "pydantic", "litellm", "click", "rich", "watchfiles", "PyYAML")

MODEL_VARIABLES = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY")
"""Always listed; others that are set and look like one are listed with them."""

_LIKE_A_MODEL_VARIABLE = re.compile(r"[A-Z0-9_]+_(API_KEY|API_BASE|BASE_URL)")

_INTERPRETER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Problem:
    """`warning`: something cannot be used. `error`: tools or runs do not work as they should."""

    severity: Literal["error", "warning"]
    message: str


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """`python` is the interpreter's version; None where it was not run (no trust) or does not run."""

    root: str
    trusted: bool
    interpreter: str
    python: str | None = None


@dataclass(slots=True)
class Report:
    """All there is to tell; as JSON by its field names. Holds no value of any variable."""

    version: int = 1
    adal_ls: str = __version__
    python: str = platform.python_version()
    executable: str = sys.executable
    platform: str = platform.platform()
    packages: dict[str, str | None] = field(default_factory=dict)
    data_folder: str | None = None
    sandbox: bool = False
    model_variables: dict[str, bool] = field(default_factory=dict)
    projects: list[ProjectReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def error(self, message: str) -> None:
        self.problems.append(Problem("error", message))

    def warning(self, message: str) -> None:
        self.problems.append(Problem("warning", message))

    @property
    def exit_code(self) -> int:
        return int(any(problem.severity == "error" for problem in self.problems))


@click.command("doctor")
@click.argument("path", type=click.Path(path_type=Path, exists=True, file_okay=False), default=Path())
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
def command(path: Path, style: str) -> int:
    """Look whether everything is in place for the projects in the folder PATH (the current one if absent).

    Nothing of an untrusted folder is run, and no key is shown: only whether there is one. Exit code 1: something does
    not work.
    """
    report = examine(path)
    if style == "json":
        give_json(asdict(report))
    else:
        give("\n".join(_lines(report)))
    return report.exit_code


def examine(folder: Path) -> Report:
    """Looks at the installation, the person's data, the sandbox, and each project in `folder`."""
    report = Report()
    _packages(report)
    _data_folder(report)
    _sandbox(report)
    report.model_variables = model_variables(os.environ)
    _projects(report, folder)
    return report


def model_variables(environ: Mapping[str, str]) -> dict[str, bool]:
    """Variables that models read → whether they are set to something."""
    found = {name for name in environ if _LIKE_A_MODEL_VARIABLE.fullmatch(name)}
    return {name: bool(environ.get(name)) for name in sorted({*MODEL_VARIABLES, *found})}


def _packages(report: Report) -> None:
    installed = {_normalised(found.name): found.version for found in importlib.metadata.distributions()}
    for name in PACKAGES:
        report.packages[name] = installed.get(_normalised(name))
        if report.packages[name] is None:
            report.error(f"the package {name} is not installed: run `pip install --force-reinstall adal-ls`")


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _data_folder(report: Report) -> None:
    from adal_ls.agent.files.paths import data_dir

    try:
        folder = data_dir()
    except ValueError as fault:
        report.error(str(fault))
        return
    report.data_folder = str(folder)
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        report.error(f"runs and trust cannot be kept: {existing} is no folder you may write to (see ADAL_DATA_DIR)")


def _sandbox(report: Report) -> None:
    from adal_ls.agent.sandbox import sandbox

    if report.data_folder is None:
        return  # the sandbox hides that folder, and so cannot be made either
    with tempfile.TemporaryDirectory() as folder:
        try:
            finished = asyncio.run(sandbox.run("exit 0", Path(os.path.realpath(folder))))
        except (sandbox.SandboxUnavailableError, OSError) as fault:
            report.warning(str(fault))
            return
    report.sandbox = finished.exit_code == 0


def _projects(report: Report, folder: Path) -> None:
    from adal_ls.agent.projects import trust
    from adal_ls.agent.projects.interpreters import choose_interpreter
    from adal_ls.workspace.projects import discover

    below = [Path(project.root) for project in discover(str(project_of(folder)))]
    above = nearest(folder) if not below else None
    for root in below if above is None else [above]:
        trusted = report.data_folder is not None and trust.is_trusted(root)
        interpreter = choose_interpreter(None, root)
        # An interpreter inside a folder that nobody trusted is as good as a program from a stranger.
        python = _version_of(interpreter, report) if trusted or interpreter == sys.executable else None
        report.projects.append(ProjectReport(str(root), trusted, interpreter, python))


def _version_of(interpreter: str, report: Report) -> str | None:
    if interpreter == sys.executable:
        return platform.python_version()
    code = "import platform; print(platform.python_version())"
    try:
        ran = subprocess.run(
            [interpreter, "-I", "-c", code],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INTERPRETER_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        report.error(f"{interpreter} does not run ({type(fault).__name__}): make that environment anew")
        return None
    version = ran.stdout.strip()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (3, 10):
        report.error(f"{interpreter} is Python {version}; tools need 3.10 or newer: make that environment anew")
    return version


def _lines(report: Report) -> Iterator[str]:
    yield f"adal-ls {report.adal_ls}, Python {report.python} ({report.executable}), {report.platform}"
    yield "Packages: " + ", ".join(f"{name} {version or 'missing'}" for name, version in report.packages.items())
    yield f"Data folder: {report.data_folder or 'none'}"
    yield f"Sandbox for bash: {'works' if report.sandbox else 'not available'}"
    given = [name for name, there in report.model_variables.items() if there]
    yield f"Model variables: {', '.join(given) or 'none'}"
    for project in report.projects:
        python = f"Python {project.python}" if project.python else "not run"
        trusted = "trusted" if project.trusted else "not trusted"
        yield f"Project {project.root}: {trusted}; {project.interpreter} ({python})"
    if not report.projects:
        yield "Projects: none here"
    for problem in report.problems:
        yield f"{problem.severity.capitalize()}: {problem.message}"
    if not report.problems:
        yield "No problems found."
