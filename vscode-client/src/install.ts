import { t } from "@vscode/l10n";
import { CodeAction, CodeActionKind, commands, type Diagnostic, type Disposable, languages, window } from "vscode";
import { installCommand } from "./installCommand.ts";

const FILES = [{ scheme: "file", language: "python", pattern: "**/.adal/**" }];
const MISSING = new Set(["ADAL902", "ADAL904"]);
const INSTALL = "adal.installInTerminal";

/** Where a package is missing: its installation, written into a terminal, and another interpreter. */
export function offerInstallation(): Disposable[] {
  return [
    commands.registerCommand(INSTALL, (command: string) => {
      const terminal = window.createTerminal("AdaL");
      terminal.show();
      terminal.sendText(command, false); // a person looks at it, and presses Enter
    }),
    languages.registerCodeActionsProvider(
      FILES,
      { provideCodeActions: (_document, _range, context) => context.diagnostics.flatMap(actionsFor) },
      { providedCodeActionKinds: [CodeActionKind.QuickFix] },
    ),
  ];
}

function actionsFor(diagnostic: Diagnostic): CodeAction[] {
  const code = typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code;
  if (diagnostic.source !== "adal-ls" || !MISSING.has(String(code))) return [];
  const command = installCommand(diagnostic.message);
  const install = command && action(t("Install it in a terminal"), diagnostic, INSTALL, [command]);
  return [...(install ? [install] : []), action(t("Select Interpreter"), diagnostic, "adal.selectInterpreter")];
}

function action(title: string, diagnostic: Diagnostic, command: string, args: unknown[] = []): CodeAction {
  const made = new CodeAction(title, CodeActionKind.QuickFix);
  made.diagnostics = [diagnostic];
  made.command = { title, command, arguments: args };
  return made;
}
