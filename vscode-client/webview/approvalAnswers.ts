import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { fieldsOf } from "../src/form/fields.ts";
import type { ApprovalOption, JsonObject, Life } from "../src/protocol.ts";
import type { WaitingApproval } from "../src/run/approvals.ts";
import { read } from "./argumentsForm.ts";
import { type Actions, icon, type Local, onToggle, revealed } from "./parts.ts";

/**
 * What can be answered. `complete`: all of the call has been shown. Arguments that the person has edited can be allowed
 * for this once alone.
 */
export function answers(approval: WaitingApproval, complete: boolean, local: Local, actions: Actions): TemplateResult {
  const { request } = approval;
  const id = request.approvalId;
  const reason = local.reasons[id] ?? "";
  const isEdited = local.edits[id] !== undefined;
  const answer = (option: ApprovalOption, updatedInput?: JsonObject) => {
    const choice = { approvalId: id, argsDigest: request.argsDigest, optionId: option.optionId, feedback: reason };
    actions.send({ type: "answer", choice: updatedInput ? { ...choice, updatedInput } : choice });
  };
  const answerOnce = (option: ApprovalOption) => {
    if (isEdited && allows(option)) {
      const made = editedArguments(approval, local, actions);
      return made && answer(option, made);
    }
    answer(option);
  };
  const armed = (complete || isEdited) && approval.arguments !== undefined && local.armed.has(id);
  const once = request.options.filter((option) => option.kind === "allow_once" || option.kind === "reject_once");
  const deny = request.options.find((option) => option.kind === "reject_once");
  return html`<div class="answers">
    <div class="buttons" role="group" aria-label=${t("Answer")}>
      ${once.map((option) => onceButton(option, isEdited, armed, () => answerOnce(option)))}
    </div>
    ${deny ? reasonField(id, reason, () => answer(deny), local, actions) : nothing}
    ${isEdited ? nothing : remembered(approval, armed, local, actions, answer)}
  </div>`;
}

/** The arguments as edited; undefined where they are none, and the form says what is wrong. */
function editedArguments(approval: WaitingApproval, local: Local, actions: Actions): JsonObject | undefined {
  const id = approval.request.approvalId;
  const now = local.edits[id];
  if (!now) {
    return undefined;
  }
  const made = read(fieldsOf(approval.request.inputSchema ?? {}), now);
  if ("arguments" in made) {
    return made.arguments;
  }
  actions.change({ edits: { ...local.edits, [id]: { ...now, problems: made.problems } } });
  return undefined;
}

function reasonField(id: string, reason: string, deny: () => void, local: Local, actions: Actions): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      deny();
    }
  };
  const onReason = (event: Event) => {
    const field = event.target as HTMLInputElement;
    actions.change({ reasons: { ...local.reasons, [id]: field.value } });
  };
  return html`<vscode-textfield
    class="reason"
    .label=${t("Reason for denying")}
    placeholder=${t("Reason, told to the model")}
    .value=${reason}
    @input=${onReason}
    @keydown=${onKey}
  ></vscode-textfield>`;
}

function onceButton(option: ApprovalOption, isEdited: boolean, armed: boolean, answer: () => void): TemplateResult {
  return html`<vscode-button
    ?secondary=${option.kind !== "allow_once"}
    ?disabled=${allows(option) && !armed}
    data-option=${option.kind}
    @click=${answer}
    >${isEdited && allows(option) ? t("Allow as edited, once") : option.label}</vscode-button
  >`;
}

/** Answers that are remembered: first for how long, then what; each with the very rule that would be. */
function remembered(
  approval: WaitingApproval,
  armed: boolean,
  local: Local,
  actions: Actions,
  answer: (option: ApprovalOption) => void,
): unknown {
  const { approvalId: id, options } = approval.request;
  const lasting = options.filter((option) => option.kind === "allow_always" || option.kind === "reject_always");
  if (lasting.length === 0) {
    return nothing;
  }
  const offered = (["session", "workspace"] as const).filter((life) =>
    lasting.some((option) => allows(option) && option.life === life),
  );
  const life = local.lives[id] ?? offered[0];
  const shown = lasting.filter((option) => !allows(option) || option.life === undefined || option.life === life);
  const part = `${id}:remember`;
  return html`<details class="remember" ?open=${local.open.has(part)} @toggle=${onToggle(part, local, actions)}>
    <summary>${icon("chevron-right fold")}<span>${t("Answer for the next calls too")}</span></summary>
    ${offered.length > 1 && life ? lifeChoice(id, offered, life, local, actions) : nothing}
    ${shown.map((option) => lastingButton(option, armed, () => answer(option)))}
  </details>`;
}

function lifeChoice(id: string, offered: readonly Life[], life: Life, local: Local, actions: Actions): TemplateResult {
  return html`<div class="lives" role="radiogroup" aria-label=${t("How long an allowance is remembered")}>
    ${offered.map(
      (one) => html`<label>
        <input
          type="radio"
          name=${`life-${id}`}
          .checked=${one === life}
          @change=${() => actions.change({ lives: { ...local.lives, [id]: one } })}
        />
        ${one === "session" ? t("This session") : t("This workspace")}
      </label>`,
    )}
  </div>`;
}

function lastingButton(option: ApprovalOption, armed: boolean, answer: () => void): TemplateResult {
  return html`<button
    class="lasting"
    ?disabled=${allows(option) && !armed}
    data-option=${option.kind}
    data-id=${option.optionId}
    @click=${answer}
  >
    <span>${revealed(option.label)}</span>${option.rule ? html`<span class="rule">${revealed(option.rule)}</span>` : nothing}
  </button>`;
}

function allows(option: ApprovalOption): boolean {
  return option.kind === "allow_once" || option.kind === "allow_always";
}
