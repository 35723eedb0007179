import { t } from "@vscode/l10n";
import { commands, Disposable, Uri, window, workspace } from "vscode";
import type { Run, RunExportResult } from "../protocol.ts";
import type { Runs } from "../run/register.ts";
import type { Services } from "../services.ts";
import { pickDecision, showGrants } from "./grants.ts";
import { RunList } from "./list.ts";
import { type RunNode, RunsTree } from "./tree.ts";

/** The Runs view: the history of the workspace, with what can be done to a run that is not shown. */
export function registerRuns({ connection, log, runtime }: Services, runs: Runs): Disposable {
  const tree = new RunsTree();
  const view = window.createTreeView("adal.runs", { treeDataProvider: tree, canSelectMany: true });
  const list = new RunList(connection, log, (found, problem) => {
    tree.runs = found;
    const filter = found.length === 0 ? t`Runs with “${list.query}”: none` : t`Runs with “${list.query}”`;
    view.message = problem ?? (list.query ? filter : "");
  });

  async function search(): Promise<void> {
    const input = window.createInputBox();
    input.title = t("Search runs");
    input.placeholder = t("Words of the title or of a prompt; empty shows all");
    input.value = list.query;
    input.onDidChangeValue((value) => filter(value));
    input.onDidAccept(() => input.hide());
    input.onDidHide(() => input.dispose());
    await commands.executeCommand("adal.runs.focus");
    input.show();
  }

  function filter(query: string): void {
    list.query = query;
    void commands.executeCommand("setContext", "adal.runsFiltered", list.query !== "");
  }

  async function remove(chosen: readonly Run[]): Promise<void> {
    const [first] = chosen;
    if (!first) return;
    const question = chosen.length === 1 ? t`Delete the run “${first.title}”?` : t`Delete ${chosen.length} runs?`;
    const detail = t(
      "Its transcript is gone for good. The decision log keeps what was decided; files that it changed stay as they are.",
    );
    const go = t("Delete");
    if ((await window.showWarningMessage(question, { modal: true, detail }, go)) !== go) return;
    try {
      for (const { runId } of chosen) {
        await connection.request("adal/run/delete", { runId });
        runs.forget(runId);
      }
    } finally {
      await list.refresh();
    }
  }

  async function exportRun(run: Run): Promise<void> {
    const folder = workspace.workspaceFolders?.[0]?.uri;
    const name = `${
      run.title
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .slice(0, 40)
        .replace(/^-|-$/g, "") || "run"
    }.md`;
    const target = await window.showSaveDialog({
      title: t("Export run"),
      filters: { Markdown: ["md"], [t("JSON with every event")]: ["json"] },
      ...(folder && { defaultUri: Uri.joinPath(folder, name) }),
    });
    if (!target) return;
    const format = target.path.toLowerCase().endsWith(".json") ? "json" : "markdown";
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part: RunExportResult = await connection.request("adal/run/export", { runId: run.runId, format, offset });
      parts.push(part.text);
      offset = part.next;
    }
    await workspace.fs.writeFile(target, new TextEncoder().encode(parts.join("")));
    await window.showTextDocument(target);
  }

  function tell(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    log.error(words);
    void window.showErrorMessage(`AdaL: ${words}`);
  }

  /** Called with a row, or by a key with what is selected. */
  function onRun(action: (run: Run) => Promise<unknown>): (node?: RunNode) => Promise<unknown> {
    return async (node) => {
      const [run] = chosen(node, undefined, view.selection);
      if (run) await action(run).catch(tell);
    };
  }

  const actions: Record<string, (node?: RunNode, nodes?: RunNode[]) => unknown> = {
    "adal.openRun": onRun((run) => runs.show(run.runId)),
    "adal.resumeRun": onRun((run) => runs.resume(run.runId)),
    "adal.forkRun": onRun((run) => runs.fork(run.runId)),
    "adal.exportRun": onRun(exportRun),
    "adal.deleteRun": (node, nodes) => remove(chosen(node, nodes, view.selection)).catch(tell),
    "adal.showRuns": async () => {
      await commands.executeCommand("adal.runs.focus");
      list.refreshSoon();
    },
    "adal.searchRuns": () => search().catch(tell),
    "adal.clearRunSearch": () => filter(""),
    "adal.refreshRuns": () => list.refresh(),
    "adal.showGrants": async () => (await runtime.ensure()) && showGrants(connection).catch(tell),
    "adal.showDecisions": async () => {
      if (!(await runtime.ensure())) return;
      const runId = await pickDecision(connection).catch(tell);
      if (runId) await runs.show(runId).catch(tell);
    },
  };
  const look = () => list.refreshSoon();
  const watch = () => {
    list.isWatched = view.visible && workspace.isTrusted;
  };
  watch();
  return Disposable.from(
    tree,
    view,
    list,
    view.onDidChangeVisibility(watch),
    connection.onDidChangeState(look),
    workspace.onDidGrantWorkspaceTrust(watch),
    connection.onNotification("adal/run/update", ({ event }) => {
      if (event.type === "prompt" || event.type === "finished" || event.type === "state") look();
    }),
    ...Object.entries(actions).map(([name, action]) => commands.registerCommand(name, action)),
  );
}

/** The runs that a command is meant for: all that are selected, where the row is one of them. */
export function chosen(
  node: RunNode | undefined,
  nodes: readonly RunNode[] | undefined,
  selection: readonly RunNode[],
): Run[] {
  const meant = nodes && nodes.length > 0 ? nodes : node ? [node] : selection;
  return meant.flatMap((one) => (one.kind === "run" ? [one.run] : []));
}
