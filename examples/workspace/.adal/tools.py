"""Tools for a project that keeps one small file per change in changes/, and writes release notes from them."""

from pathlib import Path
from typing import Literal

from adalflow.core.types import ToolOutput

CHANGES = Path("changes")
DRAFTS = Path("drafts")


def list_changes(kind: Literal["all", "added", "fixed"] = "all") -> list[str]:
    """List the changes since the last release, one line each.

    Args:
        kind: Which changes; all of them if omitted.
    """
    return [
        f"{path.stem}: {path.read_text(encoding='utf-8').strip()}"
        for path in sorted(CHANGES.glob("*.txt"))
        if kind in ("all", path.stem.split("-")[0])
    ]


def draft_release_notes(version: str, title: str = "Changes") -> ToolOutput:
    """Write release notes from all changes to drafts/VERSION.md. Replaces an earlier draft of that version.

    Args:
        version: The release, such as 1.4.0.
        title: The heading above the list.
    """
    if not version.replace(".", "").isdigit():
        return ToolOutput(
            observation=f"'{version}' is no version: it must look like 1.4.0",
            display="not a version",
            status="error",
        )
    lines = [f"- {line.partition(': ')[2]}" for line in list_changes()]
    draft = DRAFTS / f"{version}.md"
    draft.parent.mkdir(exist_ok=True)
    draft.write_text(f"# {title} in {version}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return ToolOutput(
        output={"path": str(draft), "changes": len(lines)},
        observation=f"{draft} now has {len(lines)} changes",
        display=f"{draft}: {len(lines)} changes",
    )


CUSTOM_TOOLS = [
    {"function": list_changes, "require_approval": False},  # only reads
    draft_release_notes,
]
