import { beforeEach, expect, test } from "vitest";
import type { AgentInfo, ContextForm } from "../../../src/protocol.ts";
import { Agents, contextFields } from "../../../src/run/agents.ts";
import type { Link } from "../../../src/run/controller.ts";

const REPORTER: AgentInfo = { id: "reporter", toolContext: true, projectRoot: "/w" };
const FORM: ContextForm = { declared: true, fields: [{ name: "root", kind: "string", required: true }] };

let kept: Map<string, unknown>;
let asked: [string, unknown][];
let answers: Record<string, unknown>;
let log: string[];
let changes: number;
let agents: Agents;

beforeEach(() => {
  kept = new Map();
  asked = [];
  log = [];
  changes = 0;
  answers = {
    "adal/agents/list": { agents: [{ id: "default", toolContext: false, projectRoot: "/w" }, REPORTER] },
    "adal/agents/contextForm": FORM,
  };
  const request = async (method: string, params: object) => {
    asked.push([method, params]);
    if (!(method in answers)) throw new Error(`no ${method} today`);
    return answers[method];
  };
  const memory = {
    get: <T>(key: string) => kept.get(key) as T | undefined,
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
  agents = new Agents(
    { request } as unknown as Link,
    memory,
    (line) => log.push(line),
    () => changes++,
  );
});

test("the form of an agent is asked for once, and is there when the answer has come", async () => {
  await agents.refresh();
  expect(agents.inputs("reporter", "/w")).toBeUndefined();
  expect(agents.inputs("reporter", "/w")).toBeUndefined();
  await expect.poll(() => changes).toBe(2);
  expect(agents.inputs("reporter", "/w")?.fields).toMatchObject([{ name: "root", type: "string" }]);
  expect(asked.filter(([method]) => method === "adal/agents/contextForm")).toEqual([
    ["adal/agents/contextForm", { agent: "reporter", projectRoot: "/w" }],
  ]);
});

test("an agent that takes no context, or whose tools declare none, has no form", async () => {
  answers["adal/agents/contextForm"] = { declared: false, fields: [] };
  await agents.refresh();
  expect(agents.inputs("default", "/w")).toBeUndefined();
  agents.inputs("reporter", "/w");
  await expect.poll(() => changes).toBe(2);
  expect(agents.inputs("reporter", "/w")).toBeUndefined();
});

test("what was given last comes back, for this agent of this project", async () => {
  await agents.refresh();
  agents.inputs("reporter", "/w");
  await expect.poll(() => changes).toBe(2);
  await agents.remember("reporter", "/w", { root: "src" });
  await agents.remember("nobody", "/w", { root: "x" });
  expect(agents.inputs("reporter", "/w")?.used).toEqual({ root: "src" });
  expect(kept.size).toBe(1);
});

test("agents that cannot be listed are a line of the log; those that were known stay", async () => {
  await agents.refresh();
  delete answers["adal/agents/list"];
  await agents.refresh();
  expect(log).toEqual(["The agents could not be listed. no adal/agents/list today"]);
  expect(agents.known).toHaveLength(2);
});

test("the default agent can always be chosen", async () => {
  answers["adal/agents/list"] = { agents: [REPORTER] };
  await agents.refresh();
  expect(agents.choices.map(({ id, projectRoot }) => [id, projectRoot])).toEqual([
    ["default", "/w"],
    ["reporter", "/w"],
  ]);
});

test("the fields say what their values look like", () => {
  expect(
    contextFields([
      { name: "limits", kind: "json", required: false, jsonType: { type: "array", items: { type: "integer" } } },
      { name: "retries", kind: "number", required: true, default: 2 },
    ]),
  ).toEqual([
    { name: "limits", kind: "json", required: false, type: "integer[]" },
    { name: "retries", kind: "number", required: true, default: 2, type: "number" },
  ]);
});
