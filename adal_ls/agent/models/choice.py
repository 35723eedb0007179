"""Which model a run uses, by its id. Nothing heavy is imported here."""

from __future__ import annotations

from pathlib import Path

from adal_ls.agent.models import offline, script
from adal_ls.agent.models.model import LitellmModel
from adal_ls.agent.models.stream import Model


def choose_model(*wanted: str | None, root: Path) -> Model:
    """The model of the first id given (the run's own, then the setting), else `offline`.

    A relative path after `script:` counts from `root`.

    Raises:
        ModelError: a script that cannot be read.
    """
    name = next((given.strip() for given in wanted if given and given.strip()), offline.NAME)
    if name == offline.NAME:
        return offline.OfflineModel()
    if name.startswith(script.PREFIX):
        return script.ScriptModel(root / name.removeprefix(script.PREFIX))
    return LitellmModel(name)


def is_remote(name: str) -> bool:
    """Whether a model id is one for the model layer, whose import takes seconds."""
    return name.strip() not in ("", offline.NAME) and not name.strip().startswith(script.PREFIX)


def advice(name: str) -> str | None:
    """What somebody who chose this model should know before it answers."""
    if name.startswith("ollama/"):
        other = name.replace("ollama/", "ollama_chat/", 1)
        return f"{name} delivers no tool calls as such. Choose {other}: the same model, by Ollama's chat interface."
    return None
