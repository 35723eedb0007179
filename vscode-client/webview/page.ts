import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { Readiness, ViewState } from "../src/run/viewState.ts";
import { approvalRegion } from "./approvalCard.ts";
import { composer } from "./composer.ts";
import { type Actions, icon, type Local } from "./parts.ts";
import { transcript } from "./transcript.ts";

/** The whole Run view. */
export function page(state: ViewState, local: Local, actions: Actions): TemplateResult {
  const isEmpty = state.items.length === 0 && state.run === undefined;
  return html`
    <div class="visually-hidden" role="status">${statusWords(state)}</div>
    ${state.readiness.kind === "ready" || !isEmpty ? nothing : hint(state.readiness, actions)}
    ${
      isEmpty
        ? state.readiness.kind === "ready"
          ? welcome(actions)
          : html`<div class="space"></div>`
        : transcript(state, local, actions)
    }
    ${approvalRegion(state.approvals, state.run?.runId, local, actions)} ${composer(state, local, actions)}
  `;
}

/** What a screen reader says when it changes. */
export function statusWords(state: ViewState): string {
  const [first] = state.approvals;
  if (first) {
    const others = state.approvals.length - 1;
    const { tool } = first.request;
    return others > 0 ? t`Approval needed: ${tool} and ${others} more` : t`Approval needed: ${tool}`;
  }
  if (state.queued) {
    return t("Waiting for the language server");
  }
  const last = state.items.at(-1);
  switch (state.run?.state) {
    case "starting":
    case "running":
    case "waiting_approval":
      return last?.kind === "call" && !last.result ? t`Running ${last.tool}` : t("Running");
    case "cancelling":
      return t("Stopping");
    case "finished":
      return last?.kind === "finished" && last.stopReason === "end_turn"
        ? t("The run is done")
        : t("The run has ended");
    case "interrupted":
      return t("The run was interrupted");
    default:
      return "";
  }
}

/** A sentence of ours with code in backquotes, which a translation may have at another place. */
function withCode(words: string): unknown[] {
  return words.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

function welcome(actions: Actions): TemplateResult {
  return html`<div class="welcome">
    <h2>${t("Run an agent with your tools")}</h2>
    <p>${withCode(t("It can call the functions of `.adal/tools.py` and asks you before it does anything that matters."))}</p>
    <p>${withCode(t("The model `offline` needs no account: it makes the calls you write, for example"))}</p>
    <pre>add(a=1, b=2)</pre>
    <p>
      <button class="link" @click=${() => actions.send({ type: "pickModel" })}>${t("Choose a model")}</button>
      <span class="muted">${t("or")}</span>
      <button class="link" @click=${() => actions.send({ type: "newToolsFile" })}>${t("make a tools file")}</button>
    </p>
  </div>`;
}

function hint(readiness: Exclude<Readiness, { kind: "ready" }>, actions: Actions): TemplateResult {
  switch (readiness.kind) {
    case "starting":
      return html`<div class="welcome"><p class="going">${icon("loading codicon-modifier-spin")} ${t("Starting the language server…")}</p></div>`;
    case "untrusted":
      return html`<div class="welcome">
        <h2>${icon("workspace-untrusted")} ${t("Restricted Mode")}</h2>
        <p>${t("Tools files are checked, but nothing of this folder is imported or run until you trust it.")}</p>
        <vscode-button @click=${() => actions.send({ type: "manageTrust" })}>${t("Manage workspace trust")}</vscode-button>
      </div>`;
    case "blocked":
      return html`<div class="welcome">
        <h2>${icon("warning")} ${readiness.title}</h2>
        <p>${readiness.message}</p>
        ${
          readiness.action
            ? html`<vscode-button @click=${() => actions.send({ type: "act" })}>${readiness.action.title}</vscode-button>`
            : nothing
        }
        <p><button class="link" @click=${() => actions.send({ type: "showLog" })}>${t("Show log")}</button></p>
      </div>`;
  }
}
