import { expect, test } from "vitest";
import { reveal, revealParts, revealProse } from "../../../src/run/reveal.ts";

test.each([
  ["escape sequences", "a\u001b[31mb", "a\\u{1b}[31mb"],
  ["carriage return and backspace", "safe\r\bevil", "safe\\u{d}\\u{8}evil"],
  ["C1 controls", "\u009b2J", "\\u{9b}2J"],
  ["bidi overrides and isolates", "\u202egnp\u202c \u2066x\u2069", "\\u{202e}gnp\\u{202c} \\u{2066}x\\u{2069}"],
  ["zero width", "a\u200bb\u200dc\ufeff", "a\\u{200b}b\\u{200d}c\\u{feff}"],
  ["soft hyphen and word joiner", "a\u00adb\u2060c", "a\\u{ad}b\\u{2060}c"],
  ["tag characters", "x\u{e0041}", "x\\u{e0041}"],
  ["variation selectors, which can carry data", "x\u{e0100}\ufe0f", "x\\u{e0100}\\u{fe0f}"],
  ["lone surrogates", "x\ud800y", "x\\u{d800}y"],
  ["private use, where icon fonts live", "\ueb89", "\\u{eb89}"],
  ["line separators", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
  ["blanks that are no space", "a\u00a0b\u3000c\u2800d", "a\\u{a0}b\\u{3000}c\\u{2800}d"],
  ["letters that are blank", "a\u3164b", "a\\u{3164}b"],
])("%s are shown, not obeyed", (_, text, shown) => {
  expect(reveal(text)).toBe(shown);
});

test("ordinary text of any script, spaces, tabs and lines stay as they are", () => {
  const text = "naïve Zürich 東京 עברית 🙂\n\tindented  twice";
  expect(reveal(text)).toBe(text);
  expect(revealParts(text)).toEqual([{ text, escaped: false }]);
});

test("escapes can be told from text that only looks like one", () => {
  expect(revealParts("\\u{1b}\u001b")).toEqual([
    { text: "\\u{1b}", escaped: false },
    { text: "\\u{1b}", escaped: true },
  ]);
});

test("characters in a row are one part", () => {
  expect(revealParts("a\u001b\u202eb")).toEqual([
    { text: "a", escaped: false },
    { text: "\\u{1b}\\u{202e}", escaped: true },
    { text: "b", escaped: false },
  ]);
});

test("prose keeps emoji sequences, no-break spaces and Windows line ends, and nothing else that is hidden", () => {
  expect(revealProse("👩\u200d💻 ❤\ufe0f 5\u00a0km\r\nnext")).toBe("👩\u200d💻 ❤\ufe0f 5\u00a0km\r\nnext");
  expect(revealProse("a\u200db\rc\u202e")).toBe("a\\u{200d}b\\u{d}c\\u{202e}");
});
