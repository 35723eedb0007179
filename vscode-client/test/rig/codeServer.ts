import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { CACHE } from "./paths.ts";

/** VS Code as a server: a browser that opens its address is a window. */
export interface CodeServer {
  port: number;
  /** Everything it writes; removed by `stop`. */
  state: string;
}

export interface Options {
  /** With workspace trust on, a folder opens in Restricted Mode; off, everything is trusted. */
  trust?: boolean;
  extension?: string;
  /** Further `--vscode-option`s. */
  vscodeOptions?: string[];
  /** Variables of the environment, of extensions and agents too. */
  env?: Record<string, string>;
  /** A port to listen on; a free one by default. */
  port?: number;
}

const ENTRY = path.join(CACHE, "code-server", "node_modules", "code-server", "out", "node", "entry.js");
// Not process.execPath: code-server runs on the one version it was built for.
const NODE = path.join(CACHE, "bin", "node");
const READY_MS = 30_000;

// What makes a window ready sooner and the same every time. Nothing that the extension itself could depend on.
const SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "chat.disableAIFeatures": true,
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "git.enabled": false,
  "npm.fetchOnlinePackageInfo": false,
  "window.menuBarVisibility": "compact",
  "workbench.reduceMotion": "on",
  "window.autoDetectColorScheme": true, // the browser decides between the light and the dark theme
  "editor.autoIndent": "none",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.accessibilitySupport": "off",
  "files.simpleDialog.enable": true,
  "files.autoSave": "off",
};

const running = new Map<string, ChildProcess>();
process.on("exit", () => {
  for (const child of running.values()) endGroup(child);
});

/** Starts one on a free port, with folders of its own, and waits until it answers. */
export async function startCodeServer(options: Options = {}): Promise<CodeServer> {
  const state = mkdtempSync(path.join(tmpdir(), "adal-vscode-"));
  const trust = options.trust ?? false;
  mkdirSync(path.join(state, "data", "User"), { recursive: true });
  const settings = {
    ...SETTINGS,
    "security.workspace.trust.enabled": trust,
    "security.workspace.trust.startupPrompt": "never",
  };
  writeFileSync(path.join(state, "data", "User", "settings.json"), JSON.stringify(settings));
  writeFileSync(path.join(state, "config.yaml"), "auth: none\n");
  const folders = ["--user-data-dir", path.join(state, "data"), "--extensions-dir", path.join(state, "ext")];
  const environment = {
    ...process.env,
    VSCODE_IPC_HOOK_CLI: undefined,
    NODE_OPTIONS: undefined,
    ...options.env,
    PIP_CONFIG_FILE: pipConfig({ state }), // does not exist, so pip's usual configuration counts, until a test writes it
  };
  if (options.extension) {
    execFileSync(NODE, [ENTRY, ...folders, "--install-extension", options.extension], {
      env: environment,
      stdio: "ignore",
    });
  }
  const port = options.port ?? (await freePort());
  const log = openSync(path.join(state, "code-server.log"), "a");
  const args = [
    ...["--config", path.join(state, "config.yaml"), "--auth", "none", "--bind-addr", `127.0.0.1:${port}`],
    ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
    ...["--reconnection-grace-time", "1", ...folders],
    ...(trust ? [] : ["--disable-workspace-trust"]),
    ...(options.vscodeOptions ?? []).flatMap((option) => ["--vscode-option", option]),
  ];
  // A group of its own: extension hosts, language servers and agents end with it.
  const child = spawn(NODE, [ENTRY, ...args], {
    env: environment,
    detached: true,
    stdio: ["ignore", log, log],
  });
  running.set(state, child);
  await ready(port, child, state);
  return { port, state };
}

/** Settings as a person makes them for this machine; windows opened from now on have them. */
export function setMachineSettings(server: CodeServer, settings: Record<string, unknown>): void {
  const folder = path.join(server.state, "data", "Machine");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "settings.json"), JSON.stringify(settings));
}

/** The file by which a test names another package index to the extension. */
export function pipConfig(server: Pick<CodeServer, "state">): string {
  return path.join(server.state, "pip.conf");
}

/** Ends it with everything it started, after its logs were copied to `keptLogs`. */
export async function stopCodeServer(server: CodeServer, keptLogs?: string): Promise<void> {
  const child = running.get(server.state);
  if (keptLogs) keepLogs(server, keptLogs);
  if (child && child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    endGroup(child);
    await ended;
  }
  running.delete(server.state);
  rmSync(server.state, { recursive: true, force: true, maxRetries: 5 });
}

/** The extension's log files, newest window last. */
export function extensionLogs(server: CodeServer): string[] {
  return globSync(path.join(server.state, "data", "logs", "*", "exthost*", "adal-ls.adal-ls", "AdaL.log")).sort();
}

function keepLogs(server: CodeServer, folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(server.state, "code-server.log"), path.join(folder, "code-server.log"));
  const logs = path.join(server.state, "data", "logs");
  if (existsSync(logs)) cpSync(logs, folder, { recursive: true });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function ready(port: number, child: ChildProcess, state: string): Promise<void> {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`code-server ended at once; see ${state}/code-server.log`);
    try {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return;
    } catch {
      // it does not listen yet
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`code-server did not answer within ${READY_MS / 1000} s; see ${state}/code-server.log`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
