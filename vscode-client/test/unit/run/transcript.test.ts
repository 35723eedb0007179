import { expect, test } from "vitest";
import type { Event, RunUpdate } from "../../../src/protocol.ts";
import { append, emptyTranscript, isGap, isGoing, type Transcript, withRun } from "../../../src/run/transcript.ts";

function updates(...events: Event[]): RunUpdate[] {
  return events.map((event, index) => ({ runId: "run", seq: index + 1, event }));
}

function fold(...events: Event[]): Transcript {
  return updates(...events).reduce(append, emptyTranscript("run"));
}

const CALL: Event = { type: "toolCall", callId: "c1", tool: "add", arguments: { a: 1 }, status: "pending" };

test("text that comes in pieces is one item, until something else happens", () => {
  const { items } = fold(
    { type: "prompt", text: "hi" },
    { type: "text", delta: "Hel" },
    { type: "text", delta: "lo" },
    CALL,
    { type: "text", delta: "again" },
  );
  expect(items.map((item) => (item.kind === "text" ? item.text : item.kind))).toEqual([
    "prompt",
    "Hello",
    "call",
    "again",
  ]);
});

test("a call, its state, its output, the decision and its result are one item", () => {
  const result: Event = {
    type: "toolResult",
    callId: "c1",
    tool: "add",
    status: "success",
    observation: "3",
    durationMs: 2,
  };
  const decision: Event = {
    type: "decision",
    callId: "c1",
    tool: "add",
    argsDigest: "d",
    decision: "allow",
    decidedBy: "person",
  };
  const { items } = fold(
    CALL,
    decision,
    { ...CALL, status: "in_progress" } as Event,
    { type: "toolProgress", callId: "c1", text: "one\n" },
    { type: "toolProgress", callId: "c1", text: "two\n" },
    result,
  );
  expect(items).toEqual([
    {
      kind: "call",
      callId: "c1",
      tool: "add",
      arguments: { a: 1 },
      status: "completed",
      printed: "one\ntwo\n",
      decision,
      result,
    },
  ]);
});

test("only the item that changed is another object, so that views redraw no more", () => {
  const before = fold({ type: "prompt", text: "hi" }, CALL);
  const after = append(before, {
    runId: "run",
    seq: 3,
    event: { type: "toolProgress", callId: "c1", text: "x" },
  });
  expect(after.items[0]).toBe(before.items[0]);
  expect(after.items[1]).not.toBe(before.items[1]);
});

test("an event that is known already, or of another run, changes nothing", () => {
  const transcript = fold({ type: "prompt", text: "hi" });
  const again = { runId: "run", seq: 1, event: { type: "text", delta: "x" } } as const;
  expect(append(transcript, again)).toBe(transcript);
  expect(append(transcript, { ...again, runId: "other", seq: 2 })).toBe(transcript);
});

test("a missing event is noticed", () => {
  const transcript = fold({ type: "prompt", text: "hi" });
  const next = { runId: "run", seq: 2, event: { type: "text", delta: "x" } } as const;
  expect(isGap(transcript, next)).toBe(false);
  expect(isGap(transcript, { ...next, seq: 3 })).toBe(true);
});

test("an answer that was streamed is not shown a second time, another one is", () => {
  const streamed = fold({ type: "text", delta: "42\n" }, { type: "finished", stopReason: "end_turn", answer: "42" });
  expect(streamed.items.map((item) => item.kind)).toEqual(["text", "finished"]);
  const failed = fold(
    { type: "text", delta: "Not run" },
    { type: "error", code: "bad_request", message: "no such tool" },
    { type: "finished", stopReason: "error", answer: "Not run" },
  );
  expect(failed.items.map((item) => item.kind)).toEqual(["text", "error", "finished"]);
  const again = fold(
    { type: "text", delta: "42" },
    { type: "prompt", text: "Again" },
    { type: "finished", stopReason: "end_turn", answer: "42" },
  );
  expect(again.items.map((item) => item.kind)).toEqual(["text", "prompt", "text", "finished"]);
  const silent = fold(CALL, { type: "finished", stopReason: "end_turn", answer: "42" });
  expect(silent.items.map((item) => item.kind)).toEqual(["call", "text", "finished"]);
});

test("a finished run has nothing to stop, and neither has one the store calls interrupted", () => {
  const transcript = fold({ type: "prompt", text: "hi" });
  expect(isGoing(transcript.state)).toBe(true);
  expect(isGoing(append(transcript, last({ type: "finished", stopReason: "limit" })).state)).toBe(false);
  const run = { runId: "run", title: "", model: "offline", state: "interrupted", created: "", updated: "" } as const;
  expect(withRun(transcript, run).state).toBe("interrupted");
});

test("the usage of a run is the sum of its requests, and its cost is known only when each part is", () => {
  const usage = { type: "usage", inputTokens: 10, outputTokens: 2 } as const;
  expect(fold({ ...usage, cost: 0.5 }, { ...usage, cost: 0.25 }).usage).toEqual({
    inputTokens: 20,
    outputTokens: 4,
    cost: 0.75,
  });
  expect(fold({ ...usage, cost: 0.5 }, usage).usage).toEqual({ inputTokens: 20, outputTokens: 4 });
});

function last(event: Event): RunUpdate {
  return { runId: "run", seq: 2, event };
}

test("the list of what is to do stands where it was first written, and is the newest", () => {
  const written = (content: string): Event => ({ type: "todos", todos: [{ content, status: "pending" }] });
  const { items } = fold(
    { type: "prompt", text: "one" },
    written("a"),
    CALL,
    written("b"),
    { type: "prompt", text: "two" },
    written("c"),
  );
  expect(items.map((item) => (item.kind === "todos" ? item.todos.map((todo) => todo.content) : item.kind))).toEqual([
    "prompt",
    ["b"],
    "call",
    "prompt",
    ["c"],
  ]);
});

test("an episode whose editor went away is interrupted, and what waited is still open", () => {
  const { state, items } = fold({ type: "prompt", text: "go" }, CALL, {
    type: "finished",
    stopReason: "cancelled",
    interrupted: true,
  });
  expect(state).toBe("interrupted");
  expect(items.at(-1)).toMatchObject({ kind: "finished", interrupted: true });
  expect(items[1]).not.toHaveProperty("result");
});
