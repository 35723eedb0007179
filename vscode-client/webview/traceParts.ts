export interface Place {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A piece of a traceback; one with a place leads there. */
export interface TracePart {
  readonly text: string;
  readonly place?: Place;
}

const FRAME = /File "([^"\n]+)", line (\d{1,9})/g;

/** A Python traceback in pieces. Only places inside `folders` can be opened: a tool's text can name any file. */
export function traceParts(trace: string, folders: readonly string[]): TracePart[] {
  const parts: TracePart[] = [];
  let end = 0;
  for (const frame of trace.matchAll(FRAME)) {
    const [text, path = "", line = ""] = frame;
    if (Number(line) < 1 || !isInside(path, folders)) {
      continue;
    }
    if (frame.index > end) {
      parts.push({ text: trace.slice(end, frame.index) });
    }
    parts.push({ text, place: { path, line: Number(line) } });
    end = frame.index + text.length;
  }
  return end < trace.length ? [...parts, { text: trace.slice(end) }] : parts;
}

function isInside(path: string, folders: readonly string[]): boolean {
  const isPlain = !path.split(/[\\/]/).includes("..");
  return isPlain && folders.some((folder) => /^[\\/]/.test(path.slice(folder.length)) && path.startsWith(folder));
}
