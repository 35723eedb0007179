import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({ tasks: {}, workspace: {} }));
const { optionsOf } = await import("../../../src/ecosystem/checkTask.ts");
const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf-8"));

test("what a task of tasks.json gives becomes arguments, and nothing in it can be another option", () => {
  expect(optionsOf({ type: "adal" })).toEqual([]);
  expect(optionsOf({ type: "adal", select: "ADAL1", ignore: "ADAL107", paths: ["a", "--fix"] })).toEqual([
    ...["--select", "ADAL1", "--ignore", "ADAL107", "--", "a", "--fix"],
  ]);
});

test("the problem matcher reads the lines of adal-ls check", () => {
  const [matcher] = manifest.contributes.problemMatchers;
  const pattern = new RegExp(matcher.pattern.regexp);
  const found = pattern.exec(".adal/tools.py:6:41: error ADAL101 invalid-identifier: 'a-b' is no name: use a_b");
  const group = (name: string) => found?.[matcher.pattern[name]];
  expect([group("file"), group("line"), group("column"), group("severity"), group("code"), group("message")]).toEqual([
    ...[".adal/tools.py", "6", "41", "error", "ADAL101", "invalid-identifier: 'a-b' is no name: use a_b"],
  ]);
  expect(pattern.test("2 errors, 0 warnings in 1 file")).toBe(false);
  expect(pattern.exec("C:\\w\\.adal\\tools.py:6:41: hint ADAL212 unlisted-tool: x")?.[matcher.pattern.file]).toBe(
    "C:\\w\\.adal\\tools.py",
  );
});
