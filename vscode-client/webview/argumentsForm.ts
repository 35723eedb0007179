import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { argumentsOf, type FormField, type FormValues, initialValues, parseArguments } from "../src/form/fields.ts";
import type { JsonObject } from "../src/protocol.ts";
import { formFields } from "./form.ts";
import { revealed } from "./parts.ts";

/** Arguments as a person writes them: in a form, or as JSON. */
export interface Written {
  readonly values: FormValues;
  /** The arguments as JSON, in place of the form; undefined: the form. */
  readonly json: string | undefined;
  /** By field; `json` for the text as a whole. */
  readonly problems: Readonly<Record<string, string>>;
}

/** What stands in the form at first. */
export function written(fields: readonly FormField[], used: JsonObject): Written {
  return { values: initialValues(fields, used), json: undefined, problems: {} };
}

/** The arguments that were written, or what is wrong with them and where. */
export function read(
  fields: readonly FormField[],
  { values, json }: Written,
): { readonly arguments: JsonObject } | { readonly problems: Readonly<Record<string, string>> } {
  if (json === undefined) {
    return argumentsOf(fields, values);
  }
  const parsed = parseArguments(json);
  return "problem" in parsed ? { problems: { json: parsed.problem } } : parsed;
}

/** The inputs, or the box for JSON. */
export function argumentsForm(
  fields: readonly FormField[],
  now: Written,
  changed: (next: Written) => void,
  label = t("Arguments as JSON"),
): unknown {
  const { json, problems } = now;
  if (json === undefined) {
    return formFields(fields, now.values, problems, (values) => changed({ ...now, values, problems: {} }));
  }
  const onInput = (event: Event) =>
    changed({ ...now, json: (event.target as HTMLTextAreaElement).value, problems: {} });
  return html`<div class="field" data-field="json">
    <vscode-textarea
      class="json"
      .label=${label}
      rows=${Math.min(20, Math.max(4, json.split("\n").length))}
      .value=${json}
      @input=${onInput}
    ></vscode-textarea>
    ${problems.json ? html`<p class="problem" role="alert">${revealed(problems.json)}</p>` : nothing}
  </div>`;
}

/** From the form to JSON and back; what was written is taken along as far as it can be. */
export function formToggle(
  fields: readonly FormField[],
  now: Written,
  changed: (next: Written) => void,
): TemplateResult {
  const { json } = now;
  if (json === undefined) {
    const toJson = () => {
      const made = argumentsOf(fields, now.values);
      const value = "arguments" in made ? made.arguments : now.values;
      changed({ ...now, json: JSON.stringify(value, null, 2), problems: {} });
    };
    return html`<button type="button" class="link" @click=${toJson}>${t("Write as JSON")}</button>`;
  }
  const toForm = () => {
    const parsed = parseArguments(json);
    changed(
      "problem" in parsed
        ? { ...now, problems: { json: parsed.problem } }
        : { values: initialValues(fields, parsed.arguments), json: undefined, problems: {} },
    );
  };
  return html`<button type="button" class="link" @click=${toForm}>${t("Use the form")}</button>`;
}
