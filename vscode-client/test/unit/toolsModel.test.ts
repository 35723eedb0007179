import { expect, test, vi } from "vitest";
import type { Connection } from "../../src/connection.ts";
import type { Project } from "../../src/protocol.ts";

vi.mock("vscode", () => ({
  EventEmitter: class {
    private readonly listeners: (() => void)[] = [];
    readonly event = (listener: () => void) => this.listeners.push(listener);
    fire(): void {
      for (const listener of this.listeners) listener();
    }
  },
  languages: {},
  workspace: { onDidChangeTextDocument: () => ({ dispose: () => {} }) },
}));
vi.mock("../../src/client.ts", () => ({ TOOLS_FILES: [] })); // the language client needs a real editor
const { ToolsModel } = await import("../../src/tools/model.ts");

function project(description: string): Project {
  const tool = { name: "greet", kind: "custom", description, requireApproval: true };
  return { root: "/p", file: "/p/.adal/tools.py", generation: 1, tools: [tool] } as unknown as Project;
}

test("rows are drawn anew only when the tools are others", async () => {
  let listed: readonly Project[] = [project("Greet.")];
  const connection = {
    onNotification: () => ({ dispose: () => {} }),
    onDidChangeState: () => ({ dispose: () => {} }),
    request: async () => ({ projects: structuredClone(listed) }),
  } as unknown as Connection;
  const model = new ToolsModel(connection, {} as never);
  let drawn = 0;
  model.onDidChange(() => {
    drawn += 1;
  });
  await model.refresh();
  await model.refresh();
  expect(drawn).toBe(1);
  listed = [project("Greet somebody.")];
  await model.refresh();
  expect(drawn).toBe(2);
  expect(model.projects).toEqual(listed);
});
