import { t } from "@vscode/l10n";
import { Uri, type WorkspaceFolder, window, workspace } from "vscode";

/** What a new tools file starts with: it works as it stands and has no findings. */
export const EXAMPLE = `"""Tools of this project: Python functions that an agent may call."""

from pathlib import Path


def count_words(path: str) -> str:
    """Count the words of a text file.

    Args:
        path: File to read, relative to the project folder.
    """
    words = Path(path).read_text(encoding="utf-8").split()
    return f"{path} has {len(words)} words"


# A tool asks for your approval before it runs. One that may run unasked is listed as
# {"function": count_words, "require_approval": False}.
CUSTOM_TOOLS = [count_words]
`;

/** Makes `.adal/tools.py` in the workspace folder and opens it; an existing one is only opened. */
export async function newToolsFile(): Promise<void> {
  const folder = await pickFolder();
  if (!folder) return;
  const file = Uri.joinPath(folder.uri, ".adal", "tools.py");
  if (!(await exists(file))) {
    await workspace.fs.createDirectory(Uri.joinPath(folder.uri, ".adal"));
    await workspace.fs.writeFile(file, new TextEncoder().encode(EXAMPLE));
  }
  await window.showTextDocument(file, { preview: false }); // else it takes the place of the walkthrough
}

async function pickFolder(): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void window.showErrorMessage(t("Open a folder first: the tools file belongs to it, as .adal/tools.py."));
    return undefined;
  }
  return folders.length === 1
    ? folders[0]
    : window.showWorkspaceFolderPick({ placeHolder: t("Folder that gets .adal/tools.py") });
}

async function exists(file: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(file);
    return true;
  } catch {
    return false; // stat has no other answer for a file that is not there
  }
}
