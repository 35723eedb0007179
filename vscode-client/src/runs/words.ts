import type { Decision, Run } from "../protocol.ts";
import { ENDINGS } from "../run/transcript.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How a run stands, in words. */
export function standing(run: Pick<Run, "state" | "stopReason">): string {
  switch (run.state) {
    case "running":
      return "Running";
    case "waiting_approval":
      return "Waiting for approval";
    case "interrupted":
      return "Interrupted";
    case "finished":
      return run.stopReason ? ENDINGS[run.stopReason] : "Not begun";
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
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 2 * DAY) return "yesterday";
  return passed < 30 * DAY ? `${Math.floor(passed / DAY)} days ago` : when.slice(0, 10);
}

/** Who or what decided about a call, and by which rule. */
export function decisionLine(decision: Decision): string {
  const by = decision.decidedBy === "person" ? "you" : decision.decidedBy;
  const parts = [`${decision.decision === "allow" ? "Allowed" : "Denied"} by ${by}`];
  if (decision.edited) parts.push("arguments edited");
  if (decision.rule) parts.push(`rule: ${decision.rule}`);
  if (decision.reason && decision.reason !== decision.rule) parts.push(decision.reason);
  if (decision.mode && decision.mode !== "default") parts.push(`mode ${decision.mode}`);
  return parts.join(" · ");
}
