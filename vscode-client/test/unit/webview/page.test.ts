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
  approvals: [],
};
const LOCAL: Local = { draft: "", reasons: {}, whole: new Set(), armed: new Set(["a", "b"]) };

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
    items: [{ kind: "prompt", text: forged }, { kind: "text", text: forged }, call, { kind: "notice", text: forged }],
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

test("while a run goes on there is Stop in the place of Run", () => {
  show({ run: { runId: "r", state: "running" } }, { draft: "next" });
  expect(root.querySelector(".run")).toBeNull();
  find("#prompt").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  find(".stop").click();
  expect(sent).toEqual([{ type: "stop" }]);
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
