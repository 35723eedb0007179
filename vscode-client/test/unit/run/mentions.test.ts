import { expect, test } from "vitest";
import { mentionsIn, mentionText, rankPaths, withAttachments } from "../../../src/run/mentions.ts";

test.each([
  ["look at @src/a.py", [{ path: "src/a.py" }]],
  [
    "@a.py:3 and @a.py:9-4.",
    [
      { path: "a.py", from: 3, to: 3 },
      { path: "a.py", from: 4, to: 9 },
    ],
  ],
  ['see @"my notes.md":2-3, please', [{ path: "my notes.md", from: 2, to: 3 }]],
  ["is it @README.md?", [{ path: "README.md" }]],
  ["@a.py @a.py", [{ path: "a.py" }]],
  ["write to me@example.org about a@b", []],
  ["", []],
])("the mentions of %j", (prompt, expected) => {
  expect(mentionsIn(prompt)).toEqual(expected);
});

test.each([
  { path: "src/a.py" },
  { path: "my notes.md", from: 3, to: 9 },
  { path: "a:b.py", from: 1, to: 1 },
  { path: "what?", from: 2, to: 2 },
])("a mention is read as it was written: %j", (mention) => {
  expect(mentionsIn(`see ${mentionText(mention)} now`)).toEqual([mention]);
});

test("what is attached stands behind the prompt with its place, in a fence that its text cannot end", () => {
  const text = withAttachments("Fix @a.md:1-2", [
    { mention: { path: "a.md", from: 1, to: 2 }, text: "```\nx", language: "markdown", lines: 9 },
    { mention: { path: "b.bin" }, problem: "not attached. It is binary." },
  ]);
  expect(text).toBe(
    "Fix @a.md:1-2\n\na.md, lines 1-2:\n````markdown\n```\nx\n````\n\nb.bin: not attached. It is binary.",
  );
});

test("of a long file whole lines come along, and how many", () => {
  const lines = "0123456789\n".repeat(5000);
  const text = withAttachments("x", [{ mention: { path: "a.py" }, text: lines, language: "python", lines: 5000 }]);
  expect(text).toContain("a.py (the first 1818 of 5000 lines):\n");
  expect(text.length).toBeLessThan(20_100);
  expect(text.endsWith("0123456789\n```")).toBe(true);
});

test("files are offered best first: by the beginning of the name, of the path, then by what is inside", () => {
  const paths = ["docs/tools.md", "src/my_tools.py", "tools/run.py", "tests/test_other.py", ".adal/tools.py"];
  expect(rankPaths(paths, "tools", 9)).toEqual(["docs/tools.md", ".adal/tools.py", "tools/run.py", "src/my_tools.py"]);
  expect(rankPaths(paths, "tso", 9)).toEqual(["tests/test_other.py"]);
  expect(rankPaths(paths, "", 2)).toHaveLength(2);
  expect(rankPaths(paths, "zzz", 9)).toEqual([]);
});
