import { t } from "@vscode/l10n";
import { commands, Disposable, type ExtensionContext, type Memento, Uri, window, workspace } from "vscode";
import { open, workspacePaths } from "../opening.ts";
import type { JsonObject, Tool } from "../protocol.ts";
import type { Services } from "../services.ts";
import type { ToolsModel } from "../tools/model.ts";
import { isThere } from "../tools/nodes.ts";
import { TryPanel } from "./panel.ts";
import { type Tried, TrySession } from "./session.ts";

interface Open {
  readonly session: TrySession;
  readonly panel: TryPanel;
}

/** The command `adal.tryTool`: a lens names the tool, the tools tree gives its row, the palette asks. */
export function registerTries(context: ExtensionContext, services: Services, tools: ToolsModel): Disposable {
  const { connection, log } = services;
  const opened = new Map<string, Open>();

  function show(tried: Tried): void {
    const key = `${tried.projectRoot}\n${tried.tool}`;
    const present = opened.get(key);
    if (present) {
      present.panel.reveal();
      return;
    }
    const used = usedBefore(context.workspaceState, key);
    const session = new TrySession(tried, connection, used, workspacePaths(), () => opened.get(key)?.panel.update());
    const panel = new TryPanel(
      context.extensionUri,
      () => session,
      {
        async run(message, stop) {
          if (!(await services.runtime.ensure())) {
            return;
          }
          await saveTools(tools, tried.projectRoot); // what is loaded is what is saved
          await context.workspaceState.update(memory(key), message.arguments);
          await session.run(message.arguments, stop.token);
        },
        async openDefinition() {
          const location = find(tools, tried)?.location;
          if (location) await open(location);
        },
        tell,
      },
      () => opened.delete(key),
    );
    opened.set(key, { session, panel });
    session.describe(find(tools, tried));
  }

  async function tryTool(given: unknown): Promise<void> {
    const tried = triedOf(given) ?? (await pick(tools));
    if (tried) {
      await tools.refresh();
      show(tried);
    }
  }

  function tell(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    log.error(words);
    void window.showErrorMessage(`AdaL: ${words}`);
  }

  return Disposable.from(
    commands.registerCommand("adal.tryTool", (given?: unknown) => tryTool(given).catch(tell)),
    tools.onDidChange(() => {
      if (connection.state.kind === "running") {
        for (const { session } of opened.values()) session.describe(find(tools, session.tried));
      }
    }),
    connection.onNotification("adal/tools/tryProgress", ({ tryId, text }) => {
      for (const { session } of opened.values()) session.heard(tryId, text);
    }),
    new Disposable(() => {
      for (const { panel } of [...opened.values()]) panel.dispose();
    }),
  );
}

function triedOf(given: unknown): Tried | undefined {
  const value = given as { projectRoot?: unknown; tool?: unknown; project?: { root?: unknown } } | undefined;
  if (typeof value?.tool === "string" && typeof value.projectRoot === "string") {
    return { projectRoot: value.projectRoot, tool: value.tool };
  }
  const tool = value?.tool as { name?: unknown } | undefined;
  return typeof tool?.name === "string" && typeof value?.project?.root === "string"
    ? { projectRoot: value.project.root, tool: tool.name }
    : undefined;
}

async function pick(tools: ToolsModel): Promise<Tried | undefined> {
  const items = tools.projects.flatMap((project) =>
    (project.tools ?? []).filter(isThere).map((tool) => ({
      label: tool.name,
      description: tools.projects.length > 1 ? project.root : "",
      detail: tool.description?.trim().split("\n", 1)[0] ?? "",
      tried: { projectRoot: project.root, tool: tool.name },
    })),
  );
  if (items.length === 0) {
    void window.showInformationMessage(t("There is no tool to try yet: write one in .adal/tools.py."));
    return undefined;
  }
  const options = { placeHolder: t("Tool to try"), matchOnDetail: true };
  return (await window.showQuickPick(items, options))?.tried;
}

function find(tools: ToolsModel, tried: Tried): Tool | undefined {
  const project = tools.projects.find(({ root }) => root === tried.projectRoot);
  return project?.tools?.find((tool) => isThere(tool) && tool.name === tried.tool);
}

/** Saves what is open of the project's `.adal` folder. */
async function saveTools(tools: ToolsModel, projectRoot: string): Promise<void> {
  const file = tools.projects.find(({ root }) => root === projectRoot)?.file;
  if (file === undefined) return;
  const folder = Uri.joinPath(Uri.file(file), "..").path;
  const changed = workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.path.startsWith(`${folder}/`));
  for (const document of changed) await document.save();
}

function memory(key: string): string {
  return `try:${key}`;
}

function usedBefore(memento: Memento, key: string): JsonObject {
  return memento.get<JsonObject>(memory(key)) ?? {};
}
