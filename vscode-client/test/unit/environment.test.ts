import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createEnvironment,
  explain,
  type Plan,
  readyPython,
  SetupCancelled,
  SetupError,
  type Watcher,
} from "../../src/environment.ts";

let root: string;
let plan: Plan;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "adal-environment-"));
  vi.stubEnv("PIP_CONFIG_FILE", "/dev/null"); // this machine's index must not answer for the test's
  plan = {
    python: "python3",
    folder: path.join(root, "storage", "runtime"),
    wheel: makeWheel("adal_ls", "0.1.0", ["tiny-model>=1"]),
    version: "0.1.0",
    platform: process.platform,
    pipArguments: ["--no-index", "--find-links", root],
  };
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

/** A wheel with nothing but its metadata: pip installs it as any other. */
function makeWheel(name: string, version: string, requires: string[] = []): string {
  const file = path.join(root, `${name}-${version}-py3-none-any.whl`);
  const info = `${name}-${version}.dist-info`;
  const files = {
    [`${name}.py`]: "",
    [`${info}/METADATA`]: [
      "Metadata-Version: 2.1",
      `Name: ${name.replace("_", "-")}`,
      `Version: ${version}`,
      ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
      "",
    ].join("\n"),
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `${name}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  const program =
    "import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n  for n, t in json.loads(sys.argv[2]).items(): z.writestr(n, t)";
  execFileSync("python3", ["-c", program, file, JSON.stringify(files)]);
  return file;
}

function watcher(signal = new AbortController().signal): Watcher & { steps: string[]; lines: string[] } {
  const steps: string[] = [];
  const lines: string[] = [];
  return { steps, lines, signal, step: (title) => steps.push(title), line: (text) => lines.push(text) };
}

test("the wheel and what it needs are installed, and only then is the environment ready", async () => {
  makeWheel("tiny_model", "1.2");
  const watch = watcher();
  expect(readyPython(plan)).toBeUndefined();

  const python = await createEnvironment(plan, watch);

  const program = "from importlib import metadata; print(metadata.version('adal-ls'), metadata.version('tiny-model'))";
  expect(execFileSync(python, ["-I", "-c", program], { encoding: "utf-8" }).trim()).toBe("0.1.0 1.2");
  expect(readyPython(plan)).toBe(python);
  expect(watch.steps).toEqual(["Creating a Python environment", "Installing adal-ls and its dependencies"]);
  expect(watch.lines.join("\n")).toContain("Successfully installed");
}, 60_000);

test("an environment of another version does not count", () => {
  mkdirSync(plan.folder, { recursive: true });
  writeFileSync(path.join(plan.folder, "adal-ready.json"), '{"version": "0.0.9"}');
  expect(readyPython(plan)).toBeUndefined();
});

test("an unreachable index is named as such and leaves nothing ready", async () => {
  const offline = { ...plan, pipArguments: ["--index-url", "http://127.0.0.1:9/simple"] };
  const failed = createEnvironment(offline, watcher());
  await expect(failed).rejects.toThrow(SetupError);
  await expect(failed).rejects.toThrow("The Python package index could not be reached.");
  expect(readyPython(plan)).toBeUndefined();
}, 60_000);

test("cancelling ends the installation, and a new attempt starts from nothing", async () => {
  makeWheel("tiny_model", "1.2");
  const abort = new AbortController();
  const watch = watcher(abort.signal);
  watch.step = () => setTimeout(() => abort.abort(), 50);
  await expect(createEnvironment(plan, watch)).rejects.toThrow(SetupCancelled);
  expect(readyPython(plan)).toBeUndefined();

  await createEnvironment(plan, watcher());
  expect(readyPython(plan)).toBeDefined();
}, 60_000);

test("two windows do not set up at the same time", async () => {
  mkdirSync(path.dirname(plan.folder));
  writeFileSync(`${plan.folder}.lock`, String(process.pid));
  await expect(createEnvironment(plan, watcher())).rejects.toThrow("Another window is setting up");
});

test("the lock of a window that was killed is taken over, and a missing dependency is named", async () => {
  mkdirSync(path.dirname(plan.folder));
  writeFileSync(`${plan.folder}.lock`, "999999999");
  await expect(createEnvironment(plan, watcher())).rejects.toThrow(/tiny-model/);
  expect(existsSync(`${plan.folder}.lock`)).toBe(false);
}, 60_000);

test("a Python without venv is told apart from a missing network", () => {
  const output = "The virtual environment was not created successfully because ensurepip is not available.";
  expect(explain(output, { python: "/usr/bin/python3" })).toContain("install the package python3-venv");
});
