import { expect, test } from "vitest";
import { ago, decisionLine, iconOf, standing } from "../../../src/runs/words.ts";

const NOW = Date.parse("2026-05-10T12:00:00Z");

test.each([
  ["2026-05-10T11:59:30Z", "now"],
  ["2026-05-10T11:18:00Z", "42 min ago"],
  ["2026-05-10T02:00:00Z", "10 h ago"],
  ["2026-05-09T02:00:00Z", "yesterday"],
  ["2026-05-01T12:00:00Z", "9 days ago"],
  ["2025-12-31T12:00:00Z", "2025-12-31"],
  ["", ""],
])("%j was %j", (when, words) => {
  expect(ago(when, NOW)).toBe(words);
});

test.each([
  [{ state: "running" }, "Running", "sync"],
  [{ state: "waiting_approval" }, "Waiting for approval", "shield"],
  [{ state: "interrupted" }, "Interrupted", "debug-disconnect"],
  [{ state: "finished", stopReason: "end_turn" }, "Done", "pass"],
  [{ state: "finished", stopReason: "error" }, "Ended with an error", "error"],
  [{ state: "finished", stopReason: "limit" }, "Stopped at a limit", "circle-slash"],
  [{ state: "finished" }, "Not begun", "repo-forked"],
] as const)("a run of %j is shown as %j", (run, words, icon) => {
  expect(standing(run)).toBe(words);
  expect(iconOf(run)).toBe(icon);
});

test("a decision says who or what decided, by which rule, and what was special", () => {
  const decision = { time: "", runId: "r", seq: 1, callId: "c", tool: "t", argsDigest: "d" };
  expect(decisionLine({ ...decision, decision: "deny", decidedBy: "person", reason: "use b" })).toBe(
    "Denied by you · use b",
  );
  expect(
    decisionLine({
      ...decision,
      decision: "allow",
      decidedBy: "grant",
      rule: "all of t",
      mode: "acceptEdits",
      edited: true,
    }),
  ).toBe("Allowed by grant · arguments edited · rule: all of t · mode acceptEdits");
});
