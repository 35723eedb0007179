// The words that a person reads, for those who translate them: `node scripts/words.mts` writes `l10n/bundle.l10n.json`.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync, Visitor } from "vite";

export const CLIENT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
export const BUNDLE = path.join(CLIENT, "l10n", "bundle.l10n.json");

/** What `t` is called with in a source, and words in it that are no argument of `t`. */
export interface Words {
  readonly keys: readonly string[];
  /** Each with its line. */
  readonly leftOut: readonly string[];
}

/** Sources whose words are not for a person: what a model or a browser reads, and Python. */
const NOT_FOR_PEOPLE = new Set([
  "src/protocol.ts",
  "src/html.ts",
  "src/run/context.ts",
  "src/run/mentions.ts",
  "src/tools/newFile.ts",
]);

/** Calls whose texts are for the log, which stays in the language of bug reports, or name something. */
const NO_SPEECH = /(^|\.)log(\.\w+)?$|Command$|\.request$|\.notify$|\.split$|\.test$/;

/** Members and attributes that the editor shows as they are, also when they are one word. */
const SHOWN = /^(title|label|placeHolder|placeholder|description|detail|tooltip|prompt|openLabel|message)$/;
const SHOWN_ATTRIBUTE = /\s(?:aria-label|title|placeholder|label)="([^"{]*[A-Za-z]{2}[^"]*)"/g;

const SENTENCE = /[A-Za-z]{2,},? [A-Za-z]|[A-Za-z]{2,}:? \{\d\} [A-Za-z]{2}/;
const WORD = /^[A-Z][a-z]+…?$/;
/** Lists of class names, of keywords, and Python. */
const CODE = /codicon|^[a-z-]+( [a-z-]+)?$|^False None|^\n?import |^ {4}|^def |^\[data-/;

/** What only programs are told: our own mistakes, and what an agent of another extension gets for a result. */
const UNSPOKEN = new Set([
  "{0} has an answerer already.",
  "The tool was not run.",
  "{0} is no name of a tool or a parameter.",
]);

/** The words of one source. */
export function wordsOf(file: string, source: string): Words {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const keys: string[] = [];
  const found: { at: number; text: string }[] = [];
  const quiet: [start: number, end: number][] = [];
  const tagged = new Set<number>();

  const literal = (at: number, text: string) => {
    if (SENTENCE.test(text) && !CODE.test(text) && !UNSPOKEN.has(text)) found.push({ at, text });
  };
  const shown = (name: string, value: ESTree.Expression) => {
    if (SHOWN.test(name) && value.type === "Literal" && typeof value.value === "string" && WORD.test(value.value)) {
      found.push({ at: value.start, text: value.value });
    }
  };

  new Visitor({
    CallExpression(call) {
      const callee = source.slice(call.callee.start, call.callee.end);
      const [first] = call.arguments;
      if (callee === "t" && first?.type === "Literal") {
        keys.push(String(first.value));
        quiet.push([first.start - 1, first.end]);
      } else if (NO_SPEECH.test(callee)) {
        const texts = call.arguments.filter(({ type }) => type === "Literal" || type === "TemplateLiteral");
        quiet.push(...texts.map(({ start, end }): [number, number] => [start - 1, end]));
      }
      if (/\.show\w+Message$/.test(callee))
        for (const each of call.arguments) shown("label", each as ESTree.Expression);
    },
    TaggedTemplateExpression({ tag, quasi }) {
      const texts = quasi.quasis.map(({ value }) => value.cooked ?? value.raw);
      if (tag.type === "Identifier" && tag.name === "t") keys.push(keyOf(texts));
      if (tag.type === "Identifier" && tag.name === "html") {
        for (const text of pageWords(texts)) found.push({ at: quasi.start, text });
      }
      tagged.add(quasi.start);
    },
    ImportDeclaration: ({ start, end }) => quiet.push([start, end]),
    TSLiteralType: ({ start, end }) => quiet.push([start, end]),
    Property({ key, value }) {
      if (key.type === "Identifier" && value.type === "Literal") shown(key.name, value);
    },
    AssignmentExpression({ left, right }) {
      if (left.type === "MemberExpression" && left.property.type === "Identifier") shown(left.property.name, right);
    },
    Literal({ value, start }) {
      if (typeof value === "string") literal(start, value);
    },
    TemplateLiteral({ quasis, start }) {
      if (!tagged.has(start)) literal(start, keyOf(quasis.map(({ value }) => value.cooked ?? "")));
    },
  }).visit(program);

  const leftOut = found
    .filter(({ at }) => !quiet.some(([start, end]) => start < at && at < end))
    .map(({ at, text }) => `${file}:${source.slice(0, at).split("\n").length}: ${JSON.stringify(text)}`);
  return { keys, leftOut };
}

/** The words of the extension and its pages. */
export function allWords(): Words {
  const files = globSync("{src,webview}/**/*.ts", { cwd: CLIENT }).filter((file) => !NOT_FOR_PEOPLE.has(file));
  const each = files.sort().map((file) => wordsOf(file, readFileSync(path.join(CLIENT, file), "utf-8")));
  return {
    keys: [...new Set(each.flatMap(({ keys }) => keys))].sort(),
    leftOut: each.flatMap(({ leftOut }) => leftOut),
  };
}

/** The file from which a translation is made: each message stands for itself. */
export function bundleText(keys: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, key])), null, 2)}\n`;
}

/** As the library forms it: what stands between the texts is numbered. */
function keyOf(texts: readonly string[]): string {
  return texts.reduce((before, text, index) => `${before}{${index - 1}}${text}`);
}

/** Text and spoken attributes that stand in the HTML of a template itself. */
function pageWords(texts: readonly string[]): string[] {
  const page = texts.join("{}").replace(/<(code|pre)\b[^>]*>[^<]*/g, "");
  const outside = page.replace(/<(?:"[^"]*"|[^>"])*>/g, "\n");
  const spoken = [...page.matchAll(SHOWN_ATTRIBUTE)].map(([, text = ""]) => text);
  return [...outside.split("\n").filter((text) => /[A-Za-z]{2,}/.test(text)), ...spoken].map((text) => text.trim());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { keys, leftOut } = allWords();
  for (const line of leftOut) console.error(`${line} is no argument of t`);
  mkdirSync(path.dirname(BUNDLE), { recursive: true });
  writeFileSync(BUNDLE, bundleText(keys));
  process.exitCode = leftOut.length > 0 ? 1 : 0;
}
