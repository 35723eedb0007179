import { t } from "@vscode/l10n";
import { commands, type Disposable, env, type LogOutputChannel, window, workspace } from "vscode";
import type { Client } from "./client.ts";
import type { Project, Tool } from "./protocol.ts";
import type { AgentRuntime } from "./runtime.ts";
import { selectInterpreter } from "./selectInterpreter.ts";
import type { ToolsModel } from "./tools/model.ts";
import { newToolsFile } from "./tools/newFile.ts";
import { newTool } from "./tools/newTool.ts";
import { callOf, type Node } from "./tools/nodes.ts";
import { Previews } from "./tools/preview.ts";

type ToolRow = Extract<Node, { kind: "tool" }>;

/** Every command of the palette but those of the run view. */
export function registerCommands(
  client: Client,
  tools: ToolsModel,
  runtime: AgentRuntime,
  log: LogOutputChannel,
): Disposable[] {
  const previews = new Previews(tools);
  const actions: Record<string, (given?: unknown) => unknown> = {
    "adal.newToolsFile": newToolsFile,
    "adal.openWalkthrough": () =>
      commands.executeCommand("workbench.action.openWalkthrough", "adal-ls.adal-ls#firstTool", false),
    "adal.newTool": (given) => newTool(tools.projects, (given as { project?: Project } | undefined)?.project?.root),
    "adal.previewTool": (given) =>
      withTool(rowNamed(given, tools.projects) ?? given, ({ project, tool }) => previews.show(project.root, tool.name)),
    "adal.copySchema": (given) => withTool(given, ({ tool }) => copySchema(tool)),
    "adal.runWithTool": (given) =>
      withTool(given, ({ project, tool }) =>
        commands.executeCommand("adal.runAgent", { projectRoot: project.root, draft: callOf(tool) }),
      ),
    "adal.reloadTools": () => reloadTools(client, tools),
    "adal.selectInterpreter": async () => {
      await selectInterpreter(log);
      await client.reconcile();
    },
    "adal.restartServer": () => client.restartByHand(),
    "adal.showLog": () => log.show(),
    "adal.openSettings": () => commands.executeCommand("workbench.action.openSettings", "adal."),
    "adal.setUpRuntime": () => runtime.setUp(client),
  };
  return [previews, ...Object.entries(actions).map(([name, action]) => commands.registerCommand(name, action))];
}

/** Does something with the tool of a row. */
function withTool(given: unknown, action: (row: ToolRow) => unknown): unknown {
  const row = given as Partial<ToolRow> | undefined;
  return row?.tool && row.project ? action(row as ToolRow) : undefined;
}

/** The row of a tool that somebody knows by its name alone: in a run's project, else in the first one that has it. */
function rowNamed(given: unknown, projects: readonly Project[]): ToolRow | undefined {
  const { name, projectRoot } = (given ?? {}) as { name?: unknown; projectRoot?: string };
  const rows = projects.flatMap((project) =>
    (project.tools ?? []).map((tool): ToolRow => ({ kind: "tool", project, tool })),
  );
  const named = rows.filter(({ tool }) => tool.name === name);
  return named.find(({ project }) => project.root === projectRoot) ?? named[0];
}

async function copySchema(tool: Tool): Promise<void> {
  await env.clipboard.writeText(JSON.stringify(tool.parameters, null, 2));
  window.setStatusBarMessage(t`Copied the schema of ${tool.name}`, 3000);
}

/** Has every tools file imported anew; in Restricted Mode they are read anew. */
async function reloadTools(client: Client, tools: ToolsModel): Promise<void> {
  if (workspace.isTrusted) await client.request("adal/tools/reload", {});
  await tools.refresh();
}
