import { t } from "@vscode/l10n";
import type { Decision, Run } from "../protocol.ts";
import { endingWords } from "../run/transcript.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How a run stands, in words. */
export function standing(run: Pick<Run, "state" | "stopReason">): string {
  switch (run.state) {
    case "running":
      return t("Running");
    case "waiting_approval":
      return t("Waiting for approval");
    case "interrupted":
      return t("Interrupted");
    case "finished":
      return run.stopReason ? endingWords(run.stopReason) : t("Not begun");
  }
}

/** The icon of a run, as the editor names them. */
export function iconOf(run: Pick<Run, "state" | "stopReason">): string {
  switch (run.state) {
    case "running":
      return "sync";
    case "waiting_approval":
      return "shield";
    case "interrupted":
      return "debug-disconnect";
    case "finished":
      break;
  }
  switch (run.stopReason) {
    case "end_turn":
      return "pass";
    case "error":
      return "error";
    case undefined:
      return "repo-forked";
    default:
      return "circle-slash";
  }
}

/** How long ago something was. `when` is ISO 8601. */
export function ago(when: string, now: number): string {
  const passed = now - Date.parse(when);
  if (Number.isNaN(passed)) return "";
  if (passed < MINUTE) return t("now");
  if (passed < HOUR) return t`${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return t`${Math.floor(passed / HOUR)} h ago`;
  if (passed < 2 * DAY) return t("yesterday");
  return passed < 30 * DAY ? t`${Math.floor(passed / DAY)} days ago` : when.slice(0, 10);
}

/** Who or what decided about a call, and by which rule. */
export function decisionLine(decision: Decision): string {
  const by = decision.decidedBy === "person" ? t("you") : decision.decidedBy;
  const parts = [decision.decision === "allow" ? t`Allowed by ${by}` : t`Denied by ${by}`];
  if (decision.edited) parts.push(t("arguments edited"));
  if (decision.rule) parts.push(t`rule: ${decision.rule}`);
  if (decision.reason && decision.reason !== decision.rule) parts.push(decision.reason);
  if (decision.mode && decision.mode !== "default") parts.push(t`mode ${decision.mode}`);
  return parts.join(" · ");
}
