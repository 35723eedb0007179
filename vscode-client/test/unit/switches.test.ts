import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({ workspace: {}, ConfigurationTarget: {} }));
const { switched } = await import("../../src/tools/switches.ts");

const ALL = new Map([
  ["Read", ["read_file", "list_files"]],
  ["Bash", ["bash"]],
  ["Edit", ["write_file", "edit_file"]],
]);
const none = { enabled: [], disabled: [] };

test("a tool that is switched off joins the list, and leaves it when it is switched on", () => {
  const off = switched(none, ALL, ["write_file"], false);
  expect(off).toEqual({ enabled: [], disabled: ["write_file"] });
  expect(switched(off, ALL, ["write_file"], true)).toEqual(none);
});

test("a group that is off as a whole is written as one word, and taken apart again for one tool", () => {
  const off = switched(none, ALL, ["write_file", "edit_file"], false);
  expect(off.disabled).toEqual(["Edit"]);
  expect(switched(off, ALL, ["edit_file"], true).disabled).toEqual(["write_file"]);
});

test("where only some tools are on, the switch changes that list", () => {
  const lists = { enabled: ["read"], disabled: [] };
  expect(switched(lists, ALL, ["bash"], true)).toEqual({ enabled: ["Read", "Bash"], disabled: [] });
  expect(switched(lists, ALL, ["list_files"], false)).toEqual({ enabled: ["read_file"], disabled: [] });
});

test("a name that no tool has stays in the list: it may be one of another version", () => {
  expect(switched({ enabled: [], disabled: ["Video"] }, ALL, ["bash"], false).disabled).toEqual(["Bash", "Video"]);
});
