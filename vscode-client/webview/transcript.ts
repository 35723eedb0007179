import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import type { Todo, Usage } from "../src/protocol.ts";
import { endingWords, type Item, isGoing, type RunState } from "../src/run/transcript.ts";
import { usageWords, usesModel } from "../src/run/usage.ts";
import type { ViewState } from "../src/run/viewState.ts";
import { beginning } from "./argumentRows.ts";
import { callCard } from "./callCard.ts";
import { markdownBlocks } from "./markdown.ts";
import { CHUNK } from "./nearness.ts";
import { type Actions, count, icon, type Local, moreButton, revealed } from "./parts.ts";

type FinishedItem = Extract<Item, { kind: "finished" }>;
type PromptItem = Extract<Item, { kind: "prompt" }>;

/** A chunk that was never drawn is about as tall as this for each of its items. */
const ITEM_HEIGHT = 56;

export function transcript(state: ViewState, local: Local, actions: Actions): TemplateResult {
  const { items } = state;
  const chunks = Math.ceil(items.length / CHUNK);
  const asked = items.findLastIndex((item) => item.kind === "prompt");
  return html`<div class="transcript" role="log" aria-label=${t("Transcript")} aria-live="off" tabindex="0">
    <div class="items">
      ${Array.from({ length: chunks }, (_, chunk) => chunkView(chunk, chunks, asked, state, local, actions))}
      ${state.unheard.map(unheardPrompt)} ${tail(state, actions)}
    </div>
  </div>`;
}

/** The last two are always drawn: that is where things happen. */
function chunkView(
  chunk: number,
  chunks: number,
  asked: number,
  state: ViewState,
  local: Local,
  actions: Actions,
): TemplateResult {
  const items = state.items.slice(chunk * CHUNK, (chunk + 1) * CHUNK);
  if (chunk < chunks - 2 && !local.near.has(chunk)) {
    const height = local.heights.get(chunk) ?? items.length * ITEM_HEIGHT;
    return html`<div class="chunk" data-chunk=${chunk} .style=${`height: ${height}px`}></div>`;
  }
  // Drawn anew only when something in it, or about it, is another.
  const on = [
    ...items,
    state.run?.state,
    state.run?.elsewhere,
    state.model,
    state.folders,
    local.whole,
    local.open,
    local.edit,
    asked,
  ];
  return html`<div class="chunk" data-chunk=${chunk} .style=${""}>
    ${guard(on, () => items.map((item, index) => itemView(item, chunk * CHUNK + index > asked, state, local, actions)))}
  </div>`;
}

function itemView(item: Item, isLast: boolean, state: ViewState, local: Local, actions: Actions): unknown {
  switch (item.kind) {
    case "prompt":
      return promptView(item, state, local, actions);
    case "text":
      return html`<div class="text" @click=${(event: Event) => onLink(event, actions)}>
        ${guard([item.text], () => blocks(item.text))}
      </div>`;
    case "call":
      return callCard(item, state.run?.state ?? "finished", state.folders, local, actions);
    case "todos":
      return todoList(item.todos);
    case "notice":
      return html`<p class="notice">${icon("info")}<span>${revealed(item.text)}</span></p>`;
    case "error":
      return html`<div class="error" role="alert">
        ${icon("error")}
        <div>
          <p>${revealed(item.error.message)}</p>
          <p class="muted">
            ${item.error.code} · <button class="link" @click=${() => actions.send({ type: "showLog" })}>${t("Show log")}</button>
            ${isLast && state.run?.state === "finished" ? again(t("Try again"), actions) : nothing}
          </p>
        </div>
      </div>`;
    case "finished":
      return finishedView(item, isLast, state, actions);
  }
}

/** Only what grew is made anew: what was marked in the text before stays marked. */
function blocks(text: string): TemplateResult[] {
  return markdownBlocks(text).map(({ key, nodes }) => html`<div class="block">${guard([key], () => nodes())}</div>`);
}

function promptView(item: PromptItem, state: ViewState, local: Local, actions: Actions): TemplateResult {
  const id = `prompt:${item.seq}`;
  const shown = local.whole.has(id) ? item.text : beginning(item.text, 1200, 14);
  const hidden = item.text.length - shown.length;
  const edit = () => actions.editPrompt(item.seq, item.text);
  const canEdit = state.run !== undefined && !isGoing(state.run.state);
  const isEdited = local.edit?.seq === item.seq;
  return html`<div class=${isEdited ? "prompt edited" : "prompt"}>
    <div class="said" role="note" aria-label=${t("You")}>${revealed(shown)}</div>
    ${hidden > 0 ? moreButton(t`Show ${count(hidden)} more characters`, id, local, actions) : nothing}
    ${
      canEdit
        ? html`<button class="tool edit" title=${t("Edit and send again")} aria-label=${t("Edit and send again")} @click=${edit}>
            ${icon("edit")}
          </button>`
        : nothing
    }
  </div>`;
}

function unheardPrompt(text: string): TemplateResult {
  return html`<div class="prompt unheard">
    <div class="said" role="note" aria-label=${t("You, not heard yet")}>${revealed(beginning(text, 1200, 14))}</div>
    <p class="muted">${icon("clockface")} ${t("The agent hears it at its next step")}</p>
  </div>`;
}

function finishedView(item: FinishedItem, isLast: boolean, state: ViewState, actions: Actions): unknown {
  if (isLast && state.run?.state === "interrupted") {
    return nothing; // the end of the transcript says more
  }
  const isUnfinished = item.stopReason === "limit" || item.stopReason === "cancelled";
  const fork = () => actions.send({ type: "fork", beforeSeq: item.seq + 1 });
  return html`<div class="finished">
    <span>${item.interrupted ? t("Interrupted") : endingWords(item.stopReason)}${usedIn(item, state)}</span>
    ${isLast && isUnfinished && state.run?.state === "finished" ? again(t("Go on"), actions) : nothing}
    <span class="space"></span>
    <button class="tool" title=${t("Fork: go on from here in a new run")} aria-label=${t("Fork: go on from here in a new run")} @click=${fork}>
      ${icon("repo-forked")}
    </button>
  </div>`;
}

/** Takes the run up where it stands. */
function again(words: string, actions: Actions): TemplateResult {
  return html`· <button class="link again" @click=${() => actions.resume()}>${words}</button>`;
}

const TODO_ICONS: Readonly<Record<Todo["status"], string>> = {
  pending: "circle-large-outline",
  in_progress: "arrow-circle-right",
  completed: "pass",
};

function todoWords(status: Todo["status"]): string {
  switch (status) {
    case "pending":
      return t("pending");
    case "in_progress":
      return t("in progress");
    case "completed":
      return t("completed");
  }
}

function todoList(todos: readonly Todo[]): TemplateResult {
  const done = todos.filter((todo) => todo.status === "completed").length;
  return html`<ul class="todos" aria-label=${t`To do: ${done} of ${todos.length} completed`}>
    ${todos.map(
      (todo) => html`<li class=${todo.status}>
        ${icon(TODO_ICONS[todo.status])}<span class="visually-hidden">${todoWords(todo.status)}: </span>
        <span>${revealed(todo.content)}</span>
      </li>`,
    )}
  </ul>`;
}

function goingWords(state: RunState): string | undefined {
  switch (state) {
    case "starting":
      return t("Starting…");
    case "running":
      return t("Working…");
    case "cancelling":
      return t("Stopping…");
    default:
      return undefined;
  }
}

function tail({ run, items }: ViewState, actions: Actions): unknown {
  if (!run) {
    return nothing;
  }
  if (run.elsewhere) {
    return html`<p class="notice elsewhere">${icon("window")}<span
        >${t("This run goes on in another window or at a terminal. You can read it here; questions are answered there.")}</span
      ></p>`;
  }
  if (run.state === "interrupted") {
    return html`<div class="interrupted" role="group" aria-label=${t("Interrupted run")}>
      <p>${icon("debug-disconnect")}<span>${interruptedWords(items.at(-1))}</span></p>
      <vscode-button class="resume" @click=${() => actions.resume()}>${t("Resume")}</vscode-button>
    </div>`;
  }
  const words = goingWords(run.state);
  return words
    ? html`<p class="going">${icon("loading codicon-modifier-spin")}<span>${words}${used(run.usage)}</span></p>`
    : nothing;
}

/** What the run waits for is asked about anew when it is resumed. */
function interruptedWords(last: Item | undefined): string {
  const why =
    last?.kind === "finished"
      ? t("Interrupted: the window was closed or reloaded.")
      : t("Interrupted: the language server or the agent ended.");
  return `${why} ${t("Resume goes on from here; calls that waited for you are asked about again.")}`;
}

/** What an episode has used; of one that has an answer from a model, also that nobody counted it. */
function usedIn({ usage, stopReason }: FinishedItem, state: ViewState): string {
  const isAnswered = stopReason === "end_turn" || stopReason === "limit";
  return usage || !isAnswered || !usesModel(state.model) ? used(usage) : ` · ${usageWords(undefined)}`;
}

function used(usage: Usage | undefined): string {
  return usage && usage.inputTokens + usage.outputTokens > 0 ? ` · ${usageWords(usage)}` : "";
}

function onLink(event: Event, actions: Actions): void {
  const link = (event.target as Element).closest("a");
  if (link) {
    event.preventDefault();
    actions.send({ type: "openLink", url: link.href });
  }
}
