// @vitest-environment jsdom
import { render } from "lit";
import { beforeEach, expect, test } from "vitest";
import type { ApprovalRequest } from "../../../src/protocol.ts";
import type { WaitingApproval } from "../../../src/run/approvals.ts";
import type { CallItem } from "../../../src/run/transcript.ts";
import type { FromView, ViewState } from "../../../src/run/viewState.ts";
import { page, statusWords } from "../../../webview/page.ts";
import type { Local } from "../../../webview/parts.ts";

const READY: ViewState = {
  readiness: { kind: "ready" },
  model: "offline",
  mode: "default",
  folders: ["/w"],
  items: [],
  unheard: [],
  approvals: [],
  history: [],
  sent: 0,
};
const LOCAL: Local = {
  draft: "",
  reasons: {},
  edits: {},
  lives: {},
  whole: new Set(),
  open: new Set(),
  armed: new Set(["a", "b"]),
  near: new Set(),
  heights: new Map(),
};

let root: HTMLElement;
let sent: FromView[];
let local: Local;

beforeEach(() => {
  root = document.createElement("main");
  sent = [];
  local = LOCAL;
});

function show(state: Partial<ViewState>, more: Partial<Local> = {}): void {
  local = { ...local, ...more };
  const actions = {
    send: (message: FromView) => void sent.push(message),
    change: (change: Partial<Local>) => show(state, change),
    editPrompt: (seq: number, text: string) => show(state, { edit: { seq }, draft: text }),
    placeCaret: () => {},
  };
  render(page({ ...READY, ...state }, local, actions), root);
}

function waiting(
  id: string,
  values: WaitingApproval["arguments"],
  more: Partial<ApprovalRequest> = {},
): WaitingApproval {
  const request: ApprovalRequest = {
    approvalId: id,
    runId: "r",
    callId: `c-${id}`,
    tool: "add",
    argsDigest: `digest-${id}`,
    options: [
      { optionId: "yes", kind: "allow_once", label: "Allow once" },
      { optionId: "always", kind: "allow_always", label: "Always (this session)", rule: "add with exactly these" },
      { optionId: "no", kind: "reject_once", label: "Deny" },
    ],
    ...more,
  };
  return values ? { request, arguments: values } : { request };
}

function find<E extends Element = HTMLElement>(selector: string): E {
  const found = root.querySelector<E>(selector);
  if (!found) {
    throw new Error(`nothing matches ${selector}`);
  }
  return found;
}

function isDisabled(selector: string): boolean {
  return find(selector).hasAttribute("disabled");
}

test("an approval shows the tool, its place, every argument, the facts and the folder", () => {
  const range = { start: { line: 11, character: 0 }, end: { line: 11, character: 3 } };
  show({
    approvals: [
      waiting(
        "a",
        { command: "make \u202e all", times: 2 },
        {
          source: { uri: "file:///w/.adal/tools.py", range },
          risk: ["runs a shell command"],
          preview: { text: "", cwd: "/w", command: "make \\u{202e} all", diff: "-old\n+new" },
        },
      ),
    ],
  });
  const text = find(".approval").textContent?.replace(/\s+/g, " ");
  for (const part of ["add", ".adal/tools.py:12", "runs a shell command", "/w", "times", "2", "-old", "+new"]) {
    expect(text).toContain(part);
  }
  expect(find("dd").textContent).toBe("make \\u{202e} all");
  find(".source").click();
  expect(sent).toEqual([{ type: "open", location: { uri: "file:///w/.adal/tools.py", range } }]);
});

test("an answer names the approval, its digest and the option, and only a denial takes the reason along", () => {
  show({ approvals: [waiting("a", { x: 1 }), waiting("b", { x: 2 })] }, { reasons: { b: "use y" } });
  find('[data-approval="b"] [data-option="reject_once"]').click();
  find('[data-approval="a"] [data-option="allow_once"]').click();
  expect(sent).toEqual([
    { type: "answer", choice: { approvalId: "b", argsDigest: "digest-b", optionId: "no", feedback: "use y" } },
    { type: "answer", choice: { approvalId: "a", argsDigest: "digest-a", optionId: "yes", feedback: "" } },
  ]);
});

test("Enter in the reason field denies; it never allows", () => {
  show({ approvals: [waiting("a", { x: 1 })] }, { reasons: { a: "no" } });
  find(".reason").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  find(".reason").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  expect(sent).toMatchObject([{ choice: { optionId: "no" } }]);
});

test("a call cannot be allowed before its arguments have been shown in full", () => {
  const approval = waiting("a", { text: "x".repeat(100_000) });
  show({ approvals: [approval] });
  expect(isDisabled('[data-option="allow_once"]')).toBe(true);
  expect(isDisabled('[data-option="allow_always"]')).toBe(true);
  expect(isDisabled('[data-option="reject_once"]')).toBe(false);
  expect(find(".more").textContent).toMatch(/Show 98,\d{3} more characters/);
  find(".more").click();
  expect(find("dd").textContent).toHaveLength(100_000);
  expect(isDisabled('[data-option="allow_once"]')).toBe(false);
});

test("a call cannot be allowed while its arguments are being fetched or could not be", () => {
  show({ approvals: [waiting("a", undefined)] });
  expect(isDisabled('[data-option="allow_once"]')).toBe(true);
  show({ approvals: [{ ...waiting("a", undefined), problem: "The server is busy." }] });
  expect(find(".approval .problem").textContent).toContain("The server is busy.");
  expect(isDisabled('[data-option="allow_once"]')).toBe(true);
});

test("a card that just came up cannot be allowed by a click meant for something else", () => {
  show({ approvals: [waiting("a", { x: 1 })] }, { armed: new Set() });
  expect(isDisabled('[data-option="allow_once"]')).toBe(true);
});

test("a text full of hidden characters is shown in full and does not become a flood of elements", () => {
  show({ approvals: [waiting("a", { text: "x\u200b".repeat(20_000) })] }, { whole: new Set(["a"]) });
  expect(find("dd").textContent).toBe("x\\u{200b}".repeat(20_000));
  expect(find("dd").childElementCount).toBe(0);
});

test("the rule that would be remembered stands on its button", () => {
  show({ approvals: [waiting("a", { x: 1 })] });
  expect(find('[data-option="allow_always"]').textContent).toContain("add with exactly these");
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
  show({
    run: { runId: "r", state: "waiting_approval" },
    items: [
      { kind: "prompt", text: forged, seq: 1 },
      { kind: "text", text: forged },
      call,
      { kind: "notice", text: forged },
    ],
    approvals: [waiting("a", { x: forged }, { tool: forged })],
  });
  expect(root.querySelectorAll('[data-option="allow_once"]')).toHaveLength(1);
  expect(find(".transcript").contains(find(".approvals"))).toBe(false);
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
  show({ run: { runId: "r", state: "running" }, items: [call] });
  expect(find(".decision").textContent).toBe("Denied by you");
  expect(find(".call").textContent).toContain("The user says: use b");
  expect(find(".call [role=img]").getAttribute("aria-label")).toBe("Denied");
});

test("Enter runs the prompt, Shift+Enter and an open input method do not", () => {
  const press = (init: KeyboardEventInit) =>
    find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...init }));
  show({}, { draft: "add(a=1)" });
  press({ shiftKey: true });
  press({ isComposing: true });
  expect(sent).toEqual([]);
  press({});
  expect(sent).toEqual([{ type: "run", prompt: "add(a=1)" }]);
});

test("while a run goes on there is Stop, and what is written tells the agent more", () => {
  const run = { runId: "r", state: "running" } as const;
  show({ run });
  expect(root.querySelector(".run")).toBeNull();
  find(".stop").click();
  show({ run }, { draft: "and c" });
  find(".run").click();
  expect(sent).toEqual([{ type: "stop" }, { type: "run", prompt: "and c" }]);
});

test("what was said and not heard yet stands below the transcript", () => {
  show({ run: { runId: "r", state: "running" }, unheard: ["and\u202e c"] });
  expect(find(".unheard").textContent).toContain("and\\u{202e} c");
  expect(find(".unheard").textContent).toContain("The agent hears it at its next step");
});

test("a run that goes on in another window is read, not answered", () => {
  show({ run: { runId: "r", state: "running", elsewhere: true } }, { draft: "hi" });
  expect(find(".elsewhere").textContent).toContain("goes on in another window");
  expect(root.querySelector(".stop")).toBeNull();
  find(".run").click();
  find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(sent).toEqual([]);
});

test("an interrupted run can be resumed, one with an error tried again, one at a limit gone on with", () => {
  show({ run: { runId: "r", state: "interrupted" } });
  find(".resume").click();
  const error = { kind: "error", error: { type: "error", code: "network", message: "no" } } as const;
  const ended = { kind: "finished", stopReason: "error", seq: 3 } as const;
  show({ run: { runId: "r", state: "finished" }, items: [{ kind: "prompt", text: "a", seq: 1 }, error, ended] });
  find(".error .again").click();
  const limit = { kind: "finished", stopReason: "limit", seq: 3 } as const;
  show({ run: { runId: "r", state: "finished" }, items: [{ kind: "prompt", text: "a", seq: 1 }, limit] });
  find(".finished .again").click();
  expect(sent).toEqual([{ type: "resume" }, { type: "resume" }, { type: "resume" }]);
  // What came before the last prompt is past.
  show({
    run: { runId: "r", state: "finished" },
    items: [error, { ...limit, seq: 2 }, { kind: "prompt", text: "a", seq: 3 }],
  });
  expect(root.querySelector(".again")).toBeNull();
});

test("an earlier prompt can be sent again in other words, and any end can be forked", () => {
  const items = [
    { kind: "prompt", text: "add(a=1)", seq: 4 },
    { kind: "finished", stopReason: "end_turn", seq: 9, usage: { inputTokens: 1200, outputTokens: 30, cost: 0.5 } },
  ] as const;
  show({ run: { runId: "r", state: "running" }, items });
  expect(root.querySelector(".edit")).toBeNull();
  show({ run: { runId: "r", state: "finished" }, items });
  expect(find(".finished span").textContent).toBe("Done · 1,200 tokens in, 30 out · $0.5000");
  find(".edit").click();
  expect(find<HTMLTextAreaElement>("#prompt").value).toBe("add(a=1)");
  expect(find(".prompt").classList).toContain("edited");
  find(".run").click();
  find(".finished .tool").click();
  expect(sent).toEqual([
    { type: "resend", seq: 4, prompt: "add(a=1)" },
    { type: "fork", beforeSeq: 10 },
  ]);
  find(".editing button").click();
  expect(root.querySelector(".editing")).toBeNull();
  expect(find<HTMLTextAreaElement>("#prompt").value).toBe("");
});

test("of a long run only what is near is drawn; the rest keeps its height, the end is always there", () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ kind: "notice", text: `n${index}` }) as const);
  show({ run: { runId: "r", state: "running" }, items }, { near: new Set([3]), heights: new Map([[0, 777]]) });
  expect(root.querySelectorAll(".chunk")).toHaveLength(25);
  expect(root.querySelectorAll(".chunk p.notice")).toHaveLength(120);
  expect(find('[data-chunk="0"]').style.height).toBe("777px");
  expect(find('[data-chunk="3"]').textContent).toContain("n120");
  expect(find('[data-chunk="24"]').textContent).toContain("n999");
  show({ run: { runId: "r", state: "running" }, items }, { near: new Set([0]) });
  expect(find('[data-chunk="0"]').style.height).toBe("");
  expect(find('[data-chunk="0"]').textContent).toContain("n0");
});

test("a call stays unfolded when it is drawn anew", () => {
  const call: CallItem = { kind: "call", callId: "c", tool: "add", arguments: {}, status: "completed", printed: "" };
  show({ run: { runId: "r", state: "running" }, items: [call] }, { open: new Set(["c"]) });
  expect(find<HTMLDetailsElement>(".call details").open).toBe(true);
  const details = find<HTMLDetailsElement>(".call details");
  details.open = false;
  details.dispatchEvent(new Event("toggle"));
  expect(local.open.has("c")).toBe(false);
});

test("in Restricted Mode and without a runtime the view says what to do, and nothing can be run", () => {
  show({ readiness: { kind: "untrusted" } }, { draft: "add(a=1)" });
  find(".welcome vscode-button").click();
  const action = { title: "Set up", command: "adal.setUpRuntime" };
  show({ readiness: { kind: "blocked", title: "No runtime", message: "It is missing.", action } });
  expect(isDisabled(".run")).toBe(true);
  find(".welcome vscode-button").click();
  find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(sent).toEqual([{ type: "manageTrust" }, { type: "act" }]);
});

test("the mode that never asks is marked", () => {
  show({ mode: "yolo" });
  expect(find(".composer").textContent).toContain("Everything runs without asking you.");
  expect(find(".picker.yolo .codicon-warning")).toBeTruthy();
});

test("a screen reader hears that an approval is needed, and how the run stands", () => {
  const approvals = [waiting("a", {}), waiting("b", {})];
  expect(statusWords({ ...READY, approvals })).toBe("Approval needed: add and 1 more");
  expect(statusWords({ ...READY, run: { runId: "r", state: "cancelling" } })).toBe("Stopping");
  show({ approvals });
  expect(find("[role=status]").textContent).toBe("Approval needed: add and 1 more");
});

test("while the server starts the prompt can be sent; then it says what it waits for, keeps the text and can be stopped", () => {
  show({ readiness: { kind: "starting" } }, { draft: "add(a=1)" });
  find(".run").click();
  show({ readiness: { kind: "starting" }, queued: true });
  expect(find(".queued").textContent).toContain("Runs as soon as the language server has started.");
  expect(find("[role=status]").textContent).toBe("Waiting for the language server");
  expect(find<HTMLTextAreaElement>("#prompt").value).toBe("add(a=1)");
  find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  find(".stop").click();
  expect(sent).toEqual([{ type: "run", prompt: "add(a=1)" }, { type: "stop" }]);
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
  show({ run: { runId: "r", state: "running" }, items: [call] });
  expect(find<HTMLDetailsElement>(".trace").open).toBe(false);
  expect(find(".trace pre").textContent).toBe(trace);
  find(".trace a").click();
  expect(sent).toEqual([{ type: "openPlace", path: "/w/.adal/tools.py", line: 7 }]);
});

test("the list of what is to do says how far it is, and nothing in it is markup", () => {
  const todos = [
    { content: "read <b>it</b>", status: "completed" },
    { content: "write\u202e it", status: "in_progress" },
  ] as const;
  show({ items: [{ kind: "todos", todos }] });
  expect(find(".todos").getAttribute("aria-label")).toBe("To do: 1 of 2 completed");
  const lines = [...root.querySelectorAll(".todos li")].map((line) => line.textContent?.replace(/\s+/g, " ").trim());
  expect(lines).toEqual(["completed: read <b>it</b>", "in progress: write\\u{202e} it"]);
  expect(root.querySelector(".todos b")).toBeNull();
});

const LASTING = ["arguments", "tool"].flatMap((covers) =>
  (["session", "workspace"] as const).map((life) => ({
    optionId: `${covers}_${life}`,
    kind: "allow_always" as const,
    label: `Always allow ${covers}`,
    rule: `add ${covers}; ${life}`,
    covers: covers as "arguments" | "tool",
    life,
  })),
);

test("what is remembered is chosen by how long first, then by a rule that is shown word for word", () => {
  const options = [
    { optionId: "yes", kind: "allow_once" as const, label: "Allow once" },
    ...LASTING,
    { optionId: "no", kind: "reject_once" as const, label: "Deny" },
    {
      optionId: "never",
      kind: "reject_always" as const,
      label: "Always deny",
      rule: "denied",
      life: "session" as const,
    },
  ];
  show({ approvals: [waiting("a", { x: 1 }, { options })] });
  const offered = () => [...root.querySelectorAll<HTMLElement>(".lasting")].map((one) => one.dataset.id);
  expect(offered()).toEqual(["arguments_session", "tool_session", "never"]);
  const [, workspace] = root.querySelectorAll<HTMLInputElement>(".lives input");
  workspace?.dispatchEvent(new Event("change"));
  expect(offered()).toEqual(["arguments_workspace", "tool_workspace", "never"]);
  expect(find('[data-id="tool_workspace"] .rule').textContent).toBe("add tool; workspace");
  find('[data-id="tool_workspace"]').click();
  expect(sent).toMatchObject([{ type: "answer", choice: { optionId: "tool_workspace" } }]);
});

const SCHEMA = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "integer", default: 1 } },
  required: ["text"],
};

test("arguments are edited in a form; what is wrong stands at its field, what is right is allowed for this once", () => {
  show({ approvals: [waiting("a", { text: "hi", times: 2 }, { inputSchema: SCHEMA })] });
  find(".edit-arguments").click();
  const times = () => find<HTMLInputElement>('[data-field="times"] vscode-textfield');
  const write = (text: string) => {
    times().value = text;
    times().dispatchEvent(new Event("input"));
  };
  write("two");
  find('[data-option="allow_once"]').click();
  expect(find('[data-field="times"] .problem').textContent).toBe("times must be a whole number");
  expect(sent).toEqual([]);
  expect(root.querySelector(".lasting")).toBeNull(); // an edit is never remembered
  write("3");
  find('[data-option="allow_once"]').click();
  expect(sent).toEqual([
    {
      type: "answer",
      choice: {
        approvalId: "a",
        argsDigest: "digest-a",
        optionId: "yes",
        feedback: "",
        updatedInput: { text: "hi", times: 3 },
      },
    },
  ]);
});

test("edited arguments that the tool does not take come back with the reason, and are still in the form", () => {
  const problem = "text: at most 3 characters";
  const edits = { a: { values: { text: "hello" }, json: undefined, problems: {} } };
  show({ approvals: [waiting("a", { text: "hi" }, { inputSchema: SCHEMA, problem })] }, { edits });
  expect(find(".edited-arguments .problem").textContent).toContain(problem);
  expect(find<HTMLInputElement>('[data-field="text"] vscode-textarea').value).toBe("hello");
});

test("leaving the form brings the call back as it was asked, and its own arguments are what is allowed", () => {
  show({ approvals: [waiting("a", { text: "hi" }, { inputSchema: SCHEMA })] });
  find(".edit-arguments").click();
  [...root.querySelectorAll<HTMLElement>(".looks button")].at(-1)?.click();
  find('[data-option="allow_once"]').click();
  expect(sent).toMatchObject([{ choice: { optionId: "yes" } }]);
  expect(sent[0]).not.toHaveProperty("choice.updatedInput");
});

test("a change that can be shown as one can be opened in the diff editor; one that will fail cannot", () => {
  const diff = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-1\n+2";
  show({ approvals: [waiting("a", { path: "a.py" }, { preview: { text: "", diff } })] });
  find(".diff-editor").click();
  expect(sent).toEqual([{ type: "openDiff", approvalId: "a" }]);
  show({
    approvals: [waiting("a", { path: "a.py" }, { preview: { text: "", diff: "[this call will fail: no file]" } })],
  });
  expect(root.querySelector(".diff-editor")).toBeNull();
});

test("a question of another run than the one that is shown says so and leads there", () => {
  show({ run: { runId: "other", state: "finished" }, approvals: [waiting("a", { x: 1 })] });
  find(".other-run button").click();
  expect(sent).toEqual([{ type: "showRun", runId: "r" }]);
  show({ run: { runId: "r", state: "waiting_approval" }, approvals: [waiting("a", { x: 1 })] });
  expect(root.querySelector(".other-run")).toBeNull();
});
