// @vitest-environment jsdom
import { render } from "lit";
import { expect, test } from "vitest";
import { complete, completionAt, completionKey, completionList } from "../../../webview/completion.ts";
import { recall } from "../../../webview/composer.ts";
import type { Actions, Local } from "../../../webview/parts.ts";

const LOCAL: Local = {
  draft: "",
  contexts: {},
  reasons: {},
  edits: {},
  lives: {},
  whole: new Set(),
  open: new Set(),
  armed: new Set(),
  near: new Set(),
  heights: new Map(),
};

function typing(draft: string, paths?: string[]) {
  const completion = completionAt(draft, draft.length);
  let local: Local = { ...LOCAL, draft, completion: completion && paths ? { ...completion, paths } : completion };
  let caret = -1;
  const actions: Actions = {
    send: () => {},
    change: (change) => {
      local = { ...local, ...change };
    },
    editPrompt: () => {},
    resume: () => {},
    placeCaret: (at) => {
      caret = at;
    },
  };
  const press = (key: string, init: KeyboardEventInit = {}) =>
    completionKey(new KeyboardEvent("keydown", { key, ...init }), local, actions);
  return { local: () => local, caret: () => caret, press, complete: (path: string) => complete(path, local, actions) };
}

test.each([
  ["see @", 5, { start: 4, end: 5, query: "", active: 0 }],
  ["@src/a", 6, { start: 0, end: 6, query: "src/a", active: 0 }],
  ["@src/a then", 4, { start: 0, end: 4, query: "src", active: 0 }],
  ["me@example", 10, undefined],
  ["@a.py:3", 7, undefined],
  ["", 0, undefined],
])("what is being named in %j at %i", (text, caret, expected) => {
  expect(completionAt(text, caret)).toEqual(expected);
});

test("the arrows go round, Enter and Tab take the file, Escape takes none", () => {
  const typed = typing("see @a", ["a.py", "b a.py"]);
  expect(typed.press("ArrowUp")).toBe(true);
  expect(typed.local().completion?.active).toBe(1);
  expect(typed.press("Tab")).toBe(true);
  expect(typed.local().draft).toBe('see @"b a.py" ');
  expect(typed.caret()).toBe(14);
  const escaped = typing("see @a", ["a.py"]);
  expect(escaped.press("Escape")).toBe(true);
  expect(escaped.local()).toMatchObject({ draft: "see @a", completion: undefined });
});

test("the list shows the name of a file and its folder, and the one that Enter takes is said", () => {
  const root = document.createElement("div");
  const completion = { start: 0, end: 2, query: "a", paths: ["a.py", "src/b/a.py"], active: 1 };
  render(
    completionList({ ...LOCAL, completion }, () => {}),
    root,
  );
  const words = [...root.querySelectorAll("li")].map((row) =>
    [...row.querySelectorAll("span")].map((s) => s.textContent),
  );
  expect(words).toEqual([
    ["", "a.py", ""],
    ["", "a.py", "src/b"],
  ]);
  expect(root.querySelector("[role=status]")?.textContent).toBe("src/b/a.py, 2 of 2");
});

test("a key means nothing here while no file is offered, or while an input method is open", () => {
  expect(typing("see", ["a.py"]).press("Enter")).toBe(false);
  expect(typing("see @zzz", []).press("Enter")).toBe(false);
  expect(typing("see @a", ["a.py"]).press("Enter", { isComposing: true })).toBe(false);
  expect(typing("see @a", ["a.py"]).press("Enter", { shiftKey: true })).toBe(false);
});

test("the arrows bring prompts of before back, and leave what the person is writing alone", () => {
  const history = ["last", "first"];
  expect(recall(1, history, "")).toBe("last");
  expect(recall(1, history, "last")).toBe("first");
  expect(recall(1, history, "first")).toBeUndefined();
  expect(recall(-1, history, "first")).toBe("last");
  expect(recall(-1, history, "last")).toBe("");
  expect(recall(-1, history, "")).toBeUndefined();
  expect(recall(1, history, "something new")).toBeUndefined();
});
