import { expect, test, vi } from "vitest";
import type { ServerState } from "../../src/connection.ts";
import type { Project, Status } from "../../src/protocol.ts";

vi.mock("vscode", () => ({}));
vi.mock("../../src/client.ts", () => ({ TOOLS_FILES: [] }));
const { shown } = await import("../../src/status.ts");

const running: ServerState = { kind: "running", python: "/usr/bin/python3", pythonVersion: "3.12.1", version: "0.1.0" };
const ok: Status = { health: "ok", quiescent: true, version: "0.1.0", python: "/usr/bin/python3" };
const project = (names: string[], more: Partial<Project> = {}): Project => ({
  root: "/w",
  file: "/w/.adal/tools.py",
  state: "loaded",
  tools: names.map((name) => ({ name, parameters: {}, kind: "custom" as const })),
  ...more,
});

test("the bar counts the project's own tools, not the built-in ones", () => {
  const builtin = { name: "bash", parameters: {}, kind: "builtin" as const };
  const one = project(["mine"]);
  const all = { ...one, tools: [...(one.tools ?? []), builtin] };
  expect(shown(running, ok, [all], true).text).toBe("$(tools) AdaL: 1 tool");
  expect(shown(running, ok, [project([])], true).text).toBe("$(tools) AdaL: 0 tools");
});

test("the details name version and interpreter of the server, and the tools' when it is another one", () => {
  expect(shown(running, ok, [], true).details).toEqual(["Server 0.1.0 on Python 3.12.1", "/usr/bin/python3"]);
  expect(shown(running, { ...ok, python: "/w/.venv/bin/python" }, [], true).details).toContain(
    "Tools: /w/.venv/bin/python",
  );
});

test("work in the background turns, and trouble is coloured", () => {
  expect(shown(running, { ...ok, quiescent: false }, [project(["a"])], true)).toMatchObject({
    severity: "busy",
    text: "$(sync~spin) AdaL: 1 tool",
  });
  const bad = shown(running, { ...ok, health: "error", message: "the host is of another version" }, [], true);
  expect(bad).toMatchObject({ severity: "error" });
  expect(bad.details[0]).toBe("the host is of another version");
});

test("a project that could not be loaded is a warning that says why", () => {
  const failed = project(["a"], { state: "error", error: "ImportError: no module named x" });
  const { severity, details } = shown(running, ok, [failed], true);
  expect(severity).toBe("warning");
  expect(details[0]).toBe("/w/.adal/tools.py could not be loaded: ImportError: no module named x");
});

test("Restricted Mode is told by the icon and in words", () => {
  const { text, details } = shown(running, ok, [project(["a"])], false);
  expect(text).toBe("$(shield) AdaL: 1 tool");
  expect(details[0]).toContain("Restricted Mode");
});

test.each([
  [{ kind: "noPython", reason: "none" }, "adal.selectInterpreter"],
  [{ kind: "oldPython", reason: "3.9" }, "adal.selectInterpreter"],
  [{ kind: "stopped", reason: "ended" }, "adal.restartServer"],
] as const)("a click on trouble leads out of it: %o", (state, command) => {
  expect(shown(state, undefined, [], true)).toMatchObject({ severity: "error", command, details: [state.reason] });
});
