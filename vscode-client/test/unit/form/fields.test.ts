import { expect, test } from "vitest";
import { argumentsOf, fieldsOf, initialValues, parseArguments } from "../../../src/form/fields.ts";

const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string", description: "Short." },
    count: { type: "integer", default: 3 },
    ratio: { type: "number" },
    strict: { type: "boolean" },
    kind: { enum: ["all", "fixed"], type: "string" },
    level: { enum: [1, 2], type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    place: { $ref: "#/$defs/Place" },
  },
  required: ["title", "kind"],
  $defs: { Place: { type: "object", properties: { x: { type: "integer" } } } },
};
const fields = fieldsOf(SCHEMA);

test("each property is a field of its kind, in the order of the schema", () => {
  expect(fields.map(({ name, kind, required, type }) => [name, kind, required, type])).toEqual([
    ["title", "string", true, "string"],
    ["count", "number", false, "integer"],
    ["ratio", "number", false, "number"],
    ["strict", "boolean", false, "boolean"],
    ["kind", "string", true, '"all" | "fixed"'],
    ["level", "json", false, "1 | 2"],
    ["tags", "json", false, "string[]"],
    ["note", "string", false, "string | null"],
    ["limit", "json", false, "integer | null"],
    ["place", "json", false, "object"],
  ]);
  expect(fields[0]?.description).toBe("Short.");
});

test("a schema without properties has no fields and makes no arguments", () => {
  expect(fieldsOf({})).toEqual([]);
  expect(argumentsOf([], {})).toEqual({ arguments: {} });
});

test("defaults are shown, and values used before win over them", () => {
  expect(initialValues(fields)).toEqual({ count: "3" });
  expect(initialValues(fields, { count: 7, title: "x", kind: "all", tags: ["a"], strict: false })).toEqual({
    count: "7",
    title: "x",
    kind: '"all"',
    tags: '["a"]',
    strict: "false",
  });
});

test("the inputs become arguments of the right types, and what is not set is left out", () => {
  const values = { title: "T", count: "4", ratio: "0.5", strict: "false", kind: '"fixed"', level: "2", tags: '["a"]' };
  expect(argumentsOf(fields, { ...values, limit: "null", place: "" })).toEqual({
    arguments: { title: "T", count: 4, ratio: 0.5, strict: false, kind: "fixed", level: 2, tags: ["a"], limit: null },
  });
});

test("an emptied optional text is an empty text, an emptied number is not set", () => {
  expect(argumentsOf(fields, { title: "T", kind: '"all"', note: "", count: "" })).toEqual({
    arguments: { title: "T", kind: "all", note: "" },
  });
});

test("what is missing or does not fit is said at its field", () => {
  const result = argumentsOf(fields, { title: " ", count: "1.5", ratio: "many", strict: "1", tags: "a", level: "9" });
  expect(result).toEqual({
    problems: {
      title: "title is required",
      kind: "kind is required",
      count: "count must be a whole number",
      ratio: "ratio must be a number",
      strict: "strict must be true or false",
      tags: "tags must be JSON (string[]); a text stands in double quotes",
      level: "level must be one of 1, 2",
    },
  });
});

test("a name like that of an object's own method is a field like any other", () => {
  const odd = fieldsOf({ properties: { constructor: { type: "string" }, toString: { type: "string" } } });
  expect(initialValues(odd)).toEqual({});
  expect(argumentsOf(odd, {})).toEqual({ arguments: {} });
});

test("arguments can be written as JSON", () => {
  expect(parseArguments(' {"a": [1]} ')).toEqual({ arguments: { a: [1] } });
  expect(parseArguments("  ")).toEqual({ arguments: {} });
  expect(parseArguments("[1]")).toMatchObject({ problem: expect.stringContaining("JSON object") });
  expect(parseArguments("{a}")).toMatchObject({ problem: expect.stringContaining("JSON") });
});
