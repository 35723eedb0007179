"""The folders of the workspace: which of them a request means, and whether trust covers it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class WorkspaceFolders:
    """`folders` are those that the person opened; a project may be any folder in them. None opened: any folder."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = list(folders)

    def meant(self, given: str | None) -> Path:
        """The real path of the folder that is named, or of the only one there is.

        Raises:
            ValueError: it is no folder, or none is named and there is not just one.
            PermissionError: as for `inside`.
        """
        if given is not None:
            root = Path(given)
            if not root.is_dir():
                raise ValueError(f"projectRoot is not a folder: {given}")
            return self.inside(root)
        if len(self.folders) == 1:
            return self.folders[0].resolve()
        if not self.folders:
            raise ValueError("there is no folder to run in: give projectRoot")
        raise ValueError(f"several folders are open; give projectRoot, one of: {', '.join(map(str, self.folders))}")

    def inside(self, root: Path) -> Path:
        """The real path of a folder that the workspace's trust covers.

        Raises:
            PermissionError: it lies outside every folder of the workspace.
        """
        real = root.resolve()
        if self.folders and not any(real.is_relative_to(folder.resolve()) for folder in self.folders):
            raise PermissionError(
                f"{root} is not in the workspace ({', '.join(map(str, self.folders))}), so its trust does not cover it"
            )
        return real
