import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { candidates, choose, type Interpreter, probe, type Surroundings } from "../../src/interpreter.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "adal-interpreter-")));
  folder = path.join(root, "my projekt ü");
  mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true }));

function program(...parts: string[]): string {
  const file = path.join(root, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

function at(changes: Partial<Surroundings>): Surroundings {
  return {
    setting: "",
    pythonExtension: undefined,
    folders: [folder],
    trusted: true,
    searchPath: "",
    platform: "linux",
    ...changes,
  };
}

const named = (list: ReturnType<typeof candidates>) => list.map((candidate) => candidate.path);

function python(version: [number, number, number]) {
  return async (file: string): Promise<Interpreter> => ({ path: file, version, packages: {} });
}

test("candidates come from the Python extension, then the workspace's environments, then PATH", () => {
  const environment = program("my projekt ü", ".venv", "bin", "python");
  const second = program("my projekt ü", "venv", "bin", "python");
  const onPath = program("usr", "bin", "python3");
  const list = candidates(at({ pythonExtension: "/opt/conda/bin/python", searchPath: path.join(root, "usr", "bin") }));
  expect(list).toEqual([
    { path: "/opt/conda/bin/python", source: "pythonExtension" },
    { path: environment, source: "workspace" },
    { path: second, source: "workspace" },
    { path: onPath, source: "PATH" },
  ]);
});

test("a named interpreter is the only candidate", () => {
  program("my projekt ü", ".venv", "bin", "python");
  expect(candidates(at({ setting: "/opt/python/bin/python" }))).toEqual([
    { path: "/opt/python/bin/python", source: "setting" },
  ]);
});

test("a command name in the setting is looked up on PATH", () => {
  const file = program("usr", "bin", "python3.12");
  expect(named(candidates(at({ setting: "python3.12", searchPath: path.dirname(file) })))).toEqual([file]);
});

test("an untrusted workspace supplies no interpreter, by whatever way it is named", () => {
  const inside = program("my projekt ü", ".venv", "bin", "python");
  const bin = path.dirname(program("my projekt ü", "bin", "python3"));
  const untrusted = { trusted: false, searchPath: bin };
  expect(candidates(at({ ...untrusted, setting: inside }))).toEqual([]);
  expect(candidates(at({ ...untrusted, pythonExtension: inside }))).toEqual([]);
});

test("a link does not hide that a program is inside an untrusted workspace", () => {
  const inside = program("my projekt ü", "evil.sh");
  const outside = path.join(root, "bin", "python3");
  mkdirSync(path.dirname(outside));
  symlinkSync(inside, outside);
  const alias = path.join(root, "alias");
  symlinkSync(folder, alias);
  expect(candidates(at({ trusted: false, searchPath: path.dirname(outside) }))).toEqual([]);
  expect(candidates(at({ trusted: false, setting: path.join(alias, "evil.sh") }))).toEqual([]);
});

test("an environment inside an untrusted workspace is refused although it links to a system Python", () => {
  const system = program("usr", "bin", "python3");
  const environment = path.join(folder, ".venv", "bin");
  mkdirSync(environment, { recursive: true });
  symlinkSync(system, path.join(environment, "python"));
  expect(candidates(at({ trusted: false }))).toEqual([]);
});

test("in an untrusted workspace a setting that points inside gives way to PATH", () => {
  const system = program("usr", "bin", "python3");
  const inside = program("my projekt ü", "python");
  const list = candidates(at({ trusted: false, setting: inside, searchPath: path.dirname(system) }));
  expect(named(list)).toEqual([system]);
});

test("a relative entry of PATH means no folder", () => {
  expect(candidates(at({ searchPath: [".", "", "bin"].join(path.delimiter) }))).toEqual([]);
});

test("environments are found where Windows has them", () => {
  const file = program("my projekt ü", ".venv", "Scripts", "python.exe");
  expect(named(candidates(at({ platform: "win32" })))).toEqual([file]);
});

test("the first new enough interpreter is chosen", async () => {
  const list = [
    { path: "/old", source: "workspace" as const },
    { path: "/new", source: "PATH" as const },
  ];
  const choice = await choose(list, (file) => python(file === "/old" ? [3, 9, 18] : [3, 10, 0])(file));
  expect(choice).toMatchObject({ kind: "found", interpreter: { path: "/new" }, source: "PATH" });
});

test("an old Python alone is named with its version", async () => {
  const choice = await choose([{ path: "/old", source: "PATH" }], python([3, 9, 18]));
  expect(choice).toEqual({ kind: "old", reason: "/old is Python 3.9.18; AdaL needs 3.10 or newer." });
});

test("without an interpreter everything that was tried is named", async () => {
  const choice = await choose([{ path: "/gone", source: "PATH" }], probe);
  expect(choice).toEqual({
    kind: "none",
    reason: "No Python 3.10 or newer was found: /gone does not exist.",
  });
});

test("a setting that leads nowhere is named", async () => {
  const choice = await choose([{ path: "/gone", source: "setting" }], probe);
  expect(choice).toEqual({
    kind: "none",
    reason: "The Python of the setting adal.interpreter cannot be used: /gone does not exist.",
  });
});

test("a real interpreter tells its version and where it is", async () => {
  const found = await probe("python3");
  expect(found.version[0]).toBe(3);
  expect(path.isAbsolute(found.path)).toBe(true);
});

test("a program that is no Python is refused with what it said", async () => {
  const file = program("not-python");
  writeFileSync(file, "#!/bin/sh\necho hello\n");
  await expect(probe(file)).rejects.toThrow("does not answer as a Python does (hello)");
});

test("a file that cannot be executed says so", async () => {
  const file = program("locked");
  chmodSync(file, 0o644);
  await expect(probe(file)).rejects.toThrow("is not executable");
});

test("the probe ignores what PYTHONPATH would supply", async () => {
  const planted = path.join(root, "planted");
  mkdirSync(planted);
  writeFileSync(path.join(planted, "json.py"), "raise SystemExit('planted')\n");
  process.env.PYTHONPATH = planted;
  try {
    expect((await probe("python3")).version[0]).toBe(3);
  } finally {
    delete process.env.PYTHONPATH;
  }
});
