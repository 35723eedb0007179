import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { Life } from "../src/protocol.ts";
import { revealParts } from "../src/run/reveal.ts";
import type { FromView } from "../src/run/viewState.ts";
import type { ArgumentRow } from "./argumentRows.ts";
import { beginning } from "./argumentRows.ts";
import type { Written } from "./argumentsForm.ts";
import type { Completion } from "./completion.ts";

/** What the person does in the view and the extension need not know. */
export interface Local {
  readonly draft: string;
  /** An earlier prompt that the draft takes the place of. */
  readonly edit?: { readonly seq: number } | undefined;
  /** What is being typed behind an `@`. */
  readonly completion?: Completion | undefined;
  /** What an agent's tools are given beside the prompt, by agent. */
  readonly contexts: Readonly<Record<string, Written>>;
  readonly reasons: Readonly<Record<string, string>>;
  /** Arguments that the person writes in the place of those of a call, by approval. */
  readonly edits: Readonly<Record<string, Written>>;
  /** How long an answer is remembered, by approval. */
  readonly lives: Readonly<Record<string, Life>>;
  /** Approvals, calls and prompts whose text is shown in full. */
  readonly whole: ReadonlySet<string>;
  /** Parts of cards that are unfolded. */
  readonly open: ReadonlySet<string>;
  /** Approvals that have been on the screen long enough not to be answered by a click meant for something else. */
  readonly armed: ReadonlySet<string>;
  /** Chunks of the transcript that are drawn, and the heights of those that were. */
  readonly near: ReadonlySet<number>;
  readonly heights: ReadonlyMap<number, number>;
}

export interface Actions {
  send(message: FromView): void;
  change(change: Partial<Local>): void;
  /** Puts an earlier prompt into the box, to be sent again in another wording. */
  editPrompt(seq: number, text: string): void;
  /** Takes the run up where it stands, with the context as it is written now. */
  resume(): void;
  /** Puts the cursor into the prompt. */
  placeCaret(at: number): void;
}

/** More marks than this in one text would freeze the view: then the escapes stand unmarked. */
const MAX_MARKS = 5000;

/** Text of a model or a tool: plain text, with what would be invisible as marked escapes. */
export function revealed(text: string): unknown {
  const parts = revealParts(text);
  if (parts.length > MAX_MARKS) {
    return parts.map((part) => part.text).join("");
  }
  return parts.map((part) =>
    part.escaped
      ? html`<span class="escape" title=${t("A character that cannot be seen or that changes how text is shown")}
          >${part.text}</span
        >`
      : part.text,
  );
}

export function icon(name: string, label?: string): TemplateResult {
  return label
    ? html`<span class="codicon codicon-${name}" role="img" aria-label=${label} title=${label}></span>`
    : html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

export function argumentList(rows: readonly ArgumentRow[]): TemplateResult {
  if (rows.length === 0) {
    return html`<p class="muted">${t("No arguments")}</p>`;
  }
  return html`<dl class="arguments">
    ${rows.map(
      (row) => html`<div class=${row.block ? "argument block" : "argument"}>
        <dt>${revealed(row.name)}</dt>
        <dd class=${`value ${row.type}`}>${revealed(row.text)}</dd>
      </div>`,
    )}
  </dl>`;
}

/** A text of a tool in a box; long ones begin cut, with a button that says how much is missing. */
export function textBox(label: string, text: string, id: string, local: Local, actions: Actions): TemplateResult {
  const shown = local.whole.has(id) ? text : beginning(text, 800, 10);
  const hidden = text.length - shown.length;
  return html`<div class="box">
    ${label ? html`<div class="label">${label}</div>` : nothing}
    <pre tabindex="0" aria-label=${label || t("Result")}>${revealed(shown)}</pre>
    ${hidden > 0 ? moreButton(t`Show ${count(hidden)} more characters`, id, local, actions) : nothing}
  </div>`;
}

export function moreButton(words: string, id: string, local: Local, actions: Actions): TemplateResult {
  const show = () => actions.change({ whole: new Set([...local.whole, id]) });
  return html`<button class="link more" @click=${show}>${words}</button>`;
}

/** Keeps track of what is unfolded, so that it is still when it is drawn anew. */
export function onToggle(id: string, local: Local, actions: Actions): (event: Event) => void {
  return ({ target }) => {
    const { open } = target as HTMLDetailsElement;
    if (open !== local.open.has(id)) {
      const others = [...local.open].filter((one) => one !== id);
      actions.change({ open: new Set(open ? [...others, id] : others) });
    }
  };
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`;
  }
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
