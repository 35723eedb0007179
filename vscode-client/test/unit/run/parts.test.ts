import { expect, test } from "vitest";
import { isCut, wholeText } from "../../../src/run/parts.ts";

test("a text in parts is put together; what counts are characters, not halves of them", async () => {
  const whole = "a😀b😀c";
  const asked: number[] = [];
  const part = async (offset: number) => {
    asked.push(offset);
    return { text: [...whole].slice(offset, offset + 2).join(""), total: 5 };
  };
  expect(await wholeText(part)).toBe(whole);
  expect(asked).toEqual([0, 2, 4]);
});

test("a text that ends early ends", async () => {
  expect(await wholeText(async () => ({ text: "", total: 9 }))).toBe("");
});

test("a cut result is known by the notice in it", () => {
  expect(isCut("head\n\n[900 of 1900 characters left out here; the limit is 1000]\n\ntail")).toBe(true);
  expect(isCut("900 of 1900 characters left out here")).toBe(false);
});
