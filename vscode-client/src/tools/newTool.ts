import { t } from "@vscode/l10n";
import {
  type CodeAction,
  commands,
  Position,
  Range,
  SnippetString,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode";
import type { Project } from "../protocol.ts";
import { newToolsFile } from "./newFile.ts";

/** The text and the findings about it arrive a moment after the template was written. */
const ATTEMPTS = 15;
const PAUSE_MS = 100;

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** Why a tool cannot have this name; undefined when it can. The lint says the same once it is written. */
export function refusal(name: string, taken: ReadonlySet<string>): string | undefined {
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return t("A tool's name is a Python identifier: letters, digits and _");
  if (KEYWORDS.has(name)) return t`${name} is a Python keyword`;
  return taken.has(name) ? t`There is a tool ${name} already` : undefined;
}

/** A tool with one parameter, with places to fill in. */
export function template(name: string): string {
  return [
    `def ${name}(\${1:text}: \${2:str}) -> str:`,
    `    """\${3:Say in one line what the tool does.}`,
    "",
    "    Args:",
    `        \${1:text}: \${4:What the model should give.}`,
    `    """`,
    `    \${5:return \${1:text}}`,
    "",
    "",
    "",
  ].join("\n");
}

/** Asks for a name, writes the function above CUSTOM_TOOLS and lists it there. */
export async function newTool(projects: readonly Project[], wanted?: string): Promise<void> {
  const project =
    projects.find(({ root }) => root === wanted) ?? (projects.length > 1 ? await pick(projects) : projects[0]);
  if (!project) {
    if (projects.length === 0) await newToolsFile();
    return;
  }
  const taken = new Set((project.tools ?? []).map((tool) => tool.name));
  const name = await window.showInputBox({
    title: t("New tool"),
    prompt: t("Name of the function, which is the name of the tool"),
    placeHolder: "count_words",
    validateInput: (value) => (value === "" ? undefined : refusal(value, taken)),
  });
  if (!name || refusal(name, taken)) return;
  const document = await workspace.openTextDocument(Uri.file(project.file));
  const editor = await window.showTextDocument(document);
  const line = listLine(document.getText());
  const place = line === undefined ? document.lineAt(document.lineCount - 1).range.end : new Position(line, 0);
  const lead = line === undefined && place.character > 0 ? "\n\n\n" : "";
  await editor.insertSnippet(new SnippetString(lead + template(name)), place);
  await list(document, name);
}

/** The line on which the list of tools begins, counted from 0. */
function listLine(text: string): number | undefined {
  const line = text.split("\n").findIndex((row) => /^CUSTOM_TOOLS\b/.test(row));
  return line < 0 ? undefined : line;
}

/** Applies the fix of the finding that the function is not listed, once the server has read it. */
async function list(document: TextDocument, name: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = document
      .getText()
      .split("\n")
      .findIndex((candidate) => candidate.startsWith(`def ${name}(`));
    const range = new Range(Math.max(0, row), 4, Math.max(0, row), 4 + name.length);
    const actions = await commands.executeCommand<CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      range,
      "quickfix",
      10,
    );
    const fix = actions.find((action) => action.title.includes("CUSTOM_TOOLS") && action.edit);
    if (fix?.edit) {
      await workspace.applyEdit(fix.edit);
      return;
    }
    await new Promise((go) => setTimeout(go, PAUSE_MS));
  }
  void window.showInformationMessage(t`Add ${name} to CUSTOM_TOOLS, so that an agent can call it.`);
}

async function pick(projects: readonly Project[]): Promise<Project | undefined> {
  const items = projects.map((project) => ({ label: workspace.asRelativePath(project.root), project }));
  return (await window.showQuickPick(items, { title: t("Project that gets the tool") }))?.project;
}
