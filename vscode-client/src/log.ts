import { type LogOutputChannel, window } from "vscode";

/** The one log of the extension: its own lines and what the language server writes to stderr. */
export function openLog(): LogOutputChannel {
  return window.createOutputChannel("AdaL", { log: true });
}

const LEVEL = /^(?:\S+ )?(ERROR|CRITICAL|WARNING|INFO|DEBUG)\b:?\s*/;

/** Writes one line of the server's stderr at the level the line names; lines without one (a traceback) are errors. */
export function logServerLine(log: LogOutputChannel, line: string): void {
  const level = LEVEL.exec(line);
  const text = level ? line.slice(level[0].length) : line;
  const write = { DEBUG: log.debug, INFO: log.info, WARNING: log.warn }[level?.[1] ?? ""] ?? log.error;
  write.call(log, text);
}
