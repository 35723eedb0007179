import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { t } from "@vscode/l10n";

/** Where a candidate comes from, in the order in which they are tried. */
export type Source = "setting" | "pythonExtension" | "workspace" | "PATH";

export interface Candidate {
  path: string;
  source: Source;
}

/** What the choice depends on; all of it comes in, so that the choice is a function of it and of the disk. */
export interface Surroundings {
  setting: string;
  /** The interpreter that the Python extension has selected, if that extension is there. */
  pythonExtension: string | undefined;
  folders: readonly string[];
  trusted: boolean;
  searchPath: string;
  platform: NodeJS.Platform;
}

export interface Interpreter {
  path: string;
  version: readonly [number, number, number];
  /** Version of each package of `RUNTIME_PACKAGES` that is installed there. */
  packages: Readonly<Record<string, string>>;
}

export type Probe = (path: string) => Promise<Interpreter>;

export type Choice =
  | { kind: "found"; interpreter: Interpreter; source: Source }
  | { kind: "none"; reason: string }
  | { kind: "old"; reason: string };

export const MINIMUM = [3, 10] as const;
/** An agent run needs these; they are looked up by their metadata, never imported. */
export const RUNTIME_PACKAGES = ["adal-ls", "pydantic", "litellm"] as const;
const PROBE_MS = 10_000; // a cold interpreter on a network drive is slow, a hanging one is not waited for

/**
 * The interpreters to try, best first: the setting, the Python extension's, `.venv` and `venv` of the folders, PATH.
 * A named setting is the only candidate. In an untrusted workspace nothing inside the workspace is a candidate, since
 * starting a program from it is what Restricted Mode forbids.
 */
export function candidates(at: Surroundings): Candidate[] {
  const allowed = (file: string) => at.trusted || !isInside(file, at.folders);
  if (at.setting) {
    const named = expand(at.setting, at).filter(allowed);
    if (named.length > 0 || at.trusted) return named.map((file) => ({ path: file, source: "setting" }));
  }
  const found: Candidate[] = [];
  const add = (file: string | undefined, source: Source) => {
    if (file && path.isAbsolute(file) && allowed(file) && !found.some((other) => other.path === file)) {
      found.push({ path: file, source });
    }
  };
  add(at.pythonExtension, "pythonExtension");
  for (const folder of at.folders) {
    for (const name of [".venv", "venv"]) {
      const file = environmentPython(path.join(folder, name), at.platform);
      if (existsSync(file)) add(file, "workspace");
    }
  }
  for (const name of ["python3", "python"]) add(onPath(name, at, allowed), "PATH");
  return found;
}

/** Tries the candidates in order; the first that is new enough wins. */
export async function choose(list: readonly Candidate[], probe: Probe): Promise<Choice> {
  const failures: string[] = [];
  let old: string | undefined;
  for (const { path: file, source } of list) {
    try {
      const interpreter = await probe(file);
      if (isSupported(interpreter)) return { kind: "found", interpreter, source };
      old ??= t`${file} is Python ${interpreter.version.join(".")}; AdaL needs ${MINIMUM.join(".")} or newer.`;
    } catch (error) {
      failures.push(`${file} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (old) return { kind: "old", reason: old };
  const [only] = list;
  if (only?.source === "setting") {
    return {
      kind: "none",
      reason: t`The Python of the setting adal.interpreter cannot be used: ${failures.join("; ")}.`,
    };
  }
  const minimum = MINIMUM.join(".");
  const reason =
    failures.length > 0
      ? t`No Python ${minimum} or newer was found: ${failures.join("; ")}.`
      : t`No Python ${minimum} or newer was found.`;
  return { kind: "none", reason };
}

export function isSupported({ version: [major, minor] }: Interpreter): boolean {
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

/** Starts the interpreter, isolated from the environment and from user site packages. Rejects with one sentence. */
export function probe(file: string): Promise<Interpreter> {
  return new Promise((resolve, reject) => {
    // Must read under every Python 3, old ones included: their version is the message.
    const program = `
import json, sys
packages = {}
try:
    from importlib import metadata
    for name in ${JSON.stringify(RUNTIME_PACKAGES)}:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
except ImportError:
    pass
print(json.dumps({"path": sys.executable or None, "version": sys.version_info[:3], "packages": packages}))
`;
    const options = { timeout: PROBE_MS, cwd: tmpdir(), windowsHide: true, killSignal: "SIGKILL" as const };
    execFile(file, ["-I", "-c", program], options, (error, stdout, stderr) => {
      if (error) {
        reject(new Error(failure(error, stderr)));
        return;
      }
      try {
        const answer = JSON.parse(stdout) as Omit<Interpreter, "path"> & { path: string | null };
        // What stands on PATH may be a version switcher's script: the program that it chose is the interpreter.
        resolve({ ...answer, path: answer.path ?? file });
      } catch {
        reject(new Error(t`does not answer as a Python does (${stdout.slice(0, 80).trim() || t("no output")})`));
      }
    });
  });
}

function failure(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.killed) return t`gave no answer within ${PROBE_MS / 1000} s`;
  if (error.code === "ENOENT") return t("does not exist");
  if (error.code === "EACCES") return t("is not executable");
  return stderr.trim().split("\n").at(-1) || error.message;
}

/** The interpreter of a virtual environment. */
export function environmentPython(folder: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** `~`, an absolute path, or a command name on PATH. A relative path has no folder it could mean. */
function expand(setting: string, at: Surroundings): string[] {
  if (setting.startsWith("~")) return [path.join(homedir(), setting.slice(1))];
  if (path.isAbsolute(setting)) return [setting];
  if (setting.includes("/") || setting.includes("\\")) return [];
  const found = onPath(setting, at, () => true);
  return found ? [found] : [];
}

function onPath(name: string, at: Surroundings, allowed: (file: string) => boolean): string | undefined {
  const names = at.platform === "win32" ? [`${name}.exe`] : [name];
  return at.searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder)) // "." and an empty entry mean the folder somebody happens to be in
    .flatMap((folder) => names.map((each) => path.join(folder, each)))
    .find((file) => existsSync(file) && allowed(file));
}

/** By its path and by what its path leads to: a link in either direction must not hide a program of the workspace. */
function isInside(file: string, folders: readonly string[]): boolean {
  const places = [path.resolve(file), real(file), path.join(real(path.dirname(file)), path.basename(file))];
  return folders
    .flatMap((folder) => [path.resolve(folder), real(folder)])
    .some((folder) =>
      places.some((place) => {
        const relative = path.relative(folder, place);
        return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
      }),
    );
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file); // it does not exist, so it is not a link
  }
}
