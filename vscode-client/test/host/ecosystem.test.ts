import * as assert from "node:assert/strict";
import * as vscode from "vscode";
import { AGENT_TOOL } from "../../src/ecosystem/agentTool.ts";
import type { Services } from "../../src/services.ts";

interface LanguageModels {
  readonly tools: readonly { readonly name: string }[];
  invokeTool(name: string, options: object, token?: unknown): Promise<{ content: { value?: string }[] }>;
}
const lm = (vscode as unknown as { lm: LanguageModels }).lm;

async function untilLoaded(): Promise<Services> {
  const services = await vscode.extensions.getExtension<Services>("adal-ls.adal-ls")?.activate();
  assert.ok(services);
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (services.connection.state.kind === "running") {
      const { projects } = await services.connection.request("adal/tools/list", {});
      if (projects.some((project) => project.state === "loaded")) return services;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the tools were not loaded within a minute");
}

describe("beside other extensions", function () {
  this.timeout(90_000);

  it("lets other agents call a tool, and the call is in the history", async () => {
    const { connection } = await untilLoaded();
    assert.ok(lm.tools.some(({ name }) => name === AGENT_TOOL));
    const options = { input: { tool: "f", arguments: { x: 'a "b"' } }, toolInvocationToken: undefined };
    const { content } = await lm.invokeTool(AGENT_TOOL, options);
    assert.deepEqual(
      content.map(({ value }) => value),
      ['a "b"'],
    );
    const { runs } = await connection.request("adal/run/list", {});
    assert.equal(runs[0]?.title, 'f(x="a \\"b\\"")');
  });

  it("offers the check as a task whose lines become problems", async () => {
    await untilLoaded();
    const [task] = await vscode.tasks.fetchTasks({ type: "adal" });
    assert.ok(task);
    assert.deepEqual(task.problemMatchers, ["$adal-check"]);
    const ended = new Promise<number | undefined>((resolve) => {
      const listening = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
        if (execution.task.name === task.name) {
          listening.dispose();
          resolve(exitCode);
        }
      });
    });
    await vscode.tasks.executeTask(task);
    assert.equal(await ended, 1); // the name with a dash
  });
});
