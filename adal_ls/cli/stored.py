"""The runs of a project as commands find them: the store, opened for a look, and a run by the beginning of its id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from adal_ls.cli.output import Failure, reason

if TYPE_CHECKING:
    from adal_ls.agent.store.store import Store

_SHOWN = 5


class NoRunError(Failure):
    """No run, or more than one, is the one that is meant."""


@contextmanager
def opened(project: Path) -> Iterator[Store | None]:
    """The project's store, None where there is none yet: looking leaves nothing behind.

    Raises:
        Failure: it cannot be used.
    """
    from adal_ls.agent.store.store import Store, StoreError

    try:
        if not Store.exists(project):
            yield None
            return
        store = Store.open(project)
        try:
            yield store
        finally:
            store.close()
    except (StoreError, ValueError) as fault:
        raise Failure(str(fault)) from fault
    except OSError as fault:
        raise Failure(f"the run store cannot be read: {reason(fault)}; ADAL_DATA_DIR says where it lies") from fault


def whole_id(store: Store, given: str, project: Path) -> str:
    """The id of the run that `given` is, or is the only one's beginning of.

    Raises:
        NoRunError: none, or several.
    """
    found = [run.run_id for run in store.runs() if run.run_id.startswith(given)]
    if given in found:
        return given
    if len(found) == 1:
        return found[0]
    if found:
        some = ", the first five" if len(found) > _SHOWN else ""
        names = ", ".join(found[:_SHOWN])
        raise NoRunError(f"{len(found)} runs begin with '{given}'{some}: {names}; give more of the id")
    raise NoRunError(f"no run begins with '{given}' in {project.resolve()}; see adal-ls runs list")


def last_id(store: Store, project: Path) -> str:
    """The id of the newest run of the project's folder.

    Raises:
        NoRunError: there is none.
    """
    runs = store.runs(project_root=str(project.resolve()), limit=1)
    if not runs:
        raise NoRunError(none_yet(project))
    return runs[0].run_id


def none_yet(project: Path) -> str:
    return f"no runs in {project.resolve()} yet; start one: adal-ls run -q 'what to do'"
