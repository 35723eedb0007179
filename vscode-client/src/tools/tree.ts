import * as path from "node:path";
import { t } from "@vscode/l10n";
import {
  type Disposable,
  EventEmitter,
  type FileDecoration,
  type FileDecorationProvider,
  MarkdownString,
  Range,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
} from "vscode";
import type { Project, Tool } from "../protocol.ts";
import type { ToolsModel } from "./model.ts";
import {
  about,
  asks,
  children,
  isEnabled,
  isThere,
  type LoadFault,
  type Node,
  parameterLines,
  roots,
  spoken,
} from "./nodes.ts";
import { writeSwitches } from "./switches.ts";

/** Rows carry an address of this scheme so that the editor draws the number of problems as in its explorer. */
const SCHEME = "adal-tool";

/** Shows the view `adal.tools`. */
export function showToolsTree(model: ToolsModel): Disposable[] {
  const tree = new ToolsTree(model);
  const view = window.createTreeView("adal.tools", {
    treeDataProvider: tree,
    showCollapseAll: true,
    manageCheckboxStateManually: true, // a group is on as long as one of its tools is
  });
  const tell = () => {
    const restricted = !workspace.isTrusted && model.projects.length > 0;
    view.message = restricted ? t("Restricted Mode: tools are checked, not run.") : "";
  };
  tell();
  return [
    view,
    tree,
    window.registerFileDecorationProvider(new ProblemBadges(model)),
    model.onDidChange(tell),
    view.onDidChangeCheckboxState(async ({ items }) => {
      try {
        await change(items);
      } catch (error) {
        tree.draw(); // the editor has drawn the box as it was clicked
        void window.showErrorMessage(t`The tools could not be switched: ${String(error)}`);
      }
    }),
    workspace.onDidGrantWorkspaceTrust(tell),
  ];
}

/** Switches built-in tools in the person's settings; the server's answer draws the boxes. */
async function change(items: readonly [Node, TreeItemCheckboxState][]): Promise<void> {
  for (const [node, state] of items) {
    const tools = node.kind === "group" ? node.tools : node.kind === "tool" ? [node.tool] : [];
    if (node.kind !== "group" && node.kind !== "tool") continue;
    const builtins = (node.project.tools ?? []).filter((tool) => tool.kind === "builtin");
    const all = new Map<string, string[]>();
    for (const { group = "Other", name } of builtins) all.set(group, [...(all.get(group) ?? []), name]);
    await writeSwitches(
      all,
      tools.map((tool) => tool.name),
      state === TreeItemCheckboxState.Checked,
    );
  }
}

class ToolsTree implements TreeDataProvider<Node>, Disposable {
  private readonly changes = new EventEmitter<undefined>();
  private readonly subscription: Disposable;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly model: ToolsModel) {
    this.subscription = model.onDidChange(() => this.draw());
  }

  draw(): void {
    this.changes.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    return node ? children(node) : roots(this.model.projects);
  }

  getTreeItem(node: Node): TreeItem {
    switch (node.kind) {
      case "project":
        return projectItem(node.project);
      case "error":
        return errorItem(node.project, node.fault);
      case "builtins": {
        const item = new TreeItem(t("Built-in tools"), TreeItemCollapsibleState.Collapsed);
        item.id = `${node.project.root}#builtins`;
        const on = node.tools.filter(isEnabled).length;
        item.description = on === node.tools.length ? String(on) : t`${on} of ${node.tools.length}`;
        item.contextValue = "builtins";
        return item;
      }
      case "group":
        return groupItem(node.project, node.group, node.tools);
      case "tool":
        return toolItem(node.project, node.tool);
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.changes.dispose();
  }
}

function projectItem(project: Project): TreeItem {
  const item = new TreeItem(path.basename(project.root), TreeItemCollapsibleState.Expanded);
  item.id = project.root;
  const folder = workspace.asRelativePath(project.root, true);
  if (folder !== path.basename(project.root)) item.description = folder;
  item.tooltip = project.file;
  item.iconPath = ThemeIcon.Folder;
  item.contextValue = "project";
  return item;
}

function groupItem(project: Project, group: string, tools: readonly Tool[]): TreeItem {
  const item = new TreeItem(group, TreeItemCollapsibleState.Expanded);
  item.id = `${project.root}#builtins#${group}`;
  item.contextValue = "group";
  item.checkboxState = switchOf(tools.some(isEnabled), group);
  return item;
}

function switchOf(on: boolean, what: string): NonNullable<TreeItem["checkboxState"]> {
  return {
    state: on ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked,
    tooltip: on ? t`Agents may use ${what}` : t`Switched off: no agent sees ${what}`,
  };
}

function errorItem(project: Project, { message, file, line }: LoadFault): TreeItem {
  const item = new TreeItem(t("Could not be loaded"), TreeItemCollapsibleState.None);
  item.id = `${project.root}#error`;
  item.description = message;
  item.tooltip = project.error ?? message;
  item.iconPath = new ThemeIcon("error", new ThemeColor("list.errorForeground"));
  const selection = new Range(Math.max(0, line - 1), 0, Math.max(0, line - 1), 0);
  item.command = { title: t("Open"), command: "vscode.open", arguments: [Uri.file(file), { selection }] };
  item.contextValue = "loadError";
  return item;
}

function toolItem(project: Project, tool: Tool): TreeItem {
  const item = new TreeItem(tool.name, TreeItemCollapsibleState.None);
  item.resourceUri = address(project, tool);
  item.description = about(tool);
  item.tooltip = card(tool);
  item.iconPath = new ThemeIcon(asks(tool) ? "shield" : "play");
  item.accessibilityInformation = { label: spoken(tool) };
  item.contextValue = tool.kind === "builtin" ? "builtinTool" : isThere(tool) ? "tool" : "providedByAgent";
  if (tool.kind === "builtin") {
    item.id = `${project.root}#builtins#${tool.name}`;
    item.checkboxState = switchOf(isEnabled(tool), tool.name);
  }
  const { location } = tool;
  if (location) {
    // The start alone: a whole function selected would be one key away from being replaced.
    const { start } = location.range;
    const selection = new Range(start.line, start.character, start.line, start.character);
    item.command = {
      title: t("Open Definition"),
      command: "vscode.open",
      arguments: [Uri.parse(location.uri), { selection }],
    };
  }
  return item;
}

function card(tool: Tool): MarkdownString {
  const text = new MarkdownString();
  text.appendMarkdown(`**${tool.name}**${tool.group ? ` (${tool.group})` : ""}\n\n`);
  if (tool.description) text.appendText(tool.description).appendMarkdown("\n\n");
  for (const line of parameterLines(tool)) text.appendMarkdown(`- ${line}\n`);
  if (!isThere(tool)) {
    text.appendText(t`The provider of the agent ${tool.agent ?? ""} lists it; its parameters are known in a run.`);
    return text;
  }
  text.appendMarkdown(`\n\n${asks(tool) ? t("Asks for approval before it runs.") : t("Runs without asking.")}`);
  if (tool.pending)
    text.appendMarkdown(`\n\n${t("Not loaded: runs get it once the file is saved and it has no errors.")}`);
  if (tool.problems?.length) text.appendMarkdown(`\n\n${t`Problems: ${tool.problems.join(", ")}`}`);
  return text;
}

function address(project: Project, tool: Tool): Uri {
  return Uri.from({ scheme: SCHEME, path: `${project.root}/${tool.name}` });
}

/** The number of problems at the end of a tool's row, in the colour of a warning. */
class ProblemBadges implements FileDecorationProvider {
  private readonly changes = new EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly model: ToolsModel) {
    model.onDidChange(() => this.changes.fire(undefined));
  }

  provideFileDecoration(uri: Uri): FileDecoration | undefined {
    if (uri.scheme !== SCHEME) return undefined;
    for (const project of this.model.projects) {
      for (const tool of project.tools ?? []) {
        const count = tool.problems?.length ?? 0;
        if (count > 0 && address(project, tool).toString() === uri.toString()) {
          return {
            badge: count > 9 ? "9+" : String(count),
            tooltip: count === 1 ? t("1 problem") : t`${count} problems`,
            color: new ThemeColor("list.warningForeground"),
          };
        }
      }
    }
    return undefined;
  }
}
