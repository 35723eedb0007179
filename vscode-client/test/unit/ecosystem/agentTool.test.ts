import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { HOST_PYTHON } from "../../rig/paths.ts";

vi.mock("vscode", () => ({}));
const { call, callText } = await import("../../../src/ecosystem/agentTool.ts");

const ODD = {
  text: 'a "quoted" line\nand \\ \u{1f600} \u2028 \ud800',
  none: null,
  yes: true,
  list: [1, -0.5, 1e21, { "not a name": [false] }],
};

test("a call is written so that Python reads the same values", () => {
  const read = "import ast, json, sys; call = ast.parse(sys.argv[1], mode='eval').body; ";
  const show = "print(json.dumps({k.arg: ast.literal_eval(k.value) for k in call.keywords}))";
  const printed = execFileSync(HOST_PYTHON, ["-I", "-c", read + show, callText("note", ODD)], { encoding: "utf-8" });
  expect(JSON.parse(printed)).toEqual(ODD);
});

test("a name that could be anything else than a name is refused", () => {
  expect(() => callText("note(); other", {})).toThrow("no name");
  expect(() => callText("note", { "a=1, b": 2 })).toThrow("no name");
});

type Update = { runId: string; seq: number; event: Record<string, unknown> };

function server(events: Record<string, unknown>[], early = false) {
  let hear: (update: Update) => void = () => {};
  const asked: [string, unknown][] = [];
  const tell = () => {
    for (const [index, event] of events.entries()) hear({ runId: "r1", seq: index + 1, event });
  };
  const connection = {
    onNotification: (_method: string, handler: (update: Update) => void) => {
      hear = handler;
      return { dispose() {} };
    },
    request: async (method: string, params: unknown) => {
      asked.push([method, params]);
      hear({ runId: "another", seq: 1, event: { type: "finished", stopReason: "end_turn" } });
      if (early) tell();
      else setTimeout(tell, 5);
      return { runId: "r1" };
    },
  } as unknown as Parameters<typeof call>[0];
  return { asked, connection };
}

const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) } as never;

test("the result is what a model reads of the call, also when it came before the answer", async () => {
  const events = [
    { type: "toolResult", callId: "c", tool: "note", status: "success", observation: "kept", durationMs: 1 },
    { type: "finished", stopReason: "end_turn", answer: "This is not a model" },
  ];
  for (const early of [true, false]) {
    const { asked, connection } = server(events, early);
    expect(await call(connection, { tool: "note", arguments: { text: "x" } }, token)).toBe("kept");
    expect(asked).toEqual([["adal/run/start", { prompt: 'note(text="x")', model: "offline" }]]);
  }
});

test("a call that did not take place says why", async () => {
  const { connection } = server([
    { type: "error", code: "bad_request", message: "there is no tool note" },
    { type: "finished", stopReason: "error" },
  ]);
  expect(await call(connection, { tool: "note" }, token)).toBe("there is no tool note");
});
