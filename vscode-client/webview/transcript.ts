import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import type { Todo, Usage } from "../src/protocol.ts";
import { ENDINGS, type Item, type RunState } from "../src/run/transcript.ts";
import type { ViewState } from "../src/run/viewState.ts";
import { callCard } from "./callCard.ts";
import { markdownNodes } from "./markdown.ts";
import { type Actions, count, icon, type Local, revealed } from "./parts.ts";

export function transcript(state: ViewState, local: Local, actions: Actions): TemplateResult {
  const run = state.run?.state ?? "finished";
  return html`<div class="transcript" role="log" aria-label="Transcript" aria-live="off" tabindex="0">
    <div class="items">${state.items.map((item) => itemView(item, run, state, local, actions))} ${tail(run)}</div>
  </div>`;
}

function itemView(item: Item, run: RunState, state: ViewState, local: Local, actions: Actions): TemplateResult {
  switch (item.kind) {
    case "prompt":
      return html`<div class="prompt" aria-label="You">${revealed(item.text)}</div>`;
    case "text":
      // The nodes are made anew only when the text grew.
      return html`<div class="text" @click=${(event: Event) => onLink(event, actions)}>
        ${guard([item.text], () => markdownNodes(item.text))}
      </div>`;
    case "call":
      return callCard(item, run, state.folders, local, actions);
    case "todos":
      return todoList(item.todos);
    case "notice":
      return html`<p class="notice">${icon("info")}<span>${revealed(item.text)}</span></p>`;
    case "error":
      return html`<div class="error" role="alert">
        ${icon("error")}
        <div>
          <p>${revealed(item.error.message)}</p>
          <p class="muted">${item.error.code} · <button class="link" @click=${() => actions.send({ type: "showLog" })}>Show log</button></p>
        </div>
      </div>`;
    case "finished":
      return html`<p class="finished">${ENDINGS[item.stopReason]}${usageWords(state.run?.usage)}</p>`;
  }
}

const TODO_ICONS: Readonly<Record<Todo["status"], string>> = {
  pending: "circle-large-outline",
  in_progress: "arrow-circle-right",
  completed: "pass",
};

function todoList(todos: readonly Todo[]): TemplateResult {
  const done = todos.filter((todo) => todo.status === "completed").length;
  return html`<ul class="todos" aria-label=${`To do: ${done} of ${todos.length} completed`}>
    ${todos.map(
      (todo) => html`<li class=${todo.status}>
        ${icon(TODO_ICONS[todo.status])}<span class="visually-hidden">${todo.status.replace("_", " ")}: </span>
        <span>${revealed(todo.content)}</span>
      </li>`,
    )}
  </ul>`;
}

function tail(run: RunState): unknown {
  switch (run) {
    case "starting":
      return html`<p class="going">${icon("loading codicon-modifier-spin")} Starting…</p>`;
    case "running":
      return html`<p class="going">${icon("loading codicon-modifier-spin")} Working…</p>`;
    case "cancelling":
      return html`<p class="going">${icon("loading codicon-modifier-spin")} Stopping…</p>`;
    case "interrupted":
      return html`<p class="notice">${icon("debug-disconnect")}<span
          >Interrupted: the language server or the agent ended. Run the prompt again to go on.</span
        ></p>`;
    default:
      return nothing;
  }
}

function usageWords(usage: Usage | undefined): string {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) {
    return "";
  }
  const cost = usage.cost ? ` · $${usage.cost.toFixed(4)}` : "";
  return ` · ${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out${cost}`;
}

function onLink(event: Event, actions: Actions): void {
  const link = (event.target as Element).closest("a");
  if (link) {
    event.preventDefault();
    actions.send({ type: "openLink", url: link.href });
  }
}
