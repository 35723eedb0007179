import { beforeEach, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest, Event, Run, RunUpdate } from "../../../src/protocol.ts";
import { type Link, RunController } from "../../../src/run/controller.ts";

type Answer = (params: never) => unknown;

/** The server's side of the messages, answered by the test. */
class Server {
  readonly requests: [string, unknown][] = [];
  readonly notified: [string, unknown][] = [];
  readonly answers = new Map<string, Answer>();
  readonly #heard = new Map<string, (params: never) => void>();
  #ask: ((request: ApprovalRequest, token: never) => Promise<ApprovalAnswer>) | undefined;

  readonly link: Link = {
    request: async (method, params) => {
      this.requests.push([method, params]);
      const answer = this.answers.get(method);
      if (!answer) {
        throw new Error(`no ${method} today`);
      }
      return answer(params as never) as never;
    },
    notify: async (method, params) => {
      this.notified.push([method, params]);
    },
    onNotification: (method, handler) => {
      this.#heard.set(method, handler as never);
      return { dispose: () => this.#heard.delete(method) };
    },
    onRequest: (_, handler) => {
      this.#ask = handler as never;
      return { dispose: () => {} };
    },
  };

  update(seq: number, event: Event, runId = "r1"): void {
    this.notify("adal/run/update", { runId, seq, event });
  }

  notify(method: string, params: unknown): void {
    this.#heard.get(method)?.(params as never);
  }

  ask(request: ApprovalRequest): Promise<ApprovalAnswer> {
    const token = { isCancellationRequested: false, onCancellationRequested: () => {} };
    return this.#ask?.(request, token as never) ?? Promise.reject(new Error("nobody answers"));
  }
}

const REQUEST: ApprovalRequest = {
  approvalId: "a1",
  runId: "r1",
  callId: "c1",
  tool: "add",
  arguments: { a: 1 },
  argsDigest: "d1",
  options: [
    { optionId: "yes", kind: "allow_once", label: "Allow once" },
    { optionId: "no", kind: "reject_once", label: "Deny" },
  ],
};
const RUN: Run = { runId: "r1", title: "hi", model: "offline", state: "running", created: "", updated: "" };
const PROMPT: Event = { type: "prompt", text: "hi" };

let server: Server;
let controller: RunController;
let log: string[];

beforeEach(() => {
  server = new Server();
  log = [];
  controller = new RunController(server.link, { model: undefined, mode: "default" }, (line) => log.push(line));
  controller.readiness = { kind: "ready" };
  server.answers.set("adal/run/start", () => ({ runId: "r1" }));
});

test("a run starts with the chosen model and mode, and its events become the transcript", async () => {
  controller.settings = { model: "openai/gpt-4o", mode: "acceptEdits" };
  await controller.start("hi");
  expect(server.requests).toEqual([
    ["adal/run/start", { prompt: "hi", permissionMode: "acceptEdits", model: "openai/gpt-4o" }],
  ]);
  server.update(1, PROMPT);
  server.update(2, { type: "text", delta: "Hello" });
  expect(controller.state.items.map((item) => item.kind)).toEqual(["prompt", "text"]);
});

test("events that overtake the answer to the start are not lost", async () => {
  server.answers.set("adal/run/start", () => {
    server.update(1, PROMPT);
    server.update(1, PROMPT, "another run");
    return { runId: "r1" };
  });
  await controller.start("hi");
  expect(controller.state.items).toEqual([{ kind: "prompt", text: "hi", seq: 1 }]);
  expect(server.requests).toHaveLength(1);
});

test("a run that cannot start says why, and the next one can", async () => {
  server.answers.delete("adal/run/start");
  await controller.start("hi");
  expect(controller.state.problem).toBe("The run did not start. no adal/run/start today");
  expect(controller.state.run).toBeUndefined();
  server.answers.set("adal/run/start", () => ({ runId: "r1" }));
  await controller.start("hi");
  expect(controller.state).not.toHaveProperty("problem");
});

test("a gap in the events is filled from the store", async () => {
  const events: RunUpdate[] = [
    PROMPT,
    { type: "text", delta: "a" } as Event,
    { type: "text", delta: "b" } as Event,
  ].map((event, index) => ({ runId: "r1", seq: index + 1, event }));
  await controller.start("hi");
  server.update(1, PROMPT);
  server.answers.set("adal/run/get", ({ fromSeq }: { fromSeq: number }) => ({
    run: RUN,
    events: events.filter((update) => update.seq >= fromSeq),
  }));
  server.update(3, { type: "text", delta: "b" });
  await expect.poll(() => controller.state.items.at(-1)).toEqual({ kind: "text", text: "ab" });
  expect(server.requests.at(-1)).toEqual(["adal/run/get", { runId: "r1", fromSeq: 2 }]);
});

test("stop asks the server and shows that it is under way; the run ends with its last event", async () => {
  server.answers.set("adal/run/cancel", () => ({}));
  await controller.start("hi");
  const stopped = controller.stop();
  expect(controller.state.run?.state).toBe("cancelling");
  await stopped;
  expect(server.requests.at(-1)).toEqual(["adal/run/cancel", { runId: "r1" }]);
  server.update(1, { type: "finished", stopReason: "cancelled" });
  expect(controller.state.run?.state).toBe("finished");
});

test("a second run does not start over one that goes on", async () => {
  await controller.start("hi");
  await controller.start("again");
  expect(controller.state.problem).toContain("A run is going on");
  expect(server.requests).toHaveLength(1);
});

test("an approval waits in the state until the person answers, and the answer goes back to the server", async () => {
  const answer = server.ask(REQUEST);
  expect(controller.state.approvals).toEqual([{ request: REQUEST, arguments: { a: 1 } }]);
  controller.answer({ approvalId: "a1", argsDigest: "d1", optionId: "no", feedback: "use b" });
  expect(await answer).toEqual({
    approvalId: "a1",
    argsDigest: "d1",
    outcome: "selected",
    optionId: "no",
    feedback: "use b",
  });
  expect(controller.state.approvals).toEqual([]);
});

test("arguments that came apart are fetched at once, and a failure can be tried again", async () => {
  const { arguments: _, ...large } = REQUEST;
  void server.ask(large);
  await expect.poll(() => controller.state.approvals[0]?.problem).toBe("no adal/approval/arguments today");
  server.answers.set("adal/approval/arguments", () => ({ arguments: { text: "long" } }));
  await controller.loadArguments("a1");
  expect(controller.state.approvals[0]).toEqual({ request: large, arguments: { text: "long" } });
});

test("an approval that was resolved elsewhere goes away without an answer", async () => {
  const answer = server.ask(REQUEST);
  server.notify("adal/approval/resolved", { approvalId: "a1", reason: "withdrawn" });
  expect(await answer).toMatchObject({ outcome: "cancelled" });
});

test("what the server no longer asks when it is back is not shown any more", async () => {
  const kept = server.ask(REQUEST);
  const dropped = server.ask({ ...REQUEST, approvalId: "a2" });
  server.answers.set("adal/approval/pending", () => ({ approvals: [REQUEST] }));
  await controller.connected();
  expect(await dropped).toMatchObject({ outcome: "cancelled" });
  expect(controller.state.approvals.map(({ request }) => request.approvalId)).toEqual(["a1"]);
  controller.answer({ approvalId: "a1", argsDigest: "d1", optionId: "yes" });
  expect(await kept).toMatchObject({ outcome: "selected" });
});

test("an answer that cannot be given says why and leaves the approval where it is", () => {
  void server.ask(REQUEST);
  controller.answer({ approvalId: "a1", argsDigest: "other", optionId: "yes" });
  expect(controller.state.problem).toContain("no longer the one that was shown");
  expect(controller.state.approvals).toHaveLength(1);
});

test("the project that was chosen goes with the run, and is shown", async () => {
  controller.settings = { model: undefined, mode: "default", projectRoot: "/w/billing" };
  await controller.start("hi");
  expect(server.requests[0]?.[1]).toMatchObject({ projectRoot: "/w/billing" });
  expect(controller.state.projectRoot).toBe("/w/billing");
});

test("when the server goes, nothing waits for an answer and the run is shown as interrupted", async () => {
  await controller.start("hi");
  const answer = server.ask(REQUEST);
  controller.disconnected();
  expect(await answer).toMatchObject({ outcome: "cancelled" });
  expect(controller.state.run?.state).toBe("interrupted");
  server.answers.set("adal/run/get", () => ({
    run: { ...RUN, state: "interrupted" },
    events: [{ runId: "r1", seq: 1, event: PROMPT }],
  }));
  await controller.connected();
  expect(controller.state).toMatchObject({ run: { state: "interrupted" }, items: [{ kind: "prompt" }] });
});

test("after a window reload the newest run is shown again", async () => {
  server.answers.set("adal/run/list", () => ({ runs: [{ ...RUN, runId: "new" }, RUN] }));
  server.answers.set("adal/run/get", ({ runId }: { runId: string }) => ({
    run: { ...RUN, runId, state: "finished" },
    events: [{ runId, seq: 1, event: PROMPT }],
  }));
  await controller.restore();
  expect(controller.state).toMatchObject({ run: { runId: "new", state: "finished" }, items: [{ text: "hi" }] });
  controller.clear();
  await controller.restore();
  expect(controller.state.run).toBeUndefined();
});

test("a history that cannot be read at start is logged and bothers nobody", async () => {
  await controller.restore();
  expect(log).toEqual(["The last run is not shown. no adal/run/list today"]);
  expect(controller.state).not.toHaveProperty("problem");
});

test("a prompt sent while the server starts waits, is shown waiting, and goes on when it has started", async () => {
  controller.readiness = { kind: "starting" };
  const started = controller.untilStarted();
  expect(controller.state.queued).toBe(true);
  controller.readiness = { kind: "ready" };
  expect(await started).toBe(true);
  expect(controller.state.queued).toBeUndefined();
  expect(await controller.untilStarted()).toBe(true);
});

test.each([
  [
    "the server cannot be used",
    () =>
      Promise.resolve().then(() => {
        controller.readiness = { kind: "blocked", title: "No Python", message: "None found." };
      }),
  ],
  ["the person stops it", () => controller.stop()],
  ["the window closes", async () => controller.dispose()],
] as const)("a prompt that waits for the server does not run when %s", async (_, end) => {
  controller.readiness = { kind: "starting" };
  const started = controller.untilStarted();
  await end();
  expect(await started).toBe(false);
  expect(controller.state.queued).toBeUndefined();
  expect(server.requests).toEqual([]);
});

test("a prompt goes to the run that is shown, with the model that was picked for it; the count says that it was taken", async () => {
  await controller.send("hi");
  server.update(1, PROMPT);
  server.update(2, { type: "finished", stopReason: "end_turn" });
  expect(controller.state.sent).toBe(1);
  server.answers.set("adal/run/prompt", () => ({ runId: "r1" }));
  controller.pickModel("openai/gpt-4o");
  await controller.send("more");
  expect(server.requests.at(-1)).toEqual([
    "adal/run/prompt",
    { runId: "r1", permissionMode: "default", prompt: "more", model: "openai/gpt-4o" },
  ]);
  expect(controller.state).toMatchObject({ sent: 2, model: "openai/gpt-4o" });
});

test("a prompt that is refused is not counted, and the view says why", async () => {
  await controller.send("hi");
  server.update(1, PROMPT);
  await controller.send("more");
  expect(controller.state).toMatchObject({
    sent: 1,
    unheard: [],
    problem: "The prompt was not sent. no adal/run/prompt today",
  });
});

test("an earlier prompt is sent in other words to a fork without it", async () => {
  await controller.start("hi");
  server.update(1, PROMPT);
  server.update(2, { type: "finished", stopReason: "end_turn" });
  server.answers.set("adal/run/fork", () => ({ runId: "r2" }));
  server.answers.set("adal/run/get", () => ({ run: { ...RUN, runId: "r2", state: "finished" }, events: [] }));
  server.answers.set("adal/run/prompt", () => ({ runId: "r2" }));
  await controller.resend(1, "hello");
  expect(server.requests.slice(1)).toEqual([
    ["adal/run/fork", { runId: "r1", beforeSeq: 1 }],
    ["adal/run/get", { runId: "r2", fromSeq: 1 }],
    ["adal/run/prompt", { runId: "r2", permissionMode: "default", prompt: "hello" }],
  ]);
  expect(controller.state.run?.runId).toBe("r2");
});

test("where no fork can be made nothing is sent", async () => {
  await controller.start("hi");
  server.update(1, { type: "finished", stopReason: "end_turn" });
  await controller.resend(1, "hello");
  expect(controller.state).toMatchObject({
    run: { runId: "r1" },
    problem: "The run could not be forked. no adal/run/fork today",
  });
});

test("the mode is switched in the run that goes on, which has one of its own; it counts for the next run too", async () => {
  server.answers.set("adal/run/setMode", () => ({}));
  await controller.start("hi");
  server.update(1, PROMPT);
  await controller.pickMode("acceptEdits");
  expect(server.requests.at(-1)).toEqual(["adal/run/setMode", { runId: "r1", mode: "acceptEdits" }]);
  expect(controller.state.mode).toBe("default"); // until the run says so
  server.update(2, { type: "mode", mode: "acceptEdits" });
  expect(controller.state.mode).toBe("acceptEdits");
  server.update(3, { type: "finished", stopReason: "end_turn" });
  await controller.pickMode("yolo");
  expect(server.requests).toHaveLength(2);
  expect(controller.state.mode).toBe("yolo");
});

test("a run that was deleted is not shown any more", async () => {
  await controller.start("hi");
  controller.forget("another");
  expect(controller.state.run?.runId).toBe("r1");
  controller.forget("r1");
  expect(controller.state.run).toBeUndefined();
});

test("an open view has the chosen model made ready, once", async () => {
  controller.settings = { model: "openai/gpt-4o", mode: "default" };
  server.answers.set("adal/run/list", () => ({ runs: [] }));
  controller.readiness = { kind: "starting" } as never;
  await controller.restore();
  expect(server.notified).toEqual([]);
  controller.readiness = { kind: "ready" };
  await controller.restore();
  await controller.restore();
  expect(server.notified).toEqual([["adal/run/warm", { model: "openai/gpt-4o" }]]);
});

test("an agent is picked for a new run; what is shown of another gives way, and its context goes along", async () => {
  await controller.start("hi");
  server.update(1, { type: "finished", stopReason: "end_turn" });
  controller.pickAgent("reporter", "/w");
  expect(controller.state.run).toBeUndefined();
  await controller.send("report", { root: "src" });
  expect(server.requests.at(-1)).toEqual([
    "adal/run/start",
    { prompt: "report", permissionMode: "default", projectRoot: "/w", agent: "reporter", toolContext: { root: "src" } },
  ]);
  server.update(1, { type: "finished", stopReason: "end_turn" });
  server.answers.set("adal/run/prompt", () => ({ runId: "r1" }));
  await controller.send("more", { root: "docs" });
  expect(server.requests.at(-1)?.[1]).toMatchObject({ runId: "r1", toolContext: { root: "docs" } });
});
