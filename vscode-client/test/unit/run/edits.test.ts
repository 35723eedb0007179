import { expect, test } from "vitest";
import { textAfter } from "../../../src/run/edits.ts";

const edit = (before: string, old_text: string, new_text: string) =>
  textAfter("edit_file", { path: "a", old_text, new_text }, before);

test("the one place of the old text is replaced", () => {
  expect(edit("a\nb\nc\n", "b\n", "x\ny\n")).toBe("a\nx\ny\nc\n");
  expect(edit("cost: b", "b", "$& $1")).toBe("cost: $& $1");
});

test("line ends stay those of the file", () => {
  expect(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny")).toBe("x\r\ny\r\nc\r\n");
  expect(edit("a\nb\n", "a\r\nb", "x\r\ny")).toBe("x\ny\n");
});

test("a text that is not there, or more than once, is no edit", () => {
  expect(() => edit("a", "b", "c")).toThrow("not in the file");
  expect(() => edit("aa", "a", "c")).toThrow("twice");
  expect(() => edit("a", "", "c")).toThrow("not in the file");
});

test("a whole file is what was written", () => {
  expect(textAfter("write_file", { path: "a", content: "new\n" }, "old")).toBe("new\n");
  expect(() => textAfter("write_file", { path: "a" }, "old")).toThrow("content");
});
