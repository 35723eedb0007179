import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { DecisionEvent } from "../src/protocol.ts";
import { isCut } from "../src/run/parts.ts";
import type { CallItem, RunState } from "../src/run/transcript.ts";
import { isGoing } from "../src/run/transcript.ts";
import { argumentLine, argumentRows } from "./argumentRows.ts";
import { type Actions, argumentList, duration, icon, type Local, onToggle, revealed, textBox } from "./parts.ts";
import { type Place, traceParts } from "./traceParts.ts";

/** One call: what was called, how it stands, what came out; everything about it behind the head. */
export function callCard(
  call: CallItem,
  run: RunState,
  folders: readonly string[],
  local: Local,
  actions: Actions,
): TemplateResult {
  const { result } = call;
  const isDenied = call.decision?.decision === "deny";
  const shown = result ? (isDenied ? result.observation : (result.display ?? result.observation)) : "";
  const printed = result?.printed ?? call.printed;
  return html`<article class="call" aria-label=${t`Call of ${call.tool}`} data-call=${call.callId}>
    <details ?open=${local.open.has(call.callId)} @toggle=${onToggle(call.callId, local, actions)}>
      <summary>
        ${icon("chevron-right fold")} ${stateIcon(call, run)}
        <span class="tool-name">${revealed(call.tool)}</span>
        <span class="line">${revealed(argumentLine(call.arguments))}</span>
        ${result && !isDenied ? html`<span class="duration">${duration(result.durationMs)}</span>` : nothing}
      </summary>
      <div class="label">${t("Arguments")}</div>
      ${argumentList(argumentRows(call.arguments, true).rows)}
      ${call.argumentsCut ? fullButton(call.callId, "arguments", actions) : nothing}
      ${
        result && shown !== result.observation
          ? textBox(t("Sent to the model"), result.observation, `${call.callId}:observation`, local, actions)
          : nothing
      }
    </details>
    ${call.decision ? html`<p class="decision">${revealed(decisionWords(call.decision))}</p>` : nothing}
    ${printed ? textBox(t("Printed"), printed, `${call.callId}:printed`, local, actions) : nothing}
    ${shown ? textBox(isDenied ? t("Told to the model") : printed ? t("Result") : "", shown, `${call.callId}:result`, local, actions) : nothing}
    ${result && isCut(result.observation) ? fullButton(call.callId, "result", actions) : nothing}
    ${result?.status === "error" || call.decision?.decidedBy === "policy" ? schemaButton(call.tool, actions) : nothing}
    ${result?.trace ? traceOf(call.callId, result.trace, folders, local, actions) : nothing}
  </article>`;
}

/** Whether the model called it as it was told to. */
function schemaButton(tool: string, actions: Actions): TemplateResult {
  const open = () => actions.send({ type: "openSchema", tool });
  return html`<button class="link schema" @click=${open}>${t("Show what the model was told about the tool")}</button>`;
}

/** What was cut, for the model as for the view, is whole in the store. */
function fullButton(callId: string, of: "result" | "arguments", actions: Actions): TemplateResult {
  const open = () => actions.send({ type: "openFull", callId, of });
  return html`<button class="link full" @click=${open}>${of === "result" ? t("Open the whole result") : t("Open the whole arguments")}</button>`;
}

/** Where in the project's code a tool failed, with links to the places that can be opened. */
function traceOf(
  callId: string,
  trace: string,
  folders: readonly string[],
  local: Local,
  actions: Actions,
): TemplateResult {
  const id = `${callId}:trace`;
  return html`<details class="trace" ?open=${local.open.has(id)} @toggle=${onToggle(id, local, actions)}>
    <summary>${icon("chevron-right fold")}<span class="muted">${t("Where it failed")}</span></summary>
    <pre tabindex="0" aria-label=${t("Traceback")}>${traceParts(trace, folders).map((part) =>
      part.place ? placeLink(part.text, part.place, actions) : revealed(part.text),
    )}</pre>
  </details>`;
}

function placeLink(text: string, place: Place, actions: Actions): TemplateResult {
  const open = (event: Event) => {
    event.preventDefault();
    actions.send({ type: "openPlace", ...place });
  };
  // Not a button, which would stand as a block in the line.
  return html`<a href="#" title=${t`Open ${place.path}`} @click=${open}>${revealed(text)}</a>`;
}

/** Who decided about a call, in words. */
export function decisionWords({ decision, decidedBy, optionKind, reason }: DecisionEvent): string {
  const isAllowed = decision === "allow";
  if (decidedBy !== "person") {
    return `${isAllowed ? t("Allowed") : t("Denied")} (${reason ?? decidedBy})`;
  }
  if (!isAllowed) {
    return t("Denied by you");
  }
  const words = optionKind === "allow_always" ? t("Allowed by you, and from now on") : t("Allowed by you, once");
  return reason ? `${words} (${reason})` : words;
}

function stateIcon(call: CallItem, run: RunState): TemplateResult {
  if (call.decision?.decision === "deny") {
    return icon("circle-slash", t("Denied"));
  }
  if (call.result) {
    return {
      success: icon("pass", t("Succeeded")),
      error: icon("error", t("Failed")),
      cancelled: icon("circle-slash", t("Cancelled")),
    }[call.result.status];
  }
  if (!isGoing(run)) {
    return icon("circle-slash", t("Interrupted"));
  }
  return call.status === "pending"
    ? icon("clockface", t("Waiting"))
    : icon("loading codicon-modifier-spin", t("Running"));
}
