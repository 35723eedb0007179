import { t } from "@vscode/l10n";
import { env, Range, Uri, ViewColumn, window, workspace } from "vscode";
import type { Location } from "./protocol.ts";

/** The editor asks before it leaves for another host, and shows the whole address. */
export async function openLink(url: string): Promise<void> {
  const target = Uri.parse(url, true);
  if (target.scheme !== "http" && target.scheme !== "https") {
    throw new Error(t`Only web links are opened from here, not '${target.scheme}:' ones.`);
  }
  await env.openExternal(target);
}

/** A text of a tool names the place: nothing outside the workspace is opened for it. */
export async function openPlace(path: string, line: number): Promise<void> {
  const file = Uri.file(path);
  if (!workspace.getWorkspaceFolder(file)) {
    throw new Error(t`${path} is not in the workspace.`);
  }
  const selection = new Range(line - 1, 0, line - 1, 0);
  await showText(file, selection);
}

/** The folders that are open; what a text names is only opened inside them. */
export function workspacePaths(): string[] {
  return (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

/** Opens a place that the server named. */
export async function open(location: Location): Promise<void> {
  const { start, end } = location.range;
  const selection = new Range(start.line, start.character, end.line, end.character);
  await showText(Uri.parse(location.uri, true), selection);
}

/** Where the file is to be seen already; else not on top of a panel that asked for it. */
async function showText(file: Uri, selection: Range): Promise<void> {
  const shown = window.visibleTextEditors.find(({ document }) => document.uri.toString() === file.toString());
  const viewColumn = shown?.viewColumn ?? (window.activeTextEditor ? ViewColumn.Active : ViewColumn.One);
  await window.showTextDocument(file, { selection, viewColumn });
}
