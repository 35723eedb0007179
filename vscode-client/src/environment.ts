import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { t } from "@vscode/l10n";
import { environmentPython } from "./interpreter.ts";

/** An environment of the extension's own, with the full package from the wheel that the extension ships. */
export interface Plan {
  /** Interpreter that makes the environment. */
  python: string;
  folder: string;
  wheel: string;
  /** Version of the wheel; an environment of another version does not count. */
  version: string;
  platform: NodeJS.Platform;
  /** Further arguments of `pip install`. The index, proxies and certificates come from pip's own configuration. */
  pipArguments?: readonly string[];
}

export interface Watcher {
  step(title: string): void;
  line(text: string): void;
  signal: AbortSignal;
}

/** Setting up failed; the message says what to do next. */
export class SetupError extends Error {}
/** The person cancelled. */
export class SetupCancelled extends Error {}

const READY = "adal-ready.json";

/** The environment's interpreter, if it was set up to the end and for this version. */
export function readyPython(plan: Pick<Plan, "folder" | "version" | "platform">): string | undefined {
  try {
    const ready = JSON.parse(readFileSync(path.join(plan.folder, READY), "utf-8")) as { version?: string };
    return ready.version === plan.version ? environmentPython(plan.folder, plan.platform) : undefined;
  } catch {
    return undefined; // absent, or cut off while it was written: not ready either way
  }
}

/**
 * Makes the environment and installs the wheel with its dependencies.
 *
 * The mark of readiness is written last, so that a cancelled or killed set-up starts anew. One window sets up at a
 * time. Rejects with `SetupError` or `SetupCancelled`.
 */
export async function createEnvironment(plan: Plan, watch: Watcher): Promise<string> {
  mkdirSync(path.dirname(plan.folder), { recursive: true });
  const unlock = lock(`${plan.folder}.lock`);
  try {
    rmSync(plan.folder, { recursive: true, force: true, maxRetries: 3 });
    watch.step(t("Creating a Python environment"));
    await run(plan.python, ["-I", "-m", "venv", plan.folder], plan, watch);
    const python = environmentPython(plan.folder, plan.platform);
    watch.step(t("Installing adal-ls and its dependencies"));
    const quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--retries", "2"];
    const install = ["-I", "-m", "pip", "install", ...quiet, ...(plan.pipArguments ?? []), plan.wheel];
    await run(python, install, plan, watch);
    writeFileSync(path.join(plan.folder, READY), JSON.stringify({ version: plan.version }));
    return python;
  } finally {
    unlock();
  }
}

function run(command: string, args: readonly string[], plan: Plan, watch: Watcher): Promise<void> {
  return new Promise((resolve, reject) => {
    if (watch.signal.aborted) {
      reject(new SetupCancelled());
      return;
    }
    const posix = plan.platform !== "win32";
    const child = spawn(command, args, { cwd: tmpdir(), detached: posix, windowsHide: true });
    let output = "";
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
      for (const line of chunk.toString().split(/\r?\n/)) if (line.trim()) watch.line(line);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    // pip starts builds of its own: the whole group ends.
    const kill = () => {
      if (child.pid === undefined) return;
      if (posix) process.kill(-child.pid, "SIGKILL");
      else spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { windowsHide: true });
    };
    watch.signal.addEventListener("abort", kill, { once: true });
    child.on("error", (error) => reject(new SetupError(t`${command} could not be started: ${error.message}`)));
    child.on("close", (code) => {
      watch.signal.removeEventListener("abort", kill);
      if (watch.signal.aborted) reject(new SetupCancelled());
      else if (code === 0) resolve();
      else reject(new SetupError(explain(output, plan)));
    });
  });
}

const UNREACHABLE =
  /name resolution|getaddrinfo|NameResolutionError|NewConnectionError|Network is unreachable|Connection refused|ConnectTimeout|ProxyError|ConnectionResetError|Max retries exceeded/i;

/** What the output of venv or pip means for the person. */
export function explain(output: string, plan: Pick<Plan, "python">): string {
  if (
    /ensurepip is not available|No module named (venv|ensurepip)|returned non-zero exit status.*ensurepip/s.test(output)
  ) {
    return t`${plan.python} cannot make environments: its venv module is incomplete. On Debian and Ubuntu install the package python3-venv, or select another interpreter.`;
  }
  if (UNREACHABLE.test(output)) {
    return t(
      "The Python package index could not be reached. Connect to the network, or name a reachable index in pip's configuration, and try again.",
    );
  }
  if (/No space left on device/.test(output)) return t("The disk is full. Free about 600 MB and try again.");
  const last = output
    .trim()
    .split(/\r?\n/)
    .filter((line) => /^ERROR|Error/.test(line))
    .at(-1);
  return last
    ? t`pip could not install adal-ls: ${last.replace(/^ERROR:\s*/, "")} The log has the details.`
    : t("pip could not install adal-ls. The log has the details.");
}

/** Throws when another living process holds the lock. */
function lock(file: string): () => void {
  for (const attempt of [1, 2]) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (attempt === 2 || isAlive(Number(readFileSync(file, "utf-8")))) {
        throw new SetupError(t("Another window is setting up the agent runtime. Wait for it, then try again."));
      }
      rmSync(file, { force: true }); // left behind by a window that was killed
    }
  }
  throw new SetupError(t("The agent runtime's folder is locked."));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
