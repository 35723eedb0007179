import { config, t } from "@vscode/l10n";
import { commands, type ExtensionContext, ExtensionMode, l10n, window, workspace } from "vscode";
import { Client } from "./client.ts";
import { registerCommands } from "./commands.ts";
import type { ServerState } from "./connection.ts";
import { registerAgentTool } from "./ecosystem/agentTool.ts";
import { registerCheckTask } from "./ecosystem/checkTask.ts";
import { offerInstallation } from "./install.ts";
import { openLog } from "./log.ts";
import { watchPythonExtension } from "./pythonExtension.ts";
import { registerRunView } from "./run/register.ts";
import { registerRuns } from "./runs/register.ts";
import { AgentRuntime } from "./runtime.ts";
import { resolveServer } from "./server.ts";
import type { Services } from "./services.ts";
import { RESTART_SETTINGS } from "./settings.ts";
import { showStatus } from "./status.ts";
import { ToolsModel } from "./tools/model.ts";
import { showToolsTree } from "./tools/tree.ts";
import { watchTrust } from "./trust.ts";
import { registerTries } from "./try/register.ts";

let client: Client | undefined;

/** Shows everything at once; the server starts in the background. Tests get the services. */
export function activate(context: ExtensionContext): Services | undefined {
  config({ contents: l10n.bundle ?? {} }); // before anything is said
  const log = openLog();
  const runtime = new AgentRuntime(context, log);
  const server = new Client(
    () => resolveServer(context.extensionPath, (python, settings) => runtime.find(python, settings), log),
    log,
  );
  client = server;
  const tools = new ToolsModel(server, log);
  tools.onDidChange(() => server.refreshLenses());
  const services: Services = { connection: server, log, runtime: runtime.ensureFor(server) };
  const runs = registerRunView(context, services);
  context.subscriptions.push(
    log,
    tools,
    ...showStatus(server, tools),
    ...showToolsTree(tools),
    ...registerCommands(server, tools, runtime, log),
    runs,
    registerRuns(services, runs),
    registerTries(context, services, tools),
    registerCheckTask(() => server.launched?.initializationOptions.hostPython ?? undefined),
    registerAgentTool(services),
    ...offerInstallation(),
    watchTrust(server, log),
    server.onDidChangeState((state) => void tellTrouble(state, server, log.show.bind(log))),
    workspace.onDidChangeConfiguration((event) => {
      if (RESTART_SETTINGS.some((name) => event.affectsConfiguration(name))) void server.reconcile();
    }),
  );
  void server.restart();
  void watchPythonExtension(log, () => void server.reconcile()).then((watch) => context.subscriptions.push(watch));
  return context.extensionMode === ExtensionMode.Test ? services : undefined;
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

/** One message per trouble, with the way out. */
async function tellTrouble(state: ServerState, server: Client, showLog: () => void): Promise<void> {
  if (state.kind === "stopped") {
    const [restart, log] = [t("Restart Server"), t("Show Log")];
    const answer = await window.showErrorMessage(state.reason, restart, log);
    if (answer === restart) await server.restartByHand();
    if (answer === log) showLog();
  }
  if (state.kind === "noPython" || state.kind === "oldPython") {
    const [select, settings] = [t("Select Interpreter"), t("Open Settings")];
    const answer = await window.showErrorMessage(`AdaL: ${state.reason}`, select, settings);
    if (answer === select) await commands.executeCommand("adal.selectInterpreter");
    if (answer === settings) await commands.executeCommand("adal.openSettings");
  }
}
