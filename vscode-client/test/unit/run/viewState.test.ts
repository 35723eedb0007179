import { expect, test } from "vitest";
import type { Item } from "../../../src/run/transcript.ts";
import { applied, changeOf, type ViewState } from "../../../src/run/viewState.ts";

const prompt: Item = { kind: "prompt", text: "hi", seq: 1 };
const text: Item = { kind: "text", text: "Hello" };
const EMPTY: ViewState = {
  readiness: { kind: "ready" },
  model: "offline",
  mode: "default",
  folders: ["/w"],
  items: [],
  unheard: [],
  approvals: [],
  history: ["hi"],
  sent: 1,
};
const RUNNING: ViewState = { ...EMPTY, run: { runId: "r", state: "running" }, items: [prompt, text] };

test("a view that shows nothing yet gets the whole state", () => {
  expect(changeOf(undefined, RUNNING)).toEqual({ type: "state", state: RUNNING });
});

test("a change carries only the items that differ, and brings the view to the same state", () => {
  const next: ViewState = { ...RUNNING, items: [prompt, { kind: "text", text: "Hello there" }], model: "m" };
  const message = changeOf(RUNNING, next);
  expect(message).toMatchObject({ type: "changed", change: { items: [{ index: 1 }] } });
  expect(message.type === "changed" && message.change).not.toHaveProperty("approvals");
  expect(message.type === "changed" && message.change).not.toHaveProperty("history");
  expect(message.type === "changed" && applied(RUNNING, message.change)).toEqual(next);
});

test("another run replaces the state: items of the old one cannot stay behind", () => {
  const other: ViewState = { ...EMPTY, run: { runId: "s", state: "running" }, items: [prompt, text, prompt] };
  expect(changeOf(RUNNING, other).type).toBe("state");
  expect(changeOf(RUNNING, EMPTY).type).toBe("state");
});
