import { expect, test } from "vitest";
import type { ToolsTryResult } from "../../../src/protocol.ts";
import { TrySession } from "../../../src/try/session.ts";

const TOOL = { name: "count", description: "Count.", parameters: { properties: { to: { type: "integer" } } } };
const DONE: ToolsTryResult = { status: "success", observation: "3", durationMs: 1 };

/** A server whose answer to a try is given by the test. */
function server() {
  const asked: {
    params: { tryId?: string; arguments?: unknown };
    answer: (result: ToolsTryResult) => void;
    fail: (error: Error) => void;
  }[] = [];
  const request = (_method: string, params: unknown) =>
    new Promise((answer, fail) => asked.push({ params: params as { tryId?: string }, answer, fail }));
  return { asked, connection: { request } as unknown as ConstructorParameters<typeof TrySession>[1] };
}

const token = (isCancellationRequested = false) =>
  ({ isCancellationRequested, onCancellationRequested: () => ({ dispose() {} }) }) as Parameters<TrySession["run"]>[1];

function session(connection: ConstructorParameters<typeof TrySession>[1]): TrySession {
  const made = new TrySession({ projectRoot: "/w/demo", tool: "count" }, connection, { to: 1 }, ["/w"], () => {});
  made.describe(TOOL);
  return made;
}

test("the form is that of the tool, and begins with what was used before", () => {
  const { state } = session(server().connection);
  expect(state).toMatchObject({
    tool: "count",
    project: "demo",
    description: "Count.",
    used: { to: 1 },
    running: false,
  });
  expect(state.fields.map(({ name }) => name)).toEqual(["to"]);
});

test("what is printed shows while the tool runs, and its result after", async () => {
  const { asked, connection } = server();
  const tried = session(connection);
  const ended = tried.run({ to: 3 }, token());
  expect(asked[0]?.params).toMatchObject({ projectRoot: "/w/demo", tool: "count", arguments: { to: 3 } });
  tried.heard(asked[0]?.params.tryId ?? "", "one\n");
  tried.heard("of another try", "two\n");
  expect(tried.state).toMatchObject({ running: true, printed: "one\n" });
  asked[0]?.answer(DONE);
  await ended;
  expect(tried.state).toMatchObject({ running: false, result: DONE });
});

test("a refusal is said in its own words, a stopped try is not called a fault", async () => {
  const { asked, connection } = server();
  const tried = session(connection);
  const refused = tried.run({}, token());
  asked[0]?.fail(new Error("there is no tool 'count'"));
  await refused;
  expect(tried.state).toMatchObject({ running: false, problem: "there is no tool 'count'" });
  const stopped = tried.run({}, token(true));
  asked[1]?.fail(new Error("cancelled"));
  await stopped;
  expect(tried.state.problem).toBe("Stopped.");
});

test("a tool that went away is said, and one that comes back is there again", () => {
  const tried = session(server().connection);
  tried.describe(undefined);
  expect(tried.state.problem).toBe("demo has no tool count any more.");
  tried.describe(TOOL);
  expect(tried.state.problem).toBeUndefined();
});
