import { html, nothing, type TemplateResult } from "lit";
import type { DecisionEvent } from "../src/protocol.ts";
import type { CallItem, RunState } from "../src/run/transcript.ts";
import { isGoing } from "../src/run/transcript.ts";
import { argumentLine, argumentRows } from "./argumentRows.ts";
import { type Actions, argumentList, icon, type Local, revealed, textBox } from "./parts.ts";

/** One call: what was called, how it stands, what came out; everything about it behind the head. */
export function callCard(call: CallItem, run: RunState, local: Local, actions: Actions): TemplateResult {
  const { result } = call;
  const shown = result ? (result.display ?? result.observation) : "";
  const printed = result?.printed ?? call.printed;
  return html`<article class="call" aria-label=${`Call of ${call.tool}`} data-call=${call.callId}>
    <details>
      <summary>
        ${icon("chevron-right fold")} ${stateIcon(call, run)}
        <span class="tool-name">${revealed(call.tool)}</span>
        <span class="line">${revealed(argumentLine(call.arguments))}</span>
        ${result ? html`<span class="duration">${duration(result.durationMs)}</span>` : nothing}
      </summary>
      <div class="label">Arguments</div>
      ${argumentList(argumentRows(call.arguments, true).rows)}
      ${
        result && result.display !== undefined && result.display !== result.observation
          ? textBox("Sent to the model", result.observation, `${call.callId}:observation`, local, actions)
          : nothing
      }
    </details>
    ${call.decision ? html`<p class="decision">${revealed(decisionWords(call.decision))}</p>` : nothing}
    ${printed ? textBox("Printed", printed, `${call.callId}:printed`, local, actions) : nothing}
    ${shown ? textBox(printed ? "Result" : "", shown, `${call.callId}:result`, local, actions) : nothing}
  </article>`;
}

/** Who decided about a call, in words. */
export function decisionWords(decision: DecisionEvent): string {
  const verb = decision.decision === "allow" ? "Allowed" : "Denied";
  const reason = decision.reason ? `: ${decision.reason}` : "";
  switch (decision.decidedBy) {
    case "person":
      return `${verb} by you${decision.optionKind === "allow_once" ? ", once" : ""}${reason}`;
    case "mode":
      return `${verb} by the permission mode${reason}`;
    case "policy":
      return `${verb} by the settings${reason}`;
    case "require_approval":
      return `${verb}: the tool does not ask${reason}`;
    case "grant":
      return `${verb} by a rule you made${reason}`;
    default:
      return `${verb}: ${decision.decidedBy}${reason}`;
  }
}

function stateIcon(call: CallItem, run: RunState): TemplateResult {
  if (call.decision?.decision === "deny") {
    return icon("circle-slash", "Denied");
  }
  if (call.result) {
    return {
      success: icon("pass", "Succeeded"),
      error: icon("error", "Failed"),
      cancelled: icon("circle-slash", "Cancelled"),
    }[call.result.status];
  }
  if (!isGoing(run)) {
    return icon("circle-slash", "Interrupted");
  }
  return call.status === "pending" ? icon("clockface", "Waiting") : icon("loading codicon-modifier-spin", "Running");
}

function duration(milliseconds: number): string {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`;
  }
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
