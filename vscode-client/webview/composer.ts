import { html, nothing, type TemplateResult } from "lit";
import { MODES } from "../src/run/modes.ts";
import { isGoing } from "../src/run/transcript.ts";
import type { ViewState } from "../src/run/viewState.ts";
import { type Actions, icon, type Local } from "./parts.ts";

/** The prompt, what it runs with, and Run or Stop. Enter runs, Shift+Enter begins a new line. */
export function composer(state: ViewState, local: Local, actions: Actions): TemplateResult {
  const going = state.queued || (state.run !== undefined && isGoing(state.run.state));
  const ready = state.readiness.kind === "ready" || state.readiness.kind === "starting";
  const canRun = ready && !going && local.draft.trim() !== "";
  const run = () => canRun && actions.send({ type: "run", prompt: local.draft });
  const onInput = (event: Event) => actions.change({ draft: (event.target as HTMLTextAreaElement).value });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing) {
      event.preventDefault();
      run();
    }
  };
  return html`<form class="composer" aria-label="Prompt" @submit=${(event: Event) => event.preventDefault()}>
    ${state.problem ? html`<p class="problem" role="alert">${icon("error")}<span>${state.problem}</span></p>` : nothing}
    ${
      state.queued
        ? html`<p class="going queued">
            ${icon("loading codicon-modifier-spin")}<span>Runs as soon as the language server has started.</span>
          </p>`
        : nothing
    }
    ${
      state.mode === "yolo"
        ? html`<p class="yolo">${icon("warning")}<span>Everything runs without asking you.</span></p>`
        : nothing
    }
    ${
      state.projectRoot
        ? picker("pickProject", `Project: ${state.projectRoot}`, projectName(state.projectRoot), "", actions)
        : nothing
    }
    <vscode-textarea
      id="prompt"
      label="Prompt"
      placeholder="What should the agent do? Enter runs, Shift+Enter adds a line"
      rows=${Math.min(10, Math.max(3, local.draft.split("\n").length))}
      .value=${local.draft}
      ?disabled=${!ready}
      @input=${onInput}
      @keydown=${onKey}
    ></vscode-textarea>
    <div class="controls">
      ${picker("pickModel", `Model: ${state.model}`, state.model.split("/").at(-1) ?? "", "", actions)}
      ${picker("pickMode", `Mode: ${MODES[state.mode].about}`, MODES[state.mode].label, state.mode, actions)}
      <span class="space"></span>
      ${
        going
          ? html`<vscode-button secondary class="stop" @click=${() => actions.send({ type: "stop" })}>Stop</vscode-button>`
          : html`<vscode-button class="run" ?disabled=${!canRun} @click=${run}>Run</vscode-button>`
      }
    </div>
  </form>`;
}

function projectName(root: string): string {
  return `Project ${root.split(/[\\/]/).at(-1)}`;
}

function picker(
  type: "pickModel" | "pickMode" | "pickProject",
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
