import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({}));
const { refusal, template } = await import("../../src/tools/newTool.ts");

test("a name that the runtime would refuse is refused while it is typed", () => {
  const taken = new Set(["bash", "mine"]);
  expect(refusal("count_words", taken)).toBeUndefined();
  expect(refusal("größe", taken)).toBeUndefined();
  for (const bad of ["my-tool", "1st", "class", "bash", "mine", ""]) expect(refusal(bad, taken)).toBeTruthy();
});

test("the template has a docstring that names its one parameter", () => {
  const places = template("greet")
    .replaceAll(/\$\{\d:([^}]*)\}/g, "<$1>")
    .split("\n");
  expect(places[0]).toBe("def greet(<text>: <str>) -> str:");
  expect(places).toContain("        <text>: <What the model should give.>");
});
