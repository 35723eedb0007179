import { expect, test } from "vitest";
import { argumentRows, beginning } from "../../../webview/argumentRows.ts";

test("short arguments are shown in full, in the order of the call", () => {
  const { rows, hidden } = argumentRows({ path: "a.py", count: 3, strict: true, extra: { a: [1] }, none: null }, false);
  expect(rows.map(({ name, type, text, block }) => [name, type, block, text])).toEqual([
    ["path", "string", false, "a.py"],
    ["count", "number", false, "3"],
    ["strict", "literal", false, "true"],
    ["extra", "json", true, '{\n  "a": [\n    1\n  ]\n}'],
    ["none", "literal", false, "null"],
  ]);
  expect(hidden).toBe(0);
});

test("a long argument begins cut, says how much is missing, and is there in full when asked for", () => {
  const text = "x".repeat(100_000);
  const cut = argumentRows({ text }, false);
  expect((cut.rows[0]?.text.length ?? 0) + cut.hidden).toBe(100_000);
  expect(cut.hidden).toBeGreaterThan(90_000);
  expect(argumentRows({ text }, true)).toMatchObject({ rows: [{ text }], hidden: 0 });
});

test("five hundred lines do not fill the card, and what stands behind them counts as hidden", () => {
  const { rows, hidden } = argumentRows({ text: "\n".repeat(500), command: "rm -rf /" }, false);
  expect(rows).toHaveLength(1);
  expect(hidden).toBeGreaterThan("rm -rf /".length);
});

test("a rest that is not worth a press is shown at once", () => {
  expect(argumentRows({ text: "x".repeat(1300) }, false).hidden).toBe(0);
  expect(beginning("x".repeat(1000), 800, 10)).toHaveLength(1000);
  expect(beginning("x".repeat(2000), 800, 10)).toHaveLength(800);
});

test("a name that is no plain name is quoted, so that it cannot look like another argument", () => {
  const { rows } = argumentRows({ "a\nb: 1": 2 }, false);
  expect(rows[0]?.name).toBe('"a\\nb: 1"');
});

test("a cut never splits a character in two", () => {
  expect(beginning("🙂".repeat(1000), 801, 10)).toBe("🙂".repeat(400));
});
