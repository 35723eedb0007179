import * as path from "node:path";
import { t } from "@vscode/l10n";
import {
  type Disposable,
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
} from "vscode";
import type { Run } from "../protocol.ts";
import { reveal } from "../run/reveal.ts";
import { usageWords } from "../run/usage.ts";
import { ago, iconOf, standing } from "./words.ts";

/** A row of the Runs view. Runs stand under their project where the workspace has several. */
export type RunNode =
  | { readonly kind: "project"; readonly root: string; readonly runs: readonly Run[] }
  | { readonly kind: "run"; readonly run: Run };

/** The rows at the top: runs, newest first, or projects with theirs. */
export function rootNodes(runs: readonly Run[]): RunNode[] {
  const byRoot = new Map<string, Run[]>();
  for (const run of runs) {
    const root = run.projectRoot ?? "";
    byRoot.set(root, [...(byRoot.get(root) ?? []), run]);
  }
  if (byRoot.size < 2) {
    return runs.map((run) => ({ kind: "run", run }));
  }
  return [...byRoot].map(([root, runs]) => ({ kind: "project", root, runs }));
}

/** `interruptedRun` can be resumed; one that goes on can be neither deleted nor forked safely. */
export function contextOf(run: Run): string {
  if (run.state === "interrupted") return "interruptedRun";
  return run.state === "finished" ? "endedRun" : "goingRun";
}

export class RunsTree implements TreeDataProvider<RunNode>, Disposable {
  readonly #changes = new EventEmitter<undefined>();
  #runs: readonly Run[] = [];
  readonly onDidChangeTreeData = this.#changes.event;

  get runs(): readonly Run[] {
    return this.#runs;
  }

  set runs(runs: readonly Run[]) {
    this.#runs = runs;
    this.#changes.fire(undefined);
  }

  getChildren(node?: RunNode): RunNode[] {
    if (!node) return rootNodes(this.#runs);
    return node.kind === "project" ? node.runs.map((run) => ({ kind: "run", run })) : [];
  }

  getTreeItem(node: RunNode): TreeItem {
    return node.kind === "project" ? projectItem(node.root) : runItem(node.run);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

function projectItem(root: string): TreeItem {
  const item = new TreeItem(path.basename(root) || t("Other"), TreeItemCollapsibleState.Expanded);
  item.id = `project:${root}`;
  item.tooltip = root;
  item.iconPath = new ThemeIcon("folder");
  item.contextValue = "project";
  return item;
}

function runItem(run: Run): TreeItem {
  const item = new TreeItem(reveal(run.title), TreeItemCollapsibleState.None);
  const isOver = run.state === "finished" && run.stopReason === "end_turn";
  const when = ago(run.updated, Date.now());
  const stands = standing(run);
  item.id = run.runId;
  item.description = isOver ? when : `${stands}, ${when}`;
  item.iconPath = new ThemeIcon(iconOf(run), colorOf(run));
  item.contextValue = contextOf(run);
  item.tooltip = tooltip(run);
  item.accessibilityInformation = { label: `${reveal(run.title)}, ${stands}, ${when}` };
  item.command = { command: "adal.openRun", title: t("Open"), arguments: [{ kind: "run", run }] };
  return item;
}

function colorOf(run: Run): ThemeColor | undefined {
  if (run.state === "interrupted") return new ThemeColor("list.warningForeground");
  return run.stopReason === "error" ? new ThemeColor("list.errorForeground") : undefined;
}

function tooltip(run: Run): MarkdownString {
  const text = new MarkdownString();
  text.appendText(reveal(run.title));
  const facts = [standing(run), t`model ${run.model}`, t`begun ${new Date(run.created).toLocaleString()}`];
  if (run.agent && run.agent !== "default") facts.splice(1, 0, t`agent ${run.agent}`);
  if (run.usage) facts.push(usageWords(run.usage));
  if (run.forkedFrom) facts.push(t("has the beginning of another run"));
  for (const fact of facts) {
    text.appendMarkdown("\n\n");
    text.appendText(fact);
  }
  return text;
}
