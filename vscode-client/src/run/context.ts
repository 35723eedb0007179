import { FileType, TabInputText, type TextDocument, Uri, window, workspace } from "vscode";
import { type Attachment, type Mention, mentionsIn, mentionText, rankPaths, withAttachments } from "./mentions.ts";

const MOST_FILES = 20_000;
const MOST_OFFERED = 12;
const LIST_HOLDS_MS = 5_000;
/** Nobody mentions these, and they are many. What `files.exclude` names is left out as well. */
const LEFT_OUT = "**/{.git,.venv,venv,node_modules,__pycache__,.mypy_cache,.ruff_cache,.pytest_cache}/**";

/** The prompt with the text of the files and lines that it mentions, as they stand in the editor. */
export async function withContext(prompt: string): Promise<string> {
  const attachments = await Promise.all(mentionsIn(prompt).map(attach));
  return withAttachments(
    prompt,
    attachments.filter((attachment) => attachment !== undefined),
  );
}

/** Undefined where the workspace has no such file: then it is no mention. */
async function attach(mention: Mention): Promise<Attachment | undefined> {
  const uri = await find(mention.path);
  if (!uri) {
    return undefined;
  }
  let document: TextDocument;
  try {
    document = await workspace.openTextDocument(uri);
  } catch (error) {
    return { mention, problem: `not attached. ${error instanceof Error ? error.message : String(error)}` };
  }
  const lines = document.getText().split(/\r\n|\r|\n/);
  const { from = 1, to = lines.length } = mention;
  if (from > lines.length) {
    return { mention, problem: `not attached. The file has only ${lines.length} lines.` };
  }
  const text = lines.slice(from - 1, to).join("\n");
  const shown = mention.from === undefined ? mention : { ...mention, to: Math.min(to, lines.length) };
  return { mention: shown, text, language: document.languageId, lines: lines.length };
}

/** The file of the workspace that a mention names, and none outside of it. */
async function find(path: string): Promise<Uri | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  for (const { uri, name } of folders) {
    const isNamed = folders.length > 1 && path.startsWith(`${name}/`);
    const file = Uri.joinPath(uri, isNamed ? path.slice(name.length + 1) : path);
    if (workspace.getWorkspaceFolder(file) && (await isFile(file))) {
      return file;
    }
  }
  return undefined;
}

async function isFile(uri: Uri): Promise<boolean> {
  try {
    return ((await workspace.fs.stat(uri)).type & FileType.File) !== 0;
  } catch {
    return false; // there is none
  }
}

/** Files of the workspace for what is typed behind an `@`. */
export class FileNames {
  #paths: Promise<string[]> | undefined;

  async matching(query: string): Promise<string[]> {
    return rankPaths(await this.all(), query, MOST_OFFERED);
  }

  all(): Promise<string[]> {
    this.#paths ??= this.#list();
    return this.#paths;
  }

  async #list(): Promise<string[]> {
    setTimeout(() => {
      this.#paths = undefined;
    }, LIST_HOLDS_MS);
    const found = await workspace.findFiles("**/*", LEFT_OUT, MOST_FILES);
    return found.map((uri) => workspace.asRelativePath(uri));
  }
}

/** The files of the workspace that are open in an editor. */
export function openPaths(): string[] {
  const inputs = window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.input));
  const uris = inputs.flatMap((input) => (input instanceof TabInputText ? [input.uri] : []));
  return [
    ...new Set(uris.filter((uri) => workspace.getWorkspaceFolder(uri)).map((uri) => workspace.asRelativePath(uri))),
  ];
}

/** The mention of a file, or of what is selected in the active editor. Undefined where there is nothing to mention. */
export function mentionHere(given: Uri | undefined, isSelection: boolean): string | undefined {
  const editor = window.activeTextEditor;
  const uri = given ?? editor?.document.uri;
  if (!uri || !workspace.getWorkspaceFolder(uri)) {
    return undefined;
  }
  const path = workspace.asRelativePath(uri);
  if (!isSelection || !editor) {
    return mentionText({ path });
  }
  const { start, end } = editor.selection;
  const to = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return mentionText({ path, from: start.line + 1, to });
}
