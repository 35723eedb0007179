import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Event, Run } from "../../../src/protocol.ts";
import type { Link } from "../../../src/run/controller.ts";
import { ShownRun } from "../../../src/run/shownRun.ts";

const RUN: Run = { runId: "r", title: "t", model: "m", state: "running", created: "", updated: "" };
const HOW = { permissionMode: "default" } as const;

let asked: [string, unknown][];
let answers: Record<string, (params: { fromSeq?: number }) => unknown>;
let ours: Set<string>;
let told: string[];
let run: ShownRun;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  told = [];
  answers = { "adal/run/get": () => ({ run: RUN, events: [] }) };
  ours = new Set();
  const link = {
    request: async (method: string, params: object) => {
      asked.push([method, params]);
      const answer = answers[method];
      if (!answer) throw new Error(`no ${method} today`);
      return answer(params);
    },
  };
  run = new ShownRun("r", link as unknown as Link, ours, {
    changed: () => {},
    failed: (problem) => told.push(problem),
  });
});
afterEach(() => {
  run.close();
  vi.useRealTimers();
});

function hear(...events: Event[]): void {
  for (const event of events) run.heard({ runId: "r", seq: run.transcript.lastSeq + 1, event });
}

test("what is said while it goes on waits until the agent has heard it", async () => {
  ours.add("r");
  answers["adal/run/prompt"] = () => ({ runId: "r" });
  hear({ type: "prompt", text: "go" });
  await run.say("and b", HOW);
  await run.say("and c", HOW);
  expect(run.queued).toEqual(["and b", "and c"]);
  hear({ type: "prompt", text: "and b" });
  expect(run.queued).toEqual(["and c"]);
  hear({ type: "prompt", text: "and c" });
  expect(run.queued).toEqual([]);
  expect(asked).toEqual([
    ["adal/run/prompt", { runId: "r", prompt: "and b" }],
    ["adal/run/prompt", { runId: "r", prompt: "and c" }],
  ]);
});

test("what was said while an episode ended begins the next one; what a stop cut off is not waited for", async () => {
  ours.add("r");
  answers["adal/run/prompt"] = () => ({ runId: "r" });
  hear({ type: "prompt", text: "go" });
  await run.say("b", HOW);
  await run.say("c", HOW);
  hear({ type: "finished", stopReason: "end_turn" });
  expect(run.queued).toEqual(["b", "c"]);
  hear({ type: "prompt", text: "b\n\nc" });
  expect(run.queued).toEqual([]);
  await run.say("d", HOW);
  hear({ type: "finished", stopReason: "cancelled" });
  expect(run.queued).toEqual([]);
});

test("a prompt that is refused does not stay queued, and a run that cannot go on stands as before", async () => {
  ours.add("r");
  hear({ type: "prompt", text: "go" });
  await expect(run.say("b", HOW)).rejects.toThrow("no adal/run/prompt today");
  expect(run.queued).toEqual([]);
  hear({ type: "finished", stopReason: "end_turn" });
  await expect(run.say("b", HOW)).rejects.toThrow();
  expect(run.state).toBe("finished");
});

test("an interrupted run is resumed with what is said, or without", async () => {
  answers["adal/run/get"] = () => ({ run: { ...RUN, state: "interrupted" }, events: [] });
  answers["adal/run/resume"] = () => ({ runId: "r" });
  await run.catchUp();
  expect(run.state).toBe("interrupted");
  await run.say("go on", { permissionMode: "yolo", model: "m2" });
  expect(asked.at(-1)).toEqual([
    "adal/run/resume",
    { runId: "r", prompt: "go on", permissionMode: "yolo", model: "m2" },
  ]);
  expect(run.state).toBe("starting");
  expect(run.isElsewhere).toBe(false);
});

test("a run of another window is looked at again and again, and cannot be told or stopped anything", async () => {
  await run.catchUp();
  expect(run.isElsewhere).toBe(true);
  await expect(run.say("hi", HOW)).rejects.toThrow("goes on in another window");
  await run.stop();
  await run.setMode("yolo");
  expect(asked.map(([method]) => method)).toEqual(["adal/run/get"]);
  answers["adal/run/get"] = () => ({
    run: { ...RUN, state: "finished" },
    events: [{ runId: "r", seq: 1, event: { type: "finished", stopReason: "end_turn" } }],
  });
  await vi.advanceTimersByTimeAsync(2000);
  expect(run.state).toBe("finished");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
});

test("a long run is read page by page, also while it goes on", async () => {
  ours.add("r");
  answers["adal/run/get"] = ({ fromSeq = 1 }) => {
    if (fromSeq === 3) run.heard({ runId: "r", seq: 6, event: { type: "notice", text: "6" } });
    const events = [fromSeq, fromSeq + 1].map((seq) => ({
      runId: "r",
      seq,
      event: { type: "notice", text: `${seq}` },
    }));
    return fromSeq < 5 ? { run: RUN, events, more: true } : { run: RUN, events };
  };
  await run.catchUp();
  expect(asked.map(([, params]) => params)).toEqual([1, 3, 5].map((fromSeq) => ({ runId: "r", fromSeq })));
  expect(run.transcript.items).toHaveLength(6);
  expect(run.transcript.lastSeq).toBe(6);
});

test("when the agent host dies the run is interrupted, as the store has it, and can be taken up without a gap", async () => {
  ours.add("r");
  hear({ type: "prompt", text: "go" });
  answers["adal/run/get"] = () => ({ run: { ...RUN, state: "interrupted" }, events: [] });
  hear({ type: "error", code: "host_died", message: "It was killed." });
  run.heard({ runId: "r", seq: 3, event: { type: "finished", stopReason: "error" } });
  await vi.advanceTimersByTimeAsync(0);
  expect(run.state).toBe("interrupted");
  expect(run.transcript).toMatchObject({ lastSeq: 1, items: [{ kind: "prompt" }] });
  expect(told).toEqual(["The run was cut short: It was killed."]);
});

test("its own mode is known while it goes on", () => {
  hear({ type: "prompt", text: "go" }, { type: "mode", mode: "acceptEdits" });
  expect(run.transcript.mode).toBe("acceptEdits");
});
