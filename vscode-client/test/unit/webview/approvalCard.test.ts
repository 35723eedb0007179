// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import { Drawn, waiting } from "./drawn.ts";

let view: Drawn;

beforeEach(() => {
  view = new Drawn();
});

test("an approval shows the tool, its place, every argument, the facts and the folder", () => {
  const range = { start: { line: 11, character: 0 }, end: { line: 11, character: 3 } };
  view.show({
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
  const text = view.find(".approval").textContent?.replace(/\s+/g, " ");
  for (const part of ["add", ".adal/tools.py:12", "runs a shell command", "/w", "times", "2", "-old", "+new"]) {
    expect(text).toContain(part);
  }
  expect(view.find("dd").textContent).toBe("make \\u{202e} all");
  view.find(".source").click();
  expect(view.sent).toEqual([{ type: "open", location: { uri: "file:///w/.adal/tools.py", range } }]);
});

test("an answer names the approval, its digest and the option, and only a denial takes the reason along", () => {
  view.show({ approvals: [waiting("a", { x: 1 }), waiting("b", { x: 2 })] }, { reasons: { b: "use y" } });
  view.find('[data-approval="b"] [data-option="reject_once"]').click();
  view.find('[data-approval="a"] [data-option="allow_once"]').click();
  expect(view.sent).toEqual([
    { type: "answer", choice: { approvalId: "b", argsDigest: "digest-b", optionId: "no", feedback: "use y" } },
    { type: "answer", choice: { approvalId: "a", argsDigest: "digest-a", optionId: "yes", feedback: "" } },
  ]);
});

test("Enter in the reason field denies; it never allows", () => {
  view.show({ approvals: [waiting("a", { x: 1 })] }, { reasons: { a: "no" } });
  view.find(".reason").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  view.find(".reason").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  expect(view.sent).toMatchObject([{ choice: { optionId: "no" } }]);
});

test("a call cannot be allowed before its arguments have been shown in full", () => {
  const approval = waiting("a", { text: "x".repeat(100_000) });
  view.show({ approvals: [approval] });
  expect(view.isDisabled('[data-option="allow_once"]')).toBe(true);
  expect(view.isDisabled('[data-option="allow_always"]')).toBe(true);
  expect(view.isDisabled('[data-option="reject_once"]')).toBe(false);
  expect(view.find(".more").textContent).toMatch(/Show 98,\d{3} more characters/);
  view.find(".more").click();
  expect(view.find("dd").textContent).toHaveLength(100_000);
  expect(view.isDisabled('[data-option="allow_once"]')).toBe(false);
});

test("a call cannot be allowed while its arguments are being fetched or could not be", () => {
  view.show({ approvals: [waiting("a", undefined)] });
  expect(view.isDisabled('[data-option="allow_once"]')).toBe(true);
  view.show({ approvals: [{ ...waiting("a", undefined), problem: "The server is busy." }] });
  expect(view.find(".approval .problem").textContent).toContain("The server is busy.");
  expect(view.isDisabled('[data-option="allow_once"]')).toBe(true);
});

test("a card that just came up cannot be allowed by a click meant for something else", () => {
  view.show({ approvals: [waiting("a", { x: 1 })] }, { armed: new Set() });
  expect(view.isDisabled('[data-option="allow_once"]')).toBe(true);
});

test("a text full of hidden characters is shown in full and does not become a flood of elements", () => {
  view.show({ approvals: [waiting("a", { text: "x\u200b".repeat(20_000) })] }, { whole: new Set(["a"]) });
  expect(view.find("dd").textContent).toBe("x\\u{200b}".repeat(20_000));
  expect(view.find("dd").childElementCount).toBe(0);
});

test("the rule that would be remembered stands on its button", () => {
  view.show({ approvals: [waiting("a", { x: 1 })] });
  expect(view.find('[data-option="allow_always"]').textContent).toContain("add with exactly these");
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
  view.show({ approvals: [waiting("a", { x: 1 }, { options })] });
  const offered = () => [...view.root.querySelectorAll<HTMLElement>(".lasting")].map((one) => one.dataset.id);
  expect(offered()).toEqual(["arguments_session", "tool_session", "never"]);
  const [, workspace] = view.root.querySelectorAll<HTMLInputElement>(".lives input");
  workspace?.dispatchEvent(new Event("change"));
  expect(offered()).toEqual(["arguments_workspace", "tool_workspace", "never"]);
  expect(view.find('[data-id="tool_workspace"] .rule').textContent).toBe("add tool; workspace");
  view.find('[data-id="tool_workspace"]').click();
  expect(view.sent).toMatchObject([{ type: "answer", choice: { optionId: "tool_workspace" } }]);
});

const SCHEMA = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "integer", default: 1 } },
  required: ["text"],
};

test("arguments are edited in a form; what is wrong stands at its field, what is right is allowed for this once", () => {
  view.show({ approvals: [waiting("a", { text: "hi", times: 2 }, { inputSchema: SCHEMA })] });
  view.find(".edit-arguments").click();
  const times = () => view.find<HTMLInputElement>('[data-field="times"] vscode-textfield');
  const write = (text: string) => {
    times().value = text;
    times().dispatchEvent(new Event("input"));
  };
  write("two");
  view.find('[data-option="allow_once"]').click();
  expect(view.find('[data-field="times"] .problem').textContent).toBe("times must be a whole number");
  expect(view.sent).toEqual([]);
  expect(view.root.querySelector(".lasting")).toBeNull(); // an edit is never remembered
  write("3");
  view.find('[data-option="allow_once"]').click();
  expect(view.sent).toEqual([
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

test("a form that was opened and left as it is sends the arguments of the call, without defaults of the tool", () => {
  view.show({ approvals: [waiting("a", { text: "hi" }, { inputSchema: SCHEMA })] });
  view.find(".edit-arguments").click();
  view.find('[data-option="allow_once"]').click();
  expect(view.sent).toMatchObject([{ choice: { updatedInput: { text: "hi" } } }]);
  expect(view.sent).not.toMatchObject([{ choice: { updatedInput: { times: 1 } } }]);
});

test("edited arguments that the tool does not take come back with the reason, and are still in the form", () => {
  const problem = "text: at most 3 characters";
  const edits = { a: { values: { text: "hello" }, json: undefined, problems: {} } };
  view.show({ approvals: [waiting("a", { text: "hi" }, { inputSchema: SCHEMA, problem })] }, { edits });
  expect(view.find(".edited-arguments .problem").textContent).toContain(problem);
  expect(view.find<HTMLInputElement>('[data-field="text"] vscode-textarea').value).toBe("hello");
});

test("leaving the form brings the call back as it was asked, and its own arguments are what is allowed", () => {
  view.show({ approvals: [waiting("a", { text: "hi" }, { inputSchema: SCHEMA })] });
  view.find(".edit-arguments").click();
  [...view.root.querySelectorAll<HTMLElement>(".looks button")].at(-1)?.click();
  view.find('[data-option="allow_once"]').click();
  expect(view.sent).toMatchObject([{ choice: { optionId: "yes" } }]);
  expect(view.sent[0]).not.toHaveProperty("choice.updatedInput");
});

test("a change that can be shown as one can be opened in the diff editor; one that will fail cannot", () => {
  const diff = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-1\n+2";
  view.show({ approvals: [waiting("a", { path: "a.py" }, { preview: { text: "", diff } })] });
  view.find(".diff-editor").click();
  expect(view.sent).toEqual([{ type: "openDiff", approvalId: "a" }]);
  view.show({
    approvals: [waiting("a", { path: "a.py" }, { preview: { text: "", diff: "[this call will fail: no file]" } })],
  });
  expect(view.root.querySelector(".diff-editor")).toBeNull();
});

test("a question of another run than the one that is shown says so and leads there", () => {
  view.show({ run: { runId: "other", state: "finished" }, approvals: [waiting("a", { x: 1 })] });
  view.find(".other-run button").click();
  expect(view.sent).toEqual([{ type: "showRun", runId: "r" }]);
  view.show({ run: { runId: "r", state: "waiting_approval" }, approvals: [waiting("a", { x: 1 })] });
  expect(view.root.querySelector(".other-run")).toBeNull();
});
