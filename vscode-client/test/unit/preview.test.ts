import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({ EventEmitter: class {}, workspace: {} }));
const { previewText } = await import("../../src/tools/preview.ts");

test("the preview is what goes to a model, and says what a person should know beside it", () => {
  const text = previewText({
    name: "greet",
    description: "Greet.",
    parameters: { type: "object" },
    pending: true,
    problems: ["ADAL401"],
  });
  const comments = text.split("\n").filter((line) => line.startsWith("//"));
  expect(comments.join("\n")).toMatch(/Asks for your approval.*Not loaded.*ADAL401/s);
  expect(JSON.parse(text.replaceAll(/^\/\/.*$/gm, ""))).toEqual({
    type: "function",
    function: { name: "greet", description: "Greet.", parameters: { type: "object" } },
  });
});
