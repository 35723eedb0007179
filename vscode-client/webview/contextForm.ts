import { t } from "@vscode/l10n";
import { html, nothing } from "lit";
import { argumentsOf } from "../src/form/fields.ts";
import type { JsonObject, JsonValue } from "../src/protocol.ts";
import type { ContextInputs, ViewState, WithContext } from "../src/run/viewState.ts";
import { argumentsForm, formToggle, type Written, written } from "./argumentsForm.ts";
import { type Actions, icon, type Local, onToggle, revealed } from "./parts.ts";

/** Among what is unfolded: the form. */
export const CONTEXT = "context";

/** What the tools of the agent are given beside the prompt; nothing for an agent that takes nothing. */
export function contextForm({ agent }: ViewState, local: Local, actions: Actions): unknown {
  if (!agent?.context) {
    return nothing;
  }
  const { context, id } = agent;
  const now = local.contexts[id] ?? begun(context);
  const change = (next: Written) => actions.change({ contexts: { ...local.contexts, [id]: next } });
  return html`<details class="context" ?open=${local.open.has(CONTEXT)} @toggle=${onToggle(CONTEXT, local, actions)}>
    <summary>${icon("chevron-right fold")}<span>${revealed(t`Context of ${id}`)}</span></summary>
    <div class="fields" role="group" aria-label=${t("Context")}>
      ${argumentsForm(context.fields, now, change, t("Context as JSON"))}
      ${context.fields.length > 0 ? formToggle(context.fields, now, change) : nothing}
    </div>
  </details>`;
}

/** What was given last, or the defaults. Where there are no fields, a box for JSON. */
function begun({ fields, used }: ContextInputs): Written {
  const isObject = typeof used === "object" && used !== null && !Array.isArray(used);
  const start = written(fields, isObject ? (used as JsonObject) : {});
  return fields.length > 0 && (used === undefined || isObject)
    ? start
    : { ...start, json: used === undefined ? "" : JSON.stringify(used, null, 2) };
}

/** The context as written; nothing written means none is sent. */
function givenContext(
  { agent }: ViewState,
  local: Local,
): WithContext | { readonly problems: Readonly<Record<string, string>> } {
  if (!agent?.context) {
    return {};
  }
  const { fields } = agent.context;
  const { json, values } = local.contexts[agent.id] ?? begun(agent.context);
  if (json === undefined) {
    const made = argumentsOf(fields, values);
    return "problems" in made ? made : { toolContext: made.arguments };
  }
  if (json.trim() === "") {
    return {};
  }
  try {
    return { toolContext: JSON.parse(json) as JsonValue };
  } catch (error) {
    return { problems: { json: error instanceof Error ? error.message : String(error) } };
  }
}

/** Does something with the context; where it is none, the form unfolds with what is wrong at its fields. */
export function withGivenContext(
  state: ViewState,
  local: Local,
  actions: Actions,
  use: (given: WithContext) => void,
): void {
  const given = givenContext(state, local);
  const { agent } = state;
  if (!("problems" in given)) {
    use(given);
  } else if (agent?.context) {
    const now = local.contexts[agent.id] ?? begun(agent.context);
    actions.change({
      open: new Set([...local.open, CONTEXT]),
      contexts: { ...local.contexts, [agent.id]: { ...now, problems: given.problems } },
    });
  }
}
