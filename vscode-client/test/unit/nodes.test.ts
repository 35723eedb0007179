import { expect, test } from "vitest";
import type { Project, Tool } from "../../src/protocol.ts";
import {
  about,
  asks,
  callOf,
  children,
  faultOf,
  firstLine,
  isThere,
  parameterLines,
  roots,
  spoken,
} from "../../src/tools/nodes.ts";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, parameters: {}, ...more });
const project = (root: string, tools: Tool[], more: Partial<Project> = {}): Project => ({
  root,
  file: `${root}/.adal/tools.py`,
  state: "loaded",
  tools,
  ...more,
});

test("the only project's tools stand at the top", () => {
  expect(roots([project("/w", [tool("a"), tool("b")])]).map((node) => node.kind)).toEqual(["tool", "tool"]);
});

test("several projects have a row each, with their tools below", () => {
  const list = roots([project("/w/a", [tool("one")]), project("/w/b", [])]);
  expect(list.map((node) => node.kind)).toEqual(["project", "project"]);
  expect(list.flatMap(children)).toMatchObject([{ kind: "tool", tool: { name: "one" } }]);
});

test.each([
  ["/w/.adal/tools.py:7: no module named 'x'", { message: "no module named 'x'", file: "/w/.adal/tools.py", line: 7 }],
  [
    "/w/.adal/beside.py:2: division by zero\nmore",
    { message: "division by zero", file: "/w/.adal/beside.py", line: 2 },
  ],
  ["/w/.adal/tools.py: ended with 1", { message: "ended with 1", file: "/w/.adal/tools.py", line: 0 }],
  ["C:\\w\\.adal\\tools.py:3: x: y", { message: "x: y", file: "C:\\w\\.adal\\tools.py", line: 3 }],
  ["ImportError: no module", { message: "ImportError: no module", file: "/w/.adal/tools.py", line: 0 }],
])("a failed load is told without its place, which the row opens: %s", (error, fault) => {
  expect(faultOf(project("/w", [], { state: "error", error }))).toEqual(fault);
});

test("a failed load stands above the tools that were loaded last", () => {
  const failed = project("/w", [tool("a")], { state: "error", error: "ImportError: no module named x\ntrace" });
  expect(roots([failed])).toMatchObject([
    { kind: "error", fault: { message: "ImportError: no module named x", file: "/w/.adal/tools.py", line: 0 } },
    { kind: "tool" },
  ]);
});

test("built-in tools are kept apart from the project's own, by what they may do", () => {
  const builtin = (name: string, group: string) => tool(name, { kind: "builtin", group });
  const tools = [builtin("bash", "Bash"), builtin("write_file", "Edit"), builtin("edit_file", "Edit")];
  const list = roots([project("/w", [...tools, tool("mine", { kind: "custom" })])]);
  expect(list).toMatchObject([{ kind: "tool", tool: { name: "mine" } }, { kind: "builtins" }]);
  const groups = list.flatMap(children);
  expect(groups).toMatchObject([
    { kind: "group", group: "Bash" },
    { kind: "group", group: "Edit" },
  ]);
  expect(groups.flatMap(children)).toMatchObject(tools.map(({ name }) => ({ kind: "tool", tool: { name } })));
});

test("a tool that a provider lists names its agent and is not there before a run", () => {
  const listed = tool("where", { kind: "provider", agent: "librarian", description: "Tell the shelf." });
  expect(about(listed)).toBe("agent librarian · Tell the shelf.");
  expect(spoken(listed)).toBe("where, asks for approval, of the agent librarian");
  expect([isThere(listed), isThere(tool("mine")), isThere(tool("bash", { kind: "builtin" }))]).toEqual([
    false,
    true,
    true,
  ]);
});

test("a tool that is switched off is said to be so", () => {
  expect(spoken(tool("bash", { enabled: false }))).toBe("bash, asks for approval, switched off");
});

test("a call for the prompt names the required parameters, with values to be replaced", () => {
  const parameters = {
    properties: { title: { type: "string" }, count: { type: "integer" }, kind: { enum: ["all"] }, note: {} },
    required: ["title", "count", "kind"],
  };
  expect(callOf(tool("create", { parameters }))).toBe('create(title="", count=0, kind="all")');
});

test("a row shows the first line of the description", () => {
  expect(firstLine(tool("a", { description: "\n  Count words.\n\nMore." }))).toBe("Count words.");
  expect(firstLine(tool("a"))).toBe("");
});

test("a tool that runs do not have yet says so", () => {
  const fresh = tool("a", { description: "Count words.", pending: true });
  expect(about(fresh)).toBe("not loaded · Count words.");
  expect(spoken(fresh)).toBe("a, asks for approval, not loaded");
  expect(about(tool("a", { description: "Count words." }))).toBe("Count words.");
});

test("a tool asks for approval unless it says otherwise", () => {
  expect(asks(tool("a"))).toBe(true);
  expect(asks(tool("a", { requireApproval: false }))).toBe(false);
});

test("a screen reader hears what the icons show", () => {
  expect(spoken(tool("a", { problems: ["ADAL401"] }))).toBe("a, asks for approval, 1 problem");
  expect(spoken(tool("b", { requireApproval: false }))).toBe("b, runs without asking");
});

test("parameters are listed with type, need and text", () => {
  const parameters = {
    type: "object",
    properties: { path: { type: "string", description: "File to read." }, limit: { type: "integer" } },
    required: ["path"],
  };
  expect(parameterLines(tool("a", { parameters }))).toEqual([
    "`path` (string): File to read.",
    "`limit` (integer, optional)",
  ]);
});
