import { beforeEach, expect, test, vi } from "vitest";
import type { LogOutputChannel } from "vscode";

const getExtension = vi.fn();
vi.mock("vscode", () => ({ extensions: { getExtension: (id: string) => getExtension(id) } }));
const { pythonExtensionInterpreter, watchPythonExtension } = await import("../../src/pythonExtension.ts");

const warn = vi.fn();
const log = { warn } as unknown as LogOutputChannel;

beforeEach(() => {
  getExtension.mockReset();
  warn.mockReset();
});

function extension(activate: () => Promise<unknown>): void {
  getExtension.mockImplementation((id) => (id === "ms-python.python" ? { activate } : undefined));
}

const api = {
  environments: {
    getActiveEnvironmentPath: () => ({ path: "/chosen" }),
    resolveEnvironment: async ({ path }: { path: string }) => ({
      executable: { uri: { fsPath: `${path}/bin/python` } },
    }),
    onDidChangeActiveEnvironmentPath: (changed: () => void) => {
      changed();
      return { dispose: () => undefined };
    },
  },
};

test("without the Python extension there is no candidate from it", async () => {
  expect(await pythonExtensionInterpreter(log)).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
});

test("the interpreter that is selected there is the candidate", async () => {
  extension(async () => api);
  expect(await pythonExtensionInterpreter(log)).toBe("/chosen/bin/python");
});

test("a Python extension that fails is logged and left aside", async () => {
  extension(() => Promise.reject(new Error("broken")));
  expect(await pythonExtensionInterpreter(log)).toBeUndefined();
  expect(warn).toHaveBeenCalledOnce();
});

test("a Python extension that takes long is not waited for", async () => {
  vi.useFakeTimers();
  extension(() => new Promise(() => undefined));
  const found = pythonExtensionInterpreter(log);
  await vi.advanceTimersByTimeAsync(3_000);
  vi.useRealTimers();
  expect(await found).toBeUndefined();
});

test("its start and each later selection are told", async () => {
  extension(async () => api);
  const changed = vi.fn();
  await watchPythonExtension(log, changed);
  expect(changed).toHaveBeenCalledTimes(2);
});
