import { type LogOutputChannel, window } from "vscode";

/** The one log of the extension: its own lines, the language server's messages, and what it writes to stderr. */
export function openLog(): LogOutputChannel {
  return window.createOutputChannel("AdaL", { log: true });
}
