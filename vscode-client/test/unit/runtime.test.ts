import { expect, test, vi } from "vitest";
import type { Interpreter } from "../../src/interpreter.ts";

vi.mock("vscode", () => ({}));
const { unfit } = await import("../../src/runtime.ts");

const python = (packages: Record<string, string>, version: Interpreter["version"] = [3, 12, 1]): Interpreter => ({
  path: "/p",
  version,
  packages,
});
const full = { "adal-ls": "0.1.0", pydantic: "2.12.0", litellm: "1.110.2" };

test("an interpreter with the full package in the extension's version runs agents", () => {
  expect(unfit(python(full), "0.1.0")).toBeUndefined();
});

test("an interpreter is refused by what it lacks", () => {
  expect(unfit(python({ pydantic: "2.12.0" }), "0.1.0")).toBe("/p lacks adal-ls, litellm.");
  expect(unfit(python({ ...full, "adal-ls": "0.0.9" }), "0.1.0")).toBe(
    "/p has adal-ls 0.0.9; this extension needs 0.1.0.",
  );
  expect(unfit(python(full, [3, 9, 18]), "0.1.0")).toBe("/p is Python 3.9.18.");
});
