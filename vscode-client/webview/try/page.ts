import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { ToolsTryResult } from "../../src/protocol.ts";
import type { FromTry, TryState } from "../../src/try/messages.ts";
import { beginning } from "../argumentRows.ts";
import { argumentsForm, formToggle, type Written } from "../argumentsForm.ts";
import { count, duration, icon, revealed } from "../parts.ts";
import { traceParts } from "../traceParts.ts";

/** What the person does in the panel and the extension need not know. */
export interface TryLocal {
  readonly written: Written;
  /** Parts of the result that are shown in full. */
  readonly whole: ReadonlySet<string>;
}

export interface TryActions {
  send(message: FromTry): void;
  change(change: Partial<TryLocal>): void;
  run(): void;
}

/** The tool, its arguments, Run or Stop, and what came of it. */
export function tryPage(state: TryState, local: TryLocal, actions: TryActions): TemplateResult {
  const { written } = local;
  const change = (next: Written) => actions.change({ written: next });
  return html`<main class="try">
    <header>
      <h1><span class="tool-name">${revealed(state.tool)}</span></h1>
      <button class="link" @click=${() => actions.send({ type: "openDefinition" })}>${t("Go to definition")}</button>
    </header>
    ${state.description ? html`<p class="about">${revealed(state.description.trim())}</p>` : nothing}
    <form aria-label=${t("Arguments")} @submit=${(event: Event) => event.preventDefault()}>
      ${
        state.fields.length === 0 && written.json === undefined
          ? html`<p class="muted">${t("This tool takes no arguments.")}</p>`
          : argumentsForm(state.fields, written, change)
      }
      <div class="controls">
        ${
          state.running
            ? html`<vscode-button secondary class="stop" @click=${() => actions.send({ type: "stop" })}>${t("Stop")}</vscode-button>`
            : html`<vscode-button class="run" title=${t("Run the tool (Ctrl+Enter)")} @click=${actions.run}>${t("Run")}</vscode-button>`
        }
        ${formToggle(state.fields, written, change)}
      </div>
      <p class="muted note">${icon("info")}<span>${t("Run calls the tool with these arguments, without asking again.")}</span></p>
    </form>
    <section class="outcome" aria-live="polite" aria-label=${t("Result")}>${outcome(state, local, actions)}</section>
  </main>`;
}

function outcome(state: TryState, local: TryLocal, actions: TryActions): unknown {
  if (state.problem) {
    return html`<p class="problem" role="alert">${icon("error")}<span>${revealed(state.problem)}</span></p>`;
  }
  if (state.running) {
    return html`<p class="muted">${icon("loading codicon-modifier-spin")} ${t("Running…")}</p>
      ${part(t("Printed"), state.printed, "printed", local, actions)}`;
  }
  return state.result ? resultOf(state.result, state, local, actions) : nothing;
}

function resultOf(result: ToolsTryResult, state: TryState, local: TryLocal, actions: TryActions): TemplateResult {
  const status = { success: "pass", error: "error", cancelled: "circle-slash" }[result.status];
  const words = { success: t("Succeeded"), error: t("Failed"), cancelled: t("Cancelled") }[result.status];
  const output = result.output === undefined ? "" : JSON.stringify(result.output, null, 2);
  return html`
    <h2 class=${result.status}>${icon(status)} ${words} <span class="muted">${duration(result.durationMs)}</span></h2>
    ${part(t("Shown to the person"), result.display ?? "", "display", local, actions)}
    ${part(t("Sent to the model"), result.observation, "observation", local, actions)}
    ${output && output !== JSON.stringify(result.observation) ? part(t("Output"), output, "output", local, actions) : nothing}
    ${part(t("Printed"), result.printed ?? "", "printed", local, actions)}
    ${result.trace ? traceOf(result.trace, state.folders, actions) : nothing}
  `;
}

function part(label: string, text: string, id: string, local: TryLocal, actions: TryActions): unknown {
  if (text === "") {
    return nothing;
  }
  const shown = local.whole.has(id) ? text : beginning(text, 4000, 60);
  const hidden = text.length - shown.length;
  const more = () => actions.change({ whole: new Set([...local.whole, id]) });
  return html`<div class="box" data-part=${id}>
    <div class="label">
      ${label}
      <button type="button" class="tool" title=${t`Copy: ${label}`} aria-label=${t`Copy: ${label}`}
        @click=${() => actions.send({ type: "copy", text })}>${icon("copy")}</button>
    </div>
    <pre tabindex="0" aria-label=${label}>${revealed(shown)}</pre>
    ${hidden > 0 ? html`<button type="button" class="link more" @click=${more}>${t`Show ${count(hidden)} more characters`}</button>` : nothing}
  </div>`;
}

function traceOf(trace: string, folders: readonly string[], actions: TryActions): TemplateResult {
  return html`<div class="box" data-part="trace">
    <div class="label">${t("Where it failed")}</div>
    <pre tabindex="0" aria-label=${t("Traceback")}>${traceParts(trace, folders).map((piece) => {
      const { place } = piece;
      const go = (event: Event) => {
        event.preventDefault();
        if (place) actions.send({ type: "openPlace", ...place });
      };
      return place
        ? html`<a href="#" title=${t`Open ${place.path}`} @click=${go}>${revealed(piece.text)}</a>`
        : revealed(piece.text);
    })}</pre>
  </div>`;
}
