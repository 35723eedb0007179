import { t } from "@vscode/l10n";
import { commands, type Disposable, StatusBarAlignment, ThemeColor, window } from "vscode";
import type { WaitingApproval } from "./approvals.ts";
import { reveal } from "./reveal.ts";
import type { RunView } from "./view.ts";

/**
 * Makes waiting approvals known outside the view: a badge, an entry in the status bar, and one notification each when
 * the view is hidden or the window has no focus. None of them can answer; they lead to the view.
 */
export class Attention implements Disposable {
  readonly #item = window.createStatusBarItem("adal.approvals", StatusBarAlignment.Left, 1000);
  readonly #told = new Set<string>();

  constructor(
    private readonly view: RunView,
    private readonly show: () => void,
  ) {
    this.#item.name = t("AdaL approvals");
    this.#item.command = "adal.showApprovals";
    this.#item.backgroundColor = new ThemeColor("statusBarItem.warningBackground");
  }

  update(waiting: readonly WaitingApproval[]): void {
    const words = waiting.length === 1 ? t("1 approval waiting") : t`${waiting.length} approvals waiting`;
    this.view.badge(waiting.length, words);
    void commands.executeCommand("setContext", "adal.approvalsWaiting", waiting.length > 0);
    if (waiting.length === 0) {
      this.#item.hide();
      this.#told.clear();
      return;
    }
    this.#item.text = `$(shield) ${words}`;
    this.#item.tooltip = t`Waiting to run: ${waiting.map(({ request }) => reveal(request.tool)).join(", ")}`;
    this.#item.show();
    if (!this.view.isVisible || !window.state.focused) {
      for (const approval of waiting) {
        this.#tell(approval);
      }
    }
  }

  dispose(): void {
    this.#item.dispose();
  }

  #tell({ request }: WaitingApproval): void {
    if (this.#told.has(request.approvalId)) {
      return;
    }
    this.#told.add(request.approvalId);
    const show = t("Show");
    void window.showWarningMessage(t`The agent asks to run '${reveal(request.tool)}'.`, show).then((answer) => {
      if (answer === show) {
        this.show();
      }
    });
  }
}
