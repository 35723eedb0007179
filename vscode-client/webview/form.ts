import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { FormField, FormValues } from "../src/form/fields.ts";
import { revealed } from "./parts.ts";

/** What is chosen where nothing is. */
const NOT_SET = "";

/** The inputs of `fields`. `changed` gets all values, without those that are not set. */
export function formFields(
  fields: readonly FormField[],
  values: FormValues,
  problems: Readonly<Record<string, string>>,
  changed: (values: FormValues) => void,
): TemplateResult[] {
  return fields.map((field) => {
    const problem = Object.hasOwn(problems, field.name) ? problems[field.name] : undefined;
    const set = (text: string | undefined) => {
      const { [field.name]: _, ...others } = values;
      changed(text === undefined ? others : { ...others, [field.name]: text });
    };
    const value = Object.hasOwn(values, field.name) ? (values[field.name] ?? "") : "";
    return html`<div class="field" data-field=${field.name}>
      <div class="label">
        <span class="tool-name">${revealed(field.name)}</span>
        <span class="muted">${revealed(field.type)}${field.required ? "" : `, ${t("optional")}`}</span>
      </div>
      ${field.description ? html`<p class="muted">${revealed(field.description)}</p>` : nothing}
      ${input(field, value, set)}
      ${problem ? html`<p class="problem" role="alert">${revealed(problem)}</p>` : nothing}
    </div>`;
  });
}

function input(field: FormField, value: string, set: (text: string | undefined) => void): TemplateResult {
  const choices = field.options ?? (field.kind === "boolean" ? [true, false] : undefined);
  if (choices) {
    return choice(
      field,
      choices.map((option) => JSON.stringify(option)),
      value,
      set,
    );
  }
  const onInput = (event: Event) => {
    const text = (event.target as HTMLInputElement).value;
    // An optional text that was emptied is not set: an empty one can be given as JSON.
    set(text === "" ? undefined : text);
  };
  const label = `${field.name}, ${field.type}`;
  if (field.kind === "number") {
    return html`<vscode-textfield .label=${label} inputmode="decimal" .value=${value} @input=${onInput}></vscode-textfield>`;
  }
  const rows = Math.min(12, Math.max(field.kind === "json" ? 2 : 1, value.split("\n").length));
  return html`<vscode-textarea
    .label=${label}
    class=${field.kind === "json" ? "json" : "text"}
    rows=${rows}
    placeholder=${field.kind === "json" ? "JSON" : ""}
    .value=${value}
    @input=${onInput}
  ></vscode-textarea>`;
}

function choice(
  field: FormField,
  options: readonly string[],
  value: string,
  set: (text: string | undefined) => void,
): TemplateResult {
  const onChange = (event: Event) => set((event.target as HTMLSelectElement).value || undefined);
  const labelled = options.map((option) => ({ value: option, label: option.replace(/^"(.*)"$/s, "$1") }));
  const choices = [{ value: NOT_SET, label: field.required ? t("Choose one") : t("Not set") }, ...labelled];
  // Not as elements inside: of those it reads the text as drawn, which is empty in a part that is folded.
  return html`<vscode-single-select
    .label=${`${field.name}, ${field.type}`}
    .options=${choices}
    .value=${value}
    @change=${onChange}
  ></vscode-single-select>`;
}
