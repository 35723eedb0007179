import { isAbsolute, join } from "node:path";
import { t } from "@vscode/l10n";
import { commands, type Disposable, TabInputTextDiff, Uri, window, workspace } from "vscode";
import type { WaitingApproval } from "./approvals.ts";
import { textAfter } from "./edits.ts";

/** Read-only documents of this scheme are the two sides of an edit that waits for approval. */
const SCHEME = "adal-edit";

interface Sides {
  readonly before: string;
  readonly after: string;
}

/** Shows edits that wait for approval in the editor's own diff view. Nothing in it can be changed or answered. */
export class EditDiffs implements Disposable {
  readonly #sides = new Map<string, Sides>();
  readonly #provider = workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ authority, query }) => {
      const sides = this.#sides.get(authority);
      return (query === "before" ? sides?.before : sides?.after) ?? "";
    },
  });

  /**
   * The file as it is now beside the file as the call would leave it.
   *
   * @throws Error where the call would fail.
   */
  async show(approval: WaitingApproval): Promise<void> {
    const { approvalId, tool, preview } = approval.request;
    const path = approval.arguments?.path;
    if (typeof path !== "string" || !approval.arguments) {
      throw new Error(t("The call names no file."));
    }
    const file = isAbsolute(path) ? path : join(preview?.cwd ?? "", path);
    const before = await textOf(Uri.file(file));
    this.#sides.set(approvalId, { before, after: textAfter(tool, approval.arguments, before) });
    const [left, right] = ["before", "after"].map((query) =>
      Uri.from({ scheme: SCHEME, authority: approvalId, path: Uri.file(file).path, query }),
    );
    const title = t`${workspace.asRelativePath(file)} (what ${tool} would change)`;
    await commands.executeCommand("vscode.diff", left, right, title, { preview: true });
  }

  /** Closes what is no question any more. */
  async keepOnly(waiting: readonly WaitingApproval[]): Promise<void> {
    const ids = new Set(waiting.map(({ request }) => request.approvalId));
    const over = [...this.#sides.keys()].filter((id) => !ids.has(id));
    for (const id of over) {
      this.#sides.delete(id);
    }
    const tabs = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof TabInputTextDiff && over.includes(input.modified.authority));
    if (tabs.length > 0) {
      await window.tabGroups.close(tabs, true);
    }
  }

  dispose(): void {
    this.#provider.dispose();
  }
}

/** What the tool will find on disk; nothing where there is no file yet. */
async function textOf(file: Uri): Promise<string> {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await workspace.fs.readFile(file));
  } catch {
    return "";
  }
}
