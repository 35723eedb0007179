import type { ExtensionContext } from "vscode";

export async function activate(_context: ExtensionContext): Promise<void> {}

export async function deactivate(): Promise<void> {}
