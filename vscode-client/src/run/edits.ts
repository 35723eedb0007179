import { t } from "@vscode/l10n";
import type { JsonObject } from "../protocol.ts";

/**
 * The text that a file would have after a call of `edit_file` or `write_file`, by the rules of those tools: the one
 * place of the old text is replaced, and the line ends of the file are kept.
 *
 * @throws Error where the call would fail.
 */
export function textAfter(tool: string, values: JsonObject, before: string): string {
  if (tool === "write_file") {
    return text(values, "content");
  }
  const { wanted, places } = find(before, text(values, "old_text"));
  const [start] = places;
  if (start === undefined || places.length > 1) {
    throw new Error(
      start === undefined
        ? t("The text to replace is not in the file.")
        : t("The text to replace is in the file twice."),
    );
  }
  const written = withLineEnds(text(values, "new_text"), lineEnd(wanted) ?? lineEnd(before) ?? "\n");
  return before.slice(0, start) + written + before.slice(start + wanted.length);
}

function text(values: JsonObject, name: string): string {
  const value = values[name];
  if (typeof value !== "string") {
    throw new Error(t`The call has no text '${name}'.`);
  }
  return value;
}

/** As it is, else with the line ends of either kind. */
function find(before: string, old: string): { wanted: string; places: number[] } {
  for (const wanted of new Set([old, withLineEnds(old, "\r\n"), withLineEnds(old, "\n")])) {
    const places = placesOf(before, wanted);
    if (places.length > 0) {
      return { wanted, places };
    }
  }
  return { wanted: old, places: [] };
}

function placesOf(before: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = before.indexOf(wanted); wanted !== "" && at >= 0; at = before.indexOf(wanted, at + 1)) {
    // Not in the middle of a line end.
    if (!(wanted.startsWith("\n") && before[at - 1] === "\r")) {
      places.push(at);
    }
  }
  return places;
}

function withLineEnds(given: string, end: string): string {
  return given.replace(/\r\n|\r|\n/g, end);
}

function lineEnd(given: string): string | undefined {
  const windows = given.split("\r\n").length - 1;
  const unix = given.split("\n").length - 1 - windows;
  if (windows === 0 && unix === 0) {
    return given.includes("\r") ? "\r" : undefined;
  }
  return windows > unix ? "\r\n" : "\n";
}
