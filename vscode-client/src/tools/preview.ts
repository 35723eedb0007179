import { t } from "@vscode/l10n";
import { type Disposable, EventEmitter, Uri, window, workspace } from "vscode";
import type { Tool } from "../protocol.ts";
import type { ToolsModel } from "./model.ts";
import { asks } from "./nodes.ts";

/** Read-only documents of this scheme show a tool as a model is told about it. */
const SCHEME = "adal-preview";

/** The tool as it goes to a model, and what a person should know beside it. */
export function previewText(tool: Tool): string {
  const sent = {
    type: "function",
    function: { name: tool.name, description: tool.description ?? "", parameters: tool.parameters },
  };
  const notes = [asks(tool) ? t("Asks for your approval before it runs.") : t("Runs without asking.")];
  if (tool.pending) notes.push(t("Not loaded: runs get it once the file is saved and it has no errors."));
  if (tool.problems?.length) notes.push(t`Problems: ${tool.problems.join(", ")}.`);
  return [
    `// ${t("What a model is told about this tool.")}`,
    ...notes.map((note) => `// ${note}`),
    JSON.stringify(sent, null, 2),
    "",
  ].join("\n");
}

/** Keeps the previews that are open up to date. */
export class Previews implements Disposable {
  private readonly changes = new EventEmitter<Uri>();
  private readonly subscriptions: Disposable[];

  constructor(private readonly model: ToolsModel) {
    this.subscriptions = [
      this.changes,
      workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changes.event,
        provideTextDocumentContent: (uri) => this.textOf(uri),
      }),
      model.onDidChange(() => {
        for (const { uri } of workspace.textDocuments) {
          if (uri.scheme === SCHEME) this.changes.fire(uri);
        }
      }),
    ];
  }

  async show(root: string, tool: string): Promise<void> {
    const uri = Uri.from({ scheme: SCHEME, path: `/${tool}.jsonc`, query: JSON.stringify([root, tool]) });
    await window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private textOf(uri: Uri): string {
    const [root, name] = JSON.parse(uri.query) as [string, string];
    const tool = this.model.projects.find((project) => project.root === root)?.tools?.find((one) => one.name === name);
    return tool ? previewText(tool) : `// ${t`${root} has no tool ${name} any more.`}\n`;
  }
}
