"""The command `adal-ls check`: what it takes, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from adal_ls.cli import sources
from adal_ls.cli.check import batch, fix
from adal_ls.cli.check.configs import Configs, read_codes
from adal_ls.cli.check.progress import progress
from adal_ls.cli.check.python import Python, read_python
from adal_ls.cli.check.reports import REPORTS, Outcome, Report
from adal_ls.cli.output import Misuse
from adal_ls.cli.sources import STDIN, Source
from adal_ls.cli.time_options import load_seconds_option
from adal_ls.lint import Severity
from adal_ls.lint.findings import as_words


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", "style", type=click.Choice(list(REPORTS)), default="text", help="What to print.")
@click.option("--select", metavar="CODES", callback=read_codes, help="Only these, such as ADAL1 or ADAL101,ADAL2.")
@click.option(
    "--ignore", metavar="CODES", callback=read_codes, help="None of these; errors that the runtime refuses stay."
)
@click.option("--fix", "mend", is_flag=True, help="Mend what needs no choice, in the files themselves.")
@click.option("--diff", "preview", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--python",
    metavar="PATH|VERSION",
    callback=read_python,
    help="Which Python will run the files, and so judges their syntax; else the one adal-ls runs on.",
)
@click.option(
    "--load", "loads", is_flag=True, help="Also load the projects, as for a run, and say what only that tells."
)
@click.option("--trust", "trusted", is_flag=True, help="With --load: load them this once; adal-ls trust remembers it.")
@load_seconds_option
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@click.option(
    "--stdin-filename",
    metavar="PATH",
    type=click.Path(),
    help="Where the text on standard input (the path -) would stand: for its name and configuration.",
)
def command(
    paths: tuple[str, ...],
    *,
    style: str,
    select: list[str] | None,
    ignore: list[str] | None,
    mend: bool,
    preview: bool,
    python: Python | None,
    loads: bool,
    trusted: bool,
    load_seconds: float | None,
    watch: bool,
    stdin_filename: str | None,
) -> int:
    """Lint tools and agents files. Nothing in them is run, but with --load.

    PATHS are files, folders in which every .adal/tools.py and agents.py is checked, or - for standard input. If none is
    given: the current folder, or the project it lies in. The table [tool.adal-ls] of the nearest pyproject.toml counts;
    options come before it. Exit code 0: no errors. 1: errors were found, after the fixes of --fix. 2: wrong usage,
    nothing to check, or a file that cannot be read or written. With --diff 1 means that --fix would change something.
    With --watch it is that of the last round.

    Without --python syntax that is newer than the Python of adal-ls is information, not an error. Nothing of the files
    is run by it either: it compiles them.

    --load imports each tools file in a process of its own, with the Python of its project, and calls no tool. A file
    that cannot be imported is an error (ADAL901 to ADAL904); so are tools that it does not give (ADAL905).

    Fixes never change whether a tool asks for approval.
    """
    if mend and preview:
        raise click.UsageError("--fix changes files and --diff shows what it would change: give one of them")
    if watch and (preview or style != "text" or STDIN in paths):
        raise click.UsageError("--watch is for a person: it goes with neither --diff, another --format nor -")
    if mend and STDIN in paths:
        raise click.UsageError("--fix mends files, not standard input; --diff shows what it would change")
    if stdin_filename is not None and STDIN not in paths:
        raise click.UsageError("--stdin-filename belongs to the path -, which stands for standard input")
    if loads and (preview or watch or STDIN in paths):
        raise click.UsageError("--load loads what is saved, once: it goes with neither --diff, --watch nor -")
    if loads and python is not None and python.interpreter is None:
        raise click.UsageError(f"--load needs a Python {as_words(python.version)} that is here: give --python its path")
    if trusted and not loads:
        raise click.UsageError("--trust belongs to --load; without it nothing is run, so no trust is needed")
    asked = Request(
        paths,
        select,
        ignore,
        REPORTS[style],
        python,
        mend=mend,
        preview=preview,
        stdin_filename=stdin_filename,
        loads=loads,
        trusted=trusted,
        load_seconds=load_seconds,
    )
    if watch:
        from adal_ls.cli.check.watch import follow

        return follow(asked)
    checked = check(asked)
    code = give(asked, checked)
    if not checked.outcome.sources:
        raise Misuse(nothing_found(paths))
    return code


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    paths: tuple[str, ...]
    select: list[str] | None
    ignore: list[str] | None
    report: Report
    python: Python | None = None
    mend: bool = False
    preview: bool = False
    stdin_filename: str | None = None
    loads: bool = False
    trusted: bool = False
    load_seconds: float | None = None

    def files(self) -> Iterator[str]:
        """The files there are now for these paths; standard input is none of them."""
        named = [path for path in self.paths if path != STDIN]
        return sources.find(named) if named or not self.paths else iter(())


@dataclass(frozen=True, slots=True)
class Checked:
    """One round: what was found, with which configurations."""

    outcome: Outcome
    configs: Configs


Read = Callable[[Sequence[batch.Task], Callable[[int], None]], list[Source]]


def check(asked: Request, read: Read = batch.check) -> Checked:
    """Checks all files that are asked for, once, and mends them if that is asked for. `read` reads and checks files."""
    configs = Configs(asked.select, asked.ignore)
    tasks = [batch.Task(path, configs.of(path)) for path in asked.files()]
    if asked.loads:
        from adal_ls.cli.check.loading import refuse_untrusted  # only this pays for the import

        refuse_untrusted([task.path for task in tasks], trusted=asked.trusted)
    with progress(len(tasks), large=batch.large(tasks)) as done:
        found = read(tasks, done)
    data: bytes | None = None
    if STDIN in asked.paths:
        path, data = asked.stdin_filename or STDIN, sys.stdin.buffer.read()
        found.append(sources.from_bytes(path, data, configs.of(path)))
    if not (asked.mend or asked.preview):
        return Checked(_outcome(asked, found, configs), configs)
    originals = [*(None for _ in tasks), data]
    fixed = [
        fix.mend(source, configs.of(source.path), write=asked.mend, original=original)
        for source, original in zip(found, originals, strict=False)
    ]
    if asked.mend:
        others = any(one.applied for its in fixed for one in its[1:])
        found = [
            sources.read(source.path, configs.of(source.path)) if own.applied or (others and source.modules) else source
            for source, (own, *_) in zip(found, fixed, strict=True)
        ]
    return Checked(_outcome(asked, found, configs, fix.once(fixed)), configs)


def _outcome(
    asked: Request, found: Sequence[Source], configs: Configs, fixed: Sequence[fix.Fixed] | None = None
) -> Outcome:
    python = asked.python
    if asked.loads:
        from adal_ls.cli.check.loading import load

        with progress(len(found), "Loading") as done:
            found = load(found, configs.of, python.interpreter if python else None, asked.load_seconds, done)
    every = sources.with_modules(found)
    return Outcome(python.judge(every) if python else every, fixed)


def give(asked: Request, checked: Checked) -> int:
    """Prints what was found. Returns the exit code."""
    outcome = checked.outcome
    fixed = outcome.fixed or ()
    if asked.preview:
        fix.give_diff(fixed)
    else:
        asked.report(outcome)
    if not fix.tell_refused(fixed) or checked.configs.broken or outcome.files < len(outcome.sources):
        return 2
    if asked.preview:
        return 1 if any(one.applied for one in fixed) else 0
    return 1 if outcome.count(Severity.ERROR) else 0


def nothing_found(paths: tuple[str, ...]) -> str:
    below = ", ".join(f"'{path}'" for path in paths)
    where = f"below {below}" if paths else f"in or above {Path.cwd()}, up to the root of its repository"
    return (
        f"there is no .adal/tools.py or agents.py {where}, so nothing was checked; give the project's folder or a "
        "file: adal-ls check PATH"
    )
