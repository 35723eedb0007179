import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { modeWords } from "../src/run/modes.ts";
import { isGoing } from "../src/run/transcript.ts";
import type { ViewState } from "../src/run/viewState.ts";
import { complete, completionAt, completionKey, completionList } from "./completion.ts";
import { contextForm, withGivenContext } from "./contextForm.ts";
import { type Actions, icon, type Local } from "./parts.ts";

interface TextArea extends HTMLElement {
  readonly value: string;
  /** The real input, in the shadow of the element. */
  readonly wrappedElement?: HTMLTextAreaElement;
}

/** The prompt, what it runs with, and Run or Stop. Enter runs, Shift+Enter begins a new line. */
export function composer(state: ViewState, local: Local, actions: Actions): TemplateResult {
  const { run } = state;
  const isReady = state.readiness.kind === "ready" || state.readiness.kind === "starting";
  const isBusy = state.queued || run?.state === "starting" || run?.state === "cancelling";
  const going = state.queued || (run !== undefined && isGoing(run.state) && !run.elsewhere);
  const canSend = isReady && !isBusy && !run?.elsewhere && local.draft.trim() !== "";
  const mode = modeWords(state.mode);
  const send = () => canSend && sendPrompt(state, local, actions);
  return html`<form class="composer" aria-label=${t("Prompt")} @submit=${(event: Event) => event.preventDefault()}>
    ${notes(state, local, actions)} ${contextForm(state, local, actions)}
    <div class="box">
      ${completionList(local, (path) => complete(path, local, actions))}
      <vscode-textarea
        id="prompt"
        .label=${t("Prompt")}
        placeholder=${placeholder(state)}
        rows=${Math.min(10, Math.max(3, local.draft.split("\n").length))}
        .value=${local.draft}
        ?disabled=${!isReady}
        @input=${(event: Event) => onInput(event.target as TextArea, actions)}
        @keydown=${(event: KeyboardEvent) => onKey(event, state, local, actions, send)}
        @blur=${() => local.completion && actions.change({ completion: undefined })}
      ></vscode-textarea>
    </div>
    <div class="controls">
      ${picker("pickModel", t`Model: ${state.model}`, state.model.split("/").at(-1) ?? "", "", actions)}
      ${picker("pickMode", t`Mode: ${mode.label}. ${mode.about}`, mode.label, state.mode, actions)}
      <span class="space"></span>
      <button
        type="button"
        class="tool attach"
        title=${t("Attach files to the prompt")}
        aria-label=${t("Attach files to the prompt")}
        ?disabled=${!isReady}
        @click=${() => actions.send({ type: "pickFiles" })}
      >
        ${icon("attach")}
      </button>
      ${
        going && !canSend
          ? nothing
          : html`<vscode-button class="run" ?disabled=${!canSend} @click=${send}>${sendWords(state, local)}</vscode-button>`
      }
      ${
        going
          ? html`<vscode-button secondary class="stop" @click=${() => actions.send({ type: "stop" })}>${t("Stop")}</vscode-button>`
          : nothing
      }
    </div>
  </form>`;
}

function sendPrompt(state: ViewState, local: Local, actions: Actions): void {
  const { edit, draft: prompt } = local;
  withGivenContext(state, local, actions, (given) =>
    actions.send(edit ? { type: "resend", seq: edit.seq, prompt, ...given } : { type: "run", prompt, ...given }),
  );
}

function sendWords({ run }: ViewState, local: Local): string {
  if (local.edit) {
    return t("Send again");
  }
  return run === undefined ? t("Run") : t("Send");
}

function placeholder({ run }: ViewState): string {
  if (run?.elsewhere) {
    return t("Goes on in another window");
  }
  if (run === undefined) {
    return t("What should the agent do? Enter runs, Shift+Enter adds a line, @ adds a file");
  }
  return isGoing(run.state) ? t("Tell the agent more while it works") : t("Go on in this run");
}

function notes(state: ViewState, local: Local, actions: Actions): unknown {
  const leaveEdit = () => actions.change({ edit: undefined, draft: "" });
  return html`
    ${state.problem ? html`<p class="problem" role="alert">${icon("error")}<span>${state.problem}</span></p>` : nothing}
    ${
      state.queued
        ? html`<p class="going queued">
            ${icon("loading codicon-modifier-spin")}<span>${t("Runs as soon as the language server has started.")}</span>
          </p>`
        : nothing
    }
    ${
      local.edit
        ? html`<p class="notice editing">
            ${icon("edit")}<span
              >${t("Sent in the place of the earlier prompt, in a new run; this run stays as it is.")}
              <button type="button" class="link" @click=${leaveEdit}>${t("Cancel")}</button></span
            >
          </p>`
        : nothing
    }
    ${
      state.mode === "yolo"
        ? html`<p class="yolo">${icon("warning")}<span>${t("Everything runs without asking you.")}</span></p>`
        : nothing
    }
    ${state.agent || state.projectRoot ? html`<div class="controls">${whoAnswers(state, actions)}</div>` : nothing}
  `;
}

function onInput(area: TextArea, actions: Actions): void {
  const caret = area.wrappedElement?.selectionStart ?? area.value.length;
  const completion = completionAt(area.value, caret);
  actions.change({ draft: area.value, completion });
  if (completion) {
    actions.send({ type: "findFiles", query: completion.query });
  }
}

function onKey(event: KeyboardEvent, state: ViewState, local: Local, actions: Actions, send: () => void): void {
  if (completionKey(event, local, actions)) {
    event.preventDefault();
  } else if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing) {
    event.preventDefault();
    send();
  } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !event.shiftKey && !event.altKey) {
    const recalled = recall(event.key === "ArrowUp" ? 1 : -1, state.history, local.draft);
    if (recalled !== undefined) {
      event.preventDefault();
      actions.change({ draft: recalled });
      actions.placeCaret(recalled.length);
    }
  }
}

/** An earlier or a later prompt, where the box is empty or holds one as it was. Undefined: the key moves the cursor. */
export function recall(step: number, history: readonly string[], draft: string): string | undefined {
  const at = draft === "" ? -1 : history.indexOf(draft);
  if (draft !== "" && at < 0) {
    return undefined;
  }
  return at + step === -1 ? (at < 0 ? undefined : "") : history[at + step];
}

function whoAnswers({ agent, projectRoot }: ViewState, actions: Actions): unknown {
  const agentWords = agent && t`Agent: ${agent.id}`;
  const project = projectRoot && projectName(projectRoot);
  return html`
    ${agentWords ? picker("pickAgent", agentWords, agentWords, "", actions) : nothing}
    ${project ? picker("pickProject", `${project}: ${projectRoot}`, project, "", actions) : nothing}
  `;
}

function projectName(root: string): string {
  return t`Project ${root.split(/[\\/]/).at(-1) ?? root}`;
}

function picker(
  type: "pickAgent" | "pickModel" | "pickMode" | "pickProject",
  label: string,
  words: string,
  kind: string,
  actions: Actions,
): TemplateResult {
  return html`<button
    type="button"
    class=${`picker ${type} ${kind}`}
    title=${label}
    aria-label=${label}
    aria-haspopup="listbox"
    @click=${() => actions.send({ type })}
  >
    ${kind === "yolo" ? icon("warning") : nothing}<span>${words}</span>${icon("chevron-down")}
  </button>`;
}
