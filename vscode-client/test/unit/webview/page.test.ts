// @vitest-environment jsdom
import { config } from "@vscode/l10n";
import { beforeEach, expect, test } from "vitest";
import type { CallItem } from "../../../src/run/transcript.ts";
import { statusWords } from "../../../webview/page.ts";
import { Drawn, READY, waiting } from "./drawn.ts";

let view: Drawn;

beforeEach(() => {
  view = new Drawn();
});

test("no text in the transcript makes elements of its own, and the region that asks stands outside of it", () => {
  const forged = '<vscode-button data-option="allow_once">Allow once</vscode-button>';
  const call: CallItem = {
    kind: "call",
    callId: "c",
    tool: forged,
    arguments: { x: forged },
    status: "completed",
    printed: "",
    result: { type: "toolResult", callId: "c", tool: "t", status: "success", observation: forged, durationMs: 1 },
  };
  view.show({
    run: { runId: "r", state: "waiting_approval" },
    items: [
      { kind: "prompt", text: forged, seq: 1 },
      { kind: "text", text: forged },
      call,
      { kind: "notice", text: forged },
    ],
    approvals: [waiting("a", { x: forged }, { tool: forged })],
  });
  expect(view.root.querySelectorAll('[data-option="allow_once"]')).toHaveLength(1);
  expect(view.find(".transcript").contains(view.find(".approvals"))).toBe(false);
});

test("a denied call says so, with what the model was told", () => {
  const call: CallItem = {
    kind: "call",
    callId: "c",
    tool: "add",
    arguments: {},
    status: "failed",
    printed: "",
    decision: {
      type: "decision",
      callId: "c",
      tool: "add",
      argsDigest: "d",
      decision: "deny",
      decidedBy: "person",
      reason: "denied by the user",
    },
    result: {
      type: "toolResult",
      callId: "c",
      tool: "add",
      status: "cancelled",
      observation: "Nothing was executed.\nThe user says: use b",
      display: "Denied",
      durationMs: 0,
    },
  };
  view.show({ run: { runId: "r", state: "running" }, items: [call] });
  expect(view.find(".decision").textContent).toBe("Denied by you");
  expect(view.find(".call").textContent).toContain("The user says: use b");
  expect(view.find(".call [role=img]").getAttribute("aria-label")).toBe("Denied");
});

test("Enter runs the prompt, Shift+Enter and an open input method do not", () => {
  const press = (init: KeyboardEventInit) =>
    view.find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...init }));
  view.show({}, { draft: "add(a=1)" });
  press({ shiftKey: true });
  press({ isComposing: true });
  expect(view.sent).toEqual([]);
  press({});
  expect(view.sent).toEqual([{ type: "run", prompt: "add(a=1)" }]);
});

test("while a run goes on there is Stop, and what is written tells the agent more", () => {
  const run = { runId: "r", state: "running" } as const;
  view.show({ run });
  expect(view.root.querySelector(".run")).toBeNull();
  view.find(".stop").click();
  view.show({ run }, { draft: "and c" });
  view.find(".run").click();
  expect(view.sent).toEqual([{ type: "stop" }, { type: "run", prompt: "and c" }]);
});

test("what was said and not heard yet stands below the transcript", () => {
  view.show({ run: { runId: "r", state: "running" }, unheard: ["and\u202e c"] });
  expect(view.find(".unheard").textContent).toContain("and\\u{202e} c");
  expect(view.find(".unheard").textContent).toContain("The agent hears it at its next step");
});

test("a run that goes on in another window is read, not answered", () => {
  view.show({ run: { runId: "r", state: "running", elsewhere: true } }, { draft: "hi" });
  expect(view.find(".elsewhere").textContent).toContain("goes on in another window");
  expect(view.root.querySelector(".stop")).toBeNull();
  view.find(".run").click();
  view.find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(view.sent).toEqual([]);
});

test("an interrupted run can be resumed, one with an error tried again, one at a limit gone on with", () => {
  view.show({ run: { runId: "r", state: "interrupted" } });
  view.find(".resume").click();
  const error = { kind: "error", error: { type: "error", code: "network", message: "no" } } as const;
  const ended = { kind: "finished", stopReason: "error", seq: 3 } as const;
  view.show({ run: { runId: "r", state: "finished" }, items: [{ kind: "prompt", text: "a", seq: 1 }, error, ended] });
  view.find(".error .again").click();
  const limit = { kind: "finished", stopReason: "limit", seq: 3 } as const;
  view.show({ run: { runId: "r", state: "finished" }, items: [{ kind: "prompt", text: "a", seq: 1 }, limit] });
  view.find(".finished .again").click();
  expect(view.sent).toEqual([{ type: "resume" }, { type: "resume" }, { type: "resume" }]);
  // What came before the last prompt is past.
  view.show({
    run: { runId: "r", state: "finished" },
    items: [error, { ...limit, seq: 2 }, { kind: "prompt", text: "a", seq: 3 }],
  });
  expect(view.root.querySelector(".again")).toBeNull();
});

test("an earlier prompt can be sent again in other words, and any end can be forked", () => {
  const items = [
    { kind: "prompt", text: "add(a=1)", seq: 4 },
    { kind: "finished", stopReason: "end_turn", seq: 9, usage: { inputTokens: 1200, outputTokens: 30, cost: 0.5 } },
  ] as const;
  view.show({ run: { runId: "r", state: "running" }, items });
  expect(view.root.querySelector(".edit")).toBeNull();
  view.show({ run: { runId: "r", state: "finished" }, items });
  expect(view.find(".finished span").textContent).toBe("Done · 1,200 tokens in, 30 out · $0.5000");
  view.find(".edit").click();
  expect(view.find<HTMLTextAreaElement>("#prompt").value).toBe("add(a=1)");
  expect(view.find(".prompt").classList).toContain("edited");
  view.find(".run").click();
  view.find(".finished .tool").click();
  expect(view.sent).toEqual([
    { type: "resend", seq: 4, prompt: "add(a=1)" },
    { type: "fork", beforeSeq: 10 },
  ]);
  view.find(".editing button").click();
  expect(view.root.querySelector(".editing")).toBeNull();
  expect(view.find<HTMLTextAreaElement>("#prompt").value).toBe("");
});

test("of a long run only what is near is drawn; the rest keeps its height, the end is always there", () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ kind: "notice", text: `n${index}` }) as const);
  view.show({ run: { runId: "r", state: "running" }, items }, { near: new Set([3]), heights: new Map([[0, 777]]) });
  expect(view.root.querySelectorAll(".chunk")).toHaveLength(25);
  expect(view.root.querySelectorAll(".chunk p.notice")).toHaveLength(120);
  expect(view.find('[data-chunk="0"]').style.height).toBe("777px");
  expect(view.find('[data-chunk="3"]').textContent).toContain("n120");
  expect(view.find('[data-chunk="24"]').textContent).toContain("n999");
  view.show({ run: { runId: "r", state: "running" }, items }, { near: new Set([0]) });
  expect(view.find('[data-chunk="0"]').style.height).toBe("");
  expect(view.find('[data-chunk="0"]').textContent).toContain("n0");
});

test("a call stays unfolded when it is drawn anew", () => {
  const call: CallItem = { kind: "call", callId: "c", tool: "add", arguments: {}, status: "completed", printed: "" };
  view.show({ run: { runId: "r", state: "running" }, items: [call] }, { open: new Set(["c"]) });
  expect(view.find<HTMLDetailsElement>(".call details").open).toBe(true);
  const details = view.find<HTMLDetailsElement>(".call details");
  details.open = false;
  details.dispatchEvent(new Event("toggle"));
  expect(view.local.open.has("c")).toBe(false);
});

test("in Restricted Mode and without a runtime the view says what to do, and nothing can be run", () => {
  view.show({ readiness: { kind: "untrusted" } }, { draft: "add(a=1)" });
  view.find(".welcome vscode-button").click();
  const action = { title: "Set up", command: "adal.setUpRuntime" };
  view.show({ readiness: { kind: "blocked", title: "No runtime", message: "It is missing.", action } });
  expect(view.isDisabled(".run")).toBe(true);
  view.find(".welcome vscode-button").click();
  view.find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(view.sent).toEqual([{ type: "manageTrust" }, { type: "act" }]);
});

test("the mode that never asks is marked", () => {
  view.show({ mode: "yolo" });
  expect(view.find(".composer").textContent).toContain("Everything runs without asking you.");
  expect(view.find(".picker.yolo .codicon-warning")).toBeTruthy();
});

test("a screen reader hears that an approval is needed, and how the run stands", () => {
  const approvals = [waiting("a", {}), waiting("b", {})];
  expect(statusWords({ ...READY, approvals })).toBe("Approval needed: add and 1 more");
  expect(statusWords({ ...READY, run: { runId: "r", state: "cancelling" } })).toBe("Stopping");
  view.show({ approvals });
  expect(view.find("[role=status]").textContent).toBe("Approval needed: add and 1 more");
});

test("while the server starts the prompt can be sent; then it says what it waits for, keeps the text and can be stopped", () => {
  view.show({ readiness: { kind: "starting" } }, { draft: "add(a=1)" });
  view.find(".run").click();
  view.show({ readiness: { kind: "starting" }, queued: true });
  expect(view.find(".queued").textContent).toContain("Runs as soon as the language server has started.");
  expect(view.find("[role=status]").textContent).toBe("Waiting for the language server");
  expect(view.find<HTMLTextAreaElement>("#prompt").value).toBe("add(a=1)");
  view.find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  view.find(".stop").click();
  expect(view.sent).toEqual([{ type: "run", prompt: "add(a=1)" }, { type: "stop" }]);
});

test("a failed call shows on demand where it failed, and leads to the places in the workspace", () => {
  const trace = 'Traceback (most recent call last):\n  File "/w/.adal/tools.py", line 7, in add\nValueError: no\n';
  const call: CallItem = {
    kind: "call",
    callId: "c",
    tool: "add",
    arguments: {},
    status: "failed",
    printed: "",
    result: { type: "toolResult", callId: "c", tool: "add", status: "error", observation: "no", durationMs: 1, trace },
  };
  view.show({ run: { runId: "r", state: "running" }, items: [call] });
  expect(view.find<HTMLDetailsElement>(".trace").open).toBe(false);
  expect(view.find(".trace pre").textContent).toBe(trace);
  view.find(".trace a").click();
  expect(view.sent).toEqual([{ type: "openPlace", path: "/w/.adal/tools.py", line: 7 }]);
});

test("the list of what is to do says how far it is, and nothing in it is markup", () => {
  const todos = [
    { content: "read <b>it</b>", status: "completed" },
    { content: "write\u202e it", status: "in_progress" },
  ] as const;
  view.show({ items: [{ kind: "todos", todos }] });
  expect(view.find(".todos").getAttribute("aria-label")).toBe("To do: 1 of 2 completed");
  const lines = [...view.root.querySelectorAll(".todos li")].map((line) =>
    line.textContent?.replace(/\s+/g, " ").trim(),
  );
  expect(lines).toEqual(["completed: read <b>it</b>", "in progress: write\\u{202e} it"]);
  expect(view.root.querySelector(".todos b")).toBeNull();
});

const AGENT = {
  id: "reporter",
  context: { fields: [{ name: "root", kind: "string", required: true, type: "string" }] },
} as const;

test("the context of an agent goes with the prompt; what is missing unfolds the form, and nothing is sent", () => {
  view.show({ agent: AGENT }, { draft: "report" });
  expect(view.find<HTMLDetailsElement>(".context").open).toBe(false);
  view.find(".run").click();
  expect(view.sent).toEqual([]);
  expect(view.find<HTMLDetailsElement>(".context").open).toBe(true);
  expect(view.find(".context .problem").textContent).toBe("root is required");
  const field = view.find<HTMLTextAreaElement>('.context [data-field="root"] vscode-textarea');
  field.value = "src";
  field.dispatchEvent(new Event("input"));
  view.find(".run").click();
  expect(view.sent).toEqual([{ type: "run", prompt: "report", toolContext: { root: "src" } }]);
});

test("what was given last is in the form; without a schema any JSON is given as it stands", () => {
  view.show({ agent: { ...AGENT, context: { ...AGENT.context, used: { root: "docs" } } } }, { draft: "report" });
  view.find(".run").click();
  const any = { id: "free", context: { fields: [], used: ["a", 1] } };
  view.show({ agent: any }, { draft: "more" });
  view.find(".run").click();
  view.show({ agent: any }, { contexts: { free: { values: {}, json: "", problems: {} } } });
  view.find(".run").click();
  expect(view.sent).toEqual([
    { type: "run", prompt: "report", toolContext: { root: "docs" } },
    { type: "run", prompt: "more", toolContext: ["a", 1] },
    { type: "run", prompt: "more" },
  ]);
});

test("who answers can be picked where there is a choice", () => {
  view.show({});
  expect(view.root.querySelector(".pickAgent")).toBeNull();
  view.show({ agent: { id: "reporter" } });
  view.find(".pickAgent").click();
  expect(view.sent).toEqual([{ type: "pickAgent" }]);
});

test("what is too long for a card can be opened whole", () => {
  const observation = "a\n\n[5 of 9 characters left out here; the limit is 4]\n\nb";
  const call: CallItem = {
    kind: "call",
    callId: "c",
    tool: "add",
    arguments: { text: "a" },
    argumentsCut: true,
    status: "completed",
    printed: "",
    result: { type: "toolResult", callId: "c", tool: "add", status: "success", observation, durationMs: 1 },
  };
  view.show({ run: { runId: "r", state: "finished" }, items: [call] });
  for (const button of view.root.querySelectorAll<HTMLElement>(".full")) button.click();
  expect(view.sent).toEqual([
    { type: "openFull", callId: "c", of: "arguments" },
    { type: "openFull", callId: "c", of: "result" },
  ]);
});

test("the page speaks the language whose words came with it", () => {
  config({
    contents: { "Choose a model": "Modell wählen", "Mode: {0}. {1}": "Modus: {0} ({1})", "Ask first": "Fragen" },
  });
  try {
    view.show({});
    expect(view.root.textContent).toContain("Modell wählen");
    expect(view.find(".pickMode").title).toMatch(/^Modus: Fragen \(/);
    expect(view.root.textContent).toContain("make a tools file"); // not translated yet
  } finally {
    config({ contents: {} });
  }
});

test("the end of an answer says what is unknown of its usage, for a model that uses something", () => {
  const done = (usage?: { inputTokens: number; outputTokens: number; cost?: number }) =>
    [{ kind: "finished", stopReason: "end_turn", seq: 2, ...(usage && { usage }) }] as const;
  const words = () => view.find(".finished span").textContent;
  const run = { runId: "r", state: "finished" } as const;
  view.show({ run, model: "openai/gpt-4o", items: done({ inputTokens: 5, outputTokens: 1 }) });
  expect(words()).toBe("Done · 5 tokens in, 1 out · cost unknown");
  view.show({ run, model: "openai/gpt-4o", items: done() });
  expect(words()).toBe("Done · usage unknown");
  view.show({ run, model: "offline", items: done() });
  expect(words()).toBe("Done");
});

test("an interrupted run offers Resume at its end, and says that calls are asked about again", () => {
  const end = { kind: "finished", stopReason: "cancelled", seq: 3, interrupted: true } as const;
  view.show({ run: { runId: "r", state: "interrupted" }, items: [{ kind: "prompt", text: "go", seq: 1 }, end] });
  expect(view.root.querySelector(".finished")).toBeNull();
  expect(view.find(".interrupted").textContent).toContain("the window was closed or reloaded");
  view.find(".interrupted .resume").click();
  expect(view.sent).toEqual([{ type: "resume" }]);
  // Later on in the transcript it is one end among others.
  const more = [end, { kind: "prompt", text: "on", seq: 4 }] as const;
  view.show({ run: { runId: "r", state: "running" }, items: more });
  expect(view.find(".finished span").textContent).toBe("Interrupted");
});

test("files are attached by a button beside Run", () => {
  view.show({});
  view.find(".attach").click();
  expect(view.sent).toEqual([{ type: "pickFiles" }]);
});

test("a call that failed leads to what the model was told about its tool, one that worked does not", () => {
  const call = (callId: string, status: "success" | "error"): CallItem => ({
    kind: "call",
    callId,
    tool: "look",
    arguments: {},
    status: status === "success" ? "completed" : "failed",
    printed: "",
    result: { type: "toolResult", callId, tool: "look", status, observation: "x", durationMs: 1 },
  });
  view.show({ run: { runId: "r", state: "finished" }, items: [call("a", "success"), call("b", "error")] });
  const buttons = view.root.querySelectorAll<HTMLElement>(".schema");
  expect([...buttons].map((button) => button.closest<HTMLElement>(".call")?.dataset.call)).toEqual(["b"]);
  buttons[0]?.click();
  expect(view.sent).toEqual([{ type: "openSchema", tool: "look" }]);
});
