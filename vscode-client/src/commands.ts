import { commands, type Disposable, type LogOutputChannel, workspace } from "vscode";
import type { Client } from "./client.ts";
import type { AgentRuntime } from "./runtime.ts";
import { selectInterpreter } from "./selectInterpreter.ts";
import type { ToolsModel } from "./tools/model.ts";
import { newToolsFile } from "./tools/newFile.ts";

/** Every command of the palette but those of the run view. */
export function registerCommands(
  client: Client,
  tools: ToolsModel,
  runtime: AgentRuntime,
  log: LogOutputChannel,
): Disposable[] {
  const actions: Record<string, () => unknown> = {
    "adal.newToolsFile": newToolsFile,
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
  return Object.entries(actions).map(([name, action]) => commands.registerCommand(name, action));
}

/** Has every tools file imported anew; in Restricted Mode they are read anew. */
async function reloadTools(client: Client, tools: ToolsModel): Promise<void> {
  if (workspace.isTrusted) await client.request("adal/tools/reload", {});
  await tools.refresh();
}
