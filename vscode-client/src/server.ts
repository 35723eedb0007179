import * as path from "node:path";
import { type LogOutputChannel, workspace } from "vscode";
import type { ServerState } from "./connection.ts";
import { candidates, choose, type Interpreter, probe, type Source } from "./interpreter.ts";
import { pythonExtensionInterpreter } from "./pythonExtension.ts";
import { readSettings, type Settings } from "./settings.ts";

/** How the language server is started. */
export interface Launch {
  kind: "launch";
  command: string;
  args: readonly string[];
  cwd: string;
  pythonVersion: string;
  interpreter: Interpreter;
  initializationOptions: InitializationOptions;
}

/** What the server believes without asking: it comes from this extension, never from a file of the workspace. */
export interface InitializationOptions {
  trusted: boolean;
  model?: string;
  /** The person's choice of Python for the tools; absent, each project's own environment is used. */
  interpreter?: string;
  /** Python that runs agents; null while none is known that has the full package. */
  hostPython: string | null;
  permissionMode: string;
  enabledDefaultTools?: string[];
  disabledDefaultTools?: string[];
  allowUnsandboxedBash: boolean;
  loadSeconds: number;
  toolSeconds: number;
  lint: Settings["lint"];
  logLevel: string;
}

/** Sources that are a person's choice; what merely lies around says nothing about the tools' Python. */
const CHOSEN: ReadonlySet<Source> = new Set(["setting", "pythonExtension"]);

/** Finds the interpreter of the server, and the one for agents if there is one. */
export async function resolveServer(
  extensionPath: string,
  findHost: (interpreter: Interpreter, settings: Settings) => Promise<string | undefined>,
  log: LogOutputChannel,
): Promise<Launch | Extract<ServerState, { kind: "noPython" | "oldPython" }>> {
  const settings = readSettings();
  const list = candidates({
    setting: settings.interpreter,
    pythonExtension: await pythonExtensionInterpreter(log),
    folders: (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    trusted: workspace.isTrusted,
    searchPath: process.env.PATH ?? "",
    platform: process.platform,
  });
  const choice = await choose(list, probe);
  if (choice.kind === "none") return { kind: "noPython", reason: choice.reason };
  if (choice.kind === "old") return { kind: "oldPython", reason: choice.reason };
  const { interpreter } = choice;
  const hostPython = await findHost(interpreter, settings);
  return {
    kind: "launch",
    command: interpreter.path,
    // -I: neither PYTHONPATH, the current folder nor user site packages can supply a module.
    args: ["-I", path.join(extensionPath, "bundled", "serve.py")],
    cwd: extensionPath,
    pythonVersion: interpreter.version.join("."),
    interpreter,
    initializationOptions: {
      trusted: workspace.isTrusted,
      ...(settings.model && { model: settings.model }),
      ...(CHOSEN.has(choice.source) && { interpreter: interpreter.path }),
      hostPython: hostPython ?? null,
      permissionMode: settings.permissionMode,
      ...(settings.enabledDefaultTools.length > 0 && { enabledDefaultTools: settings.enabledDefaultTools }),
      ...(settings.disabledDefaultTools.length > 0 && { disabledDefaultTools: settings.disabledDefaultTools }),
      allowUnsandboxedBash: settings.allowUnsandboxedBash,
      loadSeconds: settings.loadSeconds,
      toolSeconds: settings.toolSeconds,
      lint: settings.lint,
      logLevel: settings.logLevel,
    },
  };
}

/** Whether two launches are the same server. Everything else reaches a running one by messages. */
export function sameLaunch(a: Launch, b: Launch): boolean {
  const essence = ({ command, args, initializationOptions: options }: Launch) =>
    JSON.stringify([command, args, options.interpreter, options.hostPython, options.allowUnsandboxedBash]);
  return essence(a) === essence(b);
}
