import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-textarea/index.js";
import { html, nothing, type TemplateResult } from "lit";
import { argumentsOf, type FormValues, initialValues, parseArguments } from "../../src/form/fields.ts";
import type { ToolsTryResult } from "../../src/protocol.ts";
import type { FromTry, TryState } from "../../src/try/messages.ts";
import { beginning } from "../argumentRows.ts";
import { formFields } from "../form.ts";
import { count, duration, icon, revealed } from "../parts.ts";
import { traceParts } from "../traceParts.ts";

/** What the person does in the panel and the extension need not know. */
export interface TryLocal {
  readonly values: FormValues;
  /** The arguments as JSON, in place of the form; undefined: the form. */
  readonly json: string | undefined;
  /** By field; `json` for the text as a whole. */
  readonly problems: Readonly<Record<string, string>>;
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
  return html`<main class="try">
    <header>
      <h1><span class="tool-name">${revealed(state.tool)}</span></h1>
      <button class="link" @click=${() => actions.send({ type: "openDefinition" })}>Go to definition</button>
    </header>
    ${state.description ? html`<p class="about">${revealed(state.description.trim())}</p>` : nothing}
    <form aria-label="Arguments" @submit=${(event: Event) => event.preventDefault()}>
      ${local.json === undefined ? fields(state, local, actions) : jsonBox(local.json, local, actions)}
      <div class="controls">
        ${
          state.running
            ? html`<vscode-button secondary class="stop" @click=${() => actions.send({ type: "stop" })}>Stop</vscode-button>`
            : html`<vscode-button class="run" title="Run the tool (Ctrl+Enter)" @click=${actions.run}>Run</vscode-button>`
        }
        ${toggle(state, local, actions)}
      </div>
      <p class="muted note">${icon("info")}<span>Run calls the tool with these arguments, without asking again.</span></p>
    </form>
    <section class="outcome" aria-live="polite" aria-label="Result">${outcome(state, local, actions)}</section>
  </main>`;
}

function fields(state: TryState, local: TryLocal, actions: TryActions): unknown {
  return state.fields.length === 0
    ? html`<p class="muted">This tool takes no arguments.</p>`
    : formFields(state.fields, local.values, local.problems, (values) => actions.change({ values }));
}

function jsonBox(json: string, local: TryLocal, actions: TryActions): TemplateResult {
  const onInput = (event: Event) => actions.change({ json: (event.target as HTMLTextAreaElement).value });
  const problem = local.problems.json;
  return html`<div class="field" data-field="json">
    <vscode-textarea
      class="json"
      label="Arguments as JSON"
      rows=${Math.min(20, Math.max(4, json.split("\n").length))}
      .value=${json}
      @input=${onInput}
    ></vscode-textarea>
    ${problem ? html`<p class="problem" role="alert">${revealed(problem)}</p>` : nothing}
  </div>`;
}

/** From the form to JSON and back; what was written is taken along as far as it can be. */
function toggle(state: TryState, local: TryLocal, actions: TryActions): TemplateResult {
  if (local.json === undefined) {
    const toJson = () => {
      const made = argumentsOf(state.fields, local.values);
      actions.change({ json: JSON.stringify("arguments" in made ? made.arguments : local.values, null, 2) });
    };
    return html`<button type="button" class="link" @click=${toJson}>Write as JSON</button>`;
  }
  const { json } = local;
  const toForm = () => {
    const parsed = parseArguments(json);
    actions.change(
      "problem" in parsed
        ? { problems: { json: parsed.problem } }
        : { json: undefined, values: initialValues(state.fields, parsed.arguments) },
    );
  };
  return html`<button type="button" class="link" @click=${toForm}>Use the form</button>`;
}

function outcome(state: TryState, local: TryLocal, actions: TryActions): unknown {
  if (state.problem) {
    return html`<p class="problem" role="alert">${icon("error")}<span>${revealed(state.problem)}</span></p>`;
  }
  if (state.running) {
    return html`<p class="muted">${icon("loading codicon-modifier-spin")} Running…</p>
      ${part("Printed", state.printed, "printed", local, actions)}`;
  }
  return state.result ? resultOf(state.result, state, local, actions) : nothing;
}

function resultOf(result: ToolsTryResult, state: TryState, local: TryLocal, actions: TryActions): TemplateResult {
  const status = { success: "pass", error: "error", cancelled: "circle-slash" }[result.status];
  const words = { success: "Succeeded", error: "Failed", cancelled: "Cancelled" }[result.status];
  const output = result.output === undefined ? "" : JSON.stringify(result.output, null, 2);
  return html`
    <h2 class=${result.status}>${icon(status)} ${words} <span class="muted">${duration(result.durationMs)}</span></h2>
    ${part("Shown to the person", result.display ?? "", "display", local, actions)}
    ${part("Sent to the model", result.observation, "observation", local, actions)}
    ${output && output !== JSON.stringify(result.observation) ? part("Output", output, "output", local, actions) : nothing}
    ${part("Printed", result.printed ?? "", "printed", local, actions)}
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
      <button type="button" class="tool" title=${`Copy: ${label}`} aria-label=${`Copy: ${label}`}
        @click=${() => actions.send({ type: "copy", text })}>${icon("copy")}</button>
    </div>
    <pre tabindex="0" aria-label=${label}>${revealed(shown)}</pre>
    ${hidden > 0 ? html`<button type="button" class="link more" @click=${more}>Show ${count(hidden)} more characters</button>` : nothing}
  </div>`;
}

function traceOf(trace: string, folders: readonly string[], actions: TryActions): TemplateResult {
  return html`<div class="box" data-part="trace">
    <div class="label">Where it failed</div>
    <pre tabindex="0" aria-label="Traceback">${traceParts(trace, folders).map((piece) => {
      const { place } = piece;
      const go = (event: Event) => {
        event.preventDefault();
        if (place) actions.send({ type: "openPlace", ...place });
      };
      return place
        ? html`<a href="#" title=${`Open ${place.path}`} @click=${go}>${revealed(piece.text)}</a>`
        : revealed(piece.text);
    })}</pre>
  </div>`;
}
