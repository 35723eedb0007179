import { LanguageClient } from "vscode-languageclient/node";

/** Put in by the build: the path of ruff. */
declare const RUFF: string;

let client: LanguageClient | undefined;

export function activate(): Promise<void> {
  const serverOptions = { command: RUFF, args: ["server"] };
  const clientOptions = { documentSelector: [{ scheme: "file", language: "python" }] };
  client = new LanguageClient("ruff", "Ruff", serverOptions, clientOptions);
  return client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}
