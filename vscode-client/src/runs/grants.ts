import { t } from "@vscode/l10n";
import { type QuickPickItem, ThemeIcon, window, workspace } from "vscode";
import type { Connection } from "../connection.ts";
import type { Decision, Grant } from "../protocol.ts";
import { reveal } from "../run/reveal.ts";
import { ago, decisionLine } from "./words.ts";

interface GrantRow extends QuickPickItem {
  readonly grant?: Grant;
}

/** Shows the approvals that are remembered; each can be revoked, by its button or by Enter and a question. */
export async function showGrants(connection: Connection): Promise<void> {
  const picker = window.createQuickPick<GrantRow>();
  picker.title = t("Remembered approvals");
  picker.placeholder = t("Choose one to revoke it; the next call asks again");
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  async function list(): Promise<void> {
    picker.busy = true;
    const { grants } = await connection.request("adal/grants/list", {});
    picker.items = grants.length > 0 ? grants.map(grantRow) : [{ label: t("Nothing is remembered: every call asks.") }];
    picker.busy = false;
  }
  async function revoke({ grant }: GrantRow): Promise<void> {
    if (!grant) return picker.hide();
    await connection.request("adal/grants/revoke", { grantId: grant.grantId });
    await list();
  }
  try {
    await new Promise<void>((settle, fail) => {
      picker.onDidTriggerItemButton(({ item }) => revoke(item).catch(fail));
      picker.onDidAccept(() => {
        const [chosen] = picker.selectedItems;
        if (chosen) revoke(chosen).catch(fail);
      });
      picker.onDidHide(() => settle());
      picker.show();
      list().catch(fail);
    });
  } finally {
    picker.dispose();
  }
}

function grantRow(grant: Grant): GrantRow {
  const life = grant.scope === "session" ? t("until this session ends") : t("in this workspace");
  return {
    grant,
    label: reveal(grant.rule),
    description: life,
    detail: [
      ago(grant.created, Date.now()),
      workspace.asRelativePath(grant.projectRoot),
      grant.arguments ? reveal(grant.arguments) : "",
    ]
      .filter((part) => part !== "")
      .join(" · "),
    buttons: [{ iconPath: new ThemeIcon("trash"), tooltip: t("Revoke: the next call asks again") }],
  };
}

/** Shows who or what decided about which call; gives the run of the one that was chosen. */
export async function pickDecision(connection: Connection): Promise<string | undefined> {
  const { decisions } = await connection.request("adal/decisions/list", {});
  const items = decisions.map((decision) => ({
    runId: decision.runId,
    label: `$(${decision.decision === "allow" ? "pass" : "circle-slash"}) ${escapeIcons(reveal(decision.tool))}`,
    description: `${ago(decision.time, Date.now())} · ${escapeIcons(reveal(argumentsOf(decision)))}`,
    detail: escapeIcons(reveal(decisionLine(decision))),
  }));
  if (items.length === 0) {
    void window.showInformationMessage(t("No call has been decided about yet."));
    return undefined;
  }
  const options = {
    title: t("Decision log"),
    placeHolder: t("Who or what allowed or denied a call; choose one to open its run"),
    matchOnDescription: true,
    matchOnDetail: true,
  };
  return (await window.showQuickPick(items, options))?.runId;
}

function argumentsOf({ arguments: values }: Decision): string {
  const text = values === undefined ? "" : JSON.stringify(values);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** `$(name)` would be drawn as an icon. */
function escapeIcons(text: string): string {
  return text.replaceAll("$(", "\\$(");
}
