// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some strings are sources that hold templates
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";
import { allWords, BUNDLE, bundleText, CLIENT, wordsOf } from "../../scripts/words.mts";

const words = allWords();

function json(file: string): unknown {
  return JSON.parse(readFileSync(path.join(CLIENT, file), "utf-8"));
}

/** Every text of the manifest with the path to it, such as `contributes.commands.3.title`. */
function texts(value: unknown, at: string[] = []): [at: string, text: string][] {
  if (typeof value === "string") return [[at.join("."), value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, [...at, key]));
}

test("every word that a person reads can be translated", () => {
  expect(words.leftOut).toEqual([]);
  expect(words.keys.length).toBeGreaterThan(250);
});

test("the file for translators has exactly the words of the sources: node scripts/words.mts", () => {
  expect(readFileSync(BUNDLE, "utf-8")).toBe(bundleText(words.keys));
});

test("the manifest's titles and descriptions stand in package.nls.json, each one there is used", () => {
  const manifest = texts(json("package.json"));
  const used = manifest.flatMap(([, text]) => /^%(.+)%$/.exec(text)?.[1] ?? []);
  expect([...new Set(used)].sort()).toEqual(Object.keys(json("package.nls.json") as object).sort());

  const spoken =
    /(^|\.)(displayName|title|contents|category|contextualTitle|userDescription|(markdown)?(enum)?descriptions?)(\.\d+)?$|\.views\..*\.name$/i;
  const forAModel = /\.inputSchema\./; // with the model's description of the tool
  const plain = manifest.filter(([at, text]) => spoken.test(at) && !forAModel.test(at) && !/^%.+%$/.test(text));
  expect(plain).toEqual([]);
});

test.each([
  ["a sentence", `x = "Nothing is remembered";`],
  ["a sentence with values", `x = \`Delete \${n} runs\`;`],
  ["one word on a button", `window.showErrorMessage(t("Oh no"), "Retry");`],
  ["one word of a title", `x = { title: "Open" };`],
  ["a label that is set", `item.label = "Open";`],
  ["text of a page", "html`<p>Stop</p>`;"],
  ["text between values of a page", "html`<p>${a} of ${b}, done</p>`;"],
  ["a spoken attribute", 'html`<ul aria-label="Files"></ul>`;'],
  ["a sentence in what a command does", `registerCommand("x", () => show("It is done"));`],
])("%s that is not translated is found", (_what, source) => {
  expect(wordsOf("x.ts", source).leftOut).toHaveLength(1);
});

test.each([
  ["a line of the log", `log.info("The workspace is trusted now.");`],
  ["class names", 'html`<p class="muted note">${icon("loading codicon-modifier-spin")}</p>`;'],
  ["code in a page", "html`<pre>add(a=1, b=2)</pre>`;"],
  ["a translated text", "x = t`Delete ${n} runs`;"],
])("%s is none", (_what, source) => {
  expect(wordsOf("x.ts", source).leftOut).toEqual([]);
});
