import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Connection } from "../connection.ts";
import type { JsonObject, JsonValue, RunUpdate } from "../protocol.ts";
import type { Services } from "../services.ts";

/** The name in the manifest: what other agents in the editor call. */
export const AGENT_TOOL = "adal_run_tool";

interface Input {
  readonly tool: string;
  readonly arguments?: JsonObject;
  readonly projectRoot?: string;
}

// Newer than the oldest editor that the extension runs in, whose types these are.
interface LanguageModels {
  registerTool?<T>(name: string, tool: AgentTool<T>): vscode.Disposable;
}
interface AgentTool<T> {
  invoke(options: { input: T }, token: vscode.CancellationToken): Promise<unknown>;
  prepareInvocation(options: { input: T }): { invocationMessage: string };
}
interface ResultClasses {
  LanguageModelToolResult?: new (parts: unknown[]) => unknown;
  LanguageModelTextPart?: new (text: string) => unknown;
}

/**
 * Lets other agents in the editor call the workspace's tools, through the same gate as our own runs: the person is
 * asked in the Run view, whatever that agent has asked already, and the call is in the history.
 */
export function registerAgentTool({ connection, runtime }: Services): vscode.Disposable {
  const { registerTool } = (vscode as { lm?: LanguageModels }).lm ?? {};
  const { LanguageModelToolResult, LanguageModelTextPart } = vscode as ResultClasses;
  if (!registerTool || !LanguageModelToolResult || !LanguageModelTextPart) {
    return { dispose() {} };
  }
  return registerTool<Input>(AGENT_TOOL, {
    prepareInvocation: ({ input }) => ({ invocationMessage: t`Running ${input.tool} of this workspace` }),
    async invoke({ input }, token) {
      if (!(await runtime.ensure())) {
        throw new Error(
          t("The tools of this workspace cannot run: it is not trusted, or the agent runtime is not set up."),
        );
      }
      return new LanguageModelToolResult([new LanguageModelTextPart(await call(connection, input, token))]);
    },
  });
}

/** One call in a run of its own; what a model would read of it. */
export async function call(connection: Connection, input: Input, token: vscode.CancellationToken): Promise<string> {
  const updates: RunUpdate[] = [];
  let runId: string | undefined;
  let settle: (text: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const look = () => {
    const events = updates.filter((update) => update.runId === runId).map(({ event }) => event);
    const finished = events.find((event) => event.type === "finished");
    if (finished) {
      const result = events.find((event) => event.type === "toolResult");
      const error = events.find((event) => event.type === "error");
      settle(result?.observation ?? error?.message ?? finished.answer ?? "The tool was not run.");
    }
  };
  const hearing = connection.onNotification("adal/run/update", (update) => {
    updates.push(update);
    look();
  });
  const cancelling = token.onCancellationRequested(() => {
    if (runId !== undefined) void connection.request("adal/run/cancel", { runId });
  });
  try {
    const prompt = callText(input.tool, input.arguments ?? {});
    const where = input.projectRoot === undefined ? {} : { projectRoot: input.projectRoot };
    ({ runId } = await connection.request("adal/run/start", { prompt, model: "offline", ...where }));
    look();
    return await ended;
  } finally {
    hearing.dispose();
    cancelling.dispose();
  }
}

/** A call as the model `offline` performs it: Python's syntax, literals for values. */
export function callText(tool: string, given: JsonObject): string {
  for (const name of [tool, ...Object.keys(given)]) {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) {
      throw new Error(`${JSON.stringify(name)} is no name of a tool or a parameter.`);
    }
  }
  return `${tool}(${Object.entries(given)
    .map(([name, value]) => `${name}=${literal(value)}`)
    .join(", ")})`;
}

function literal(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${literal(inner)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value); // a text in JSON is a text in Python, too
}
