import type { JsonObject, JsonValue } from "../src/protocol.ts";

/** One argument as the person reads it. `block` texts have several lines and stand in a box of their own. */
export interface ArgumentRow {
  readonly name: string;
  readonly type: "string" | "number" | "literal" | "json";
  readonly block: boolean;
  readonly text: string;
}

export interface ArgumentRows {
  readonly rows: readonly ArgumentRow[];
  /** Characters that are left out; the call cannot be allowed before they have been shown. */
  readonly hidden: number;
}

const MAX_CHARACTERS = 1200;
const MAX_LINES = 16;

/** What is left out must be worth a press: a shorter rest is shown at once. */
const SLACK = 300;

/** The arguments in the order of the call; all of them when `whole`, else as many as a card can hold. */
export function argumentRows(values: JsonObject, whole: boolean): ArgumentRows {
  const shown = rowsOf(values, whole);
  return shown.hidden > 0 && shown.hidden <= SLACK ? rowsOf(values, true) : shown;
}

function rowsOf(values: JsonObject, whole: boolean): ArgumentRows {
  const rows: ArgumentRow[] = [];
  let hidden = 0;
  let characters = MAX_CHARACTERS;
  let lines = MAX_LINES;
  for (const [key, value] of Object.entries(values)) {
    const row = rowOf(key, value);
    const text = whole ? row.text : head(row.text, characters, lines);
    hidden += row.text.length - text.length;
    characters -= row.name.length + text.length;
    lines -= text.split("\n").length;
    if (text !== "" || row.text === "") {
      rows.push({ ...row, text });
    } else {
      hidden += row.name.length;
    }
  }
  return { rows, hidden };
}

/** The arguments on one line, for the head of a tool card. */
export function argumentLine(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** The beginning of `text` with about so many characters and lines, or all of it when little would be missing. */
export function beginning(text: string, characters: number, lines: number): string {
  const cut = head(text, characters, lines);
  return text.length - cut.length <= SLACK ? text : cut;
}

/** At most so many characters and lines; never half a surrogate pair. */
function head(text: string, characters: number, lines: number): string {
  const rows = text.split("\n");
  const byLines = rows.length > lines ? rows.slice(0, Math.max(0, lines)).join("\n") : text;
  const cut = byLines.slice(0, Math.max(0, characters));
  return /[\ud800-\udbff]$/.test(cut) && cut.length < text.length ? cut.slice(0, -1) : cut;
}

function rowOf(key: string, value: JsonValue): ArgumentRow {
  const name = /^[\p{L}\p{N}_.-]{1,64}$/u.test(key) ? key : JSON.stringify(key);
  if (typeof value === "string") {
    return { name, type: "string", block: value.includes("\n"), text: value };
  }
  const text = JSON.stringify(value, null, 2);
  const type = typeof value === "number" ? "number" : typeof value === "object" && value !== null ? "json" : "literal";
  return { name, type, block: text.includes("\n"), text };
}
