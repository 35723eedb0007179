import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ApprovalOption, Location, Preview } from "../src/protocol.ts";
import type { WaitingApproval } from "../src/run/approvals.ts";
import { type ArgumentRows, argumentRows, beginning } from "./argumentRows.ts";
import { type Actions, argumentList, count, icon, type Local, moreButton, revealed } from "./parts.ts";

/**
 * The region that asks. It is the only place in the view with answers to give, it stands outside the transcript, and
 * no text of a model or a tool gets out of its box in it. Nothing here takes the focus by itself, and no key but a
 * press of the focused button allows a call.
 */
export function approvalRegion(waiting: readonly WaitingApproval[], local: Local, actions: Actions): unknown {
  if (waiting.length === 0) {
    return nothing;
  }
  return html`<section class="approvals" aria-labelledby="approvals-title">
    <h2 id="approvals-title" tabindex="-1">
      ${icon("shield")} ${waiting.length === 1 ? "Waiting for your approval" : `${waiting.length} calls wait for your approval`}
    </h2>
    ${repeat(
      waiting,
      (approval) => approval.request.approvalId,
      (approval) => approvalCard(approval, local, actions),
    )}
  </section>`;
}

function approvalCard(approval: WaitingApproval, local: Local, actions: Actions): TemplateResult {
  const { request } = approval;
  const id = request.approvalId;
  const whole = local.whole.has(id);
  const shown = approval.arguments && argumentRows(approval.arguments, whole);
  const diff = request.preview?.diff ?? "";
  const shownDiff = whole ? diff : beginning(diff, 2000, 24);
  const hidden = (shown?.hidden ?? 0) + diff.length - shownDiff.length;
  return html`<article class="approval" aria-labelledby=${`title-${id}`} data-approval=${id}>
    <h3 id=${`title-${id}`}><span class="tool-name">${revealed(request.tool)}</span>${sourceLink(request.source, actions)}</h3>
    ${(request.risk ?? []).map((fact) => html`<p class="risk">${icon("warning")}<span>${revealed(fact)}</span></p>`)}
    <div class="details">
      ${previewOf(request.preview, approval.arguments?.command, shownDiff)} ${argumentsOf(approval, shown, actions)}
    </div>
    ${hidden > 0 ? moreButton(`${count(hidden)} more characters to be able to allow`, id, local, actions) : nothing}
    ${answers(approval, shown !== undefined && hidden === 0, local, actions)}
  </article>`;
}

function sourceLink(source: Location | undefined, actions: Actions): unknown {
  if (!source) {
    return html`<span class="muted">built-in tool</span>`;
  }
  const path = decodeURIComponent(new URL(source.uri).pathname);
  const words = `${path.split("/").slice(-2).join("/")}:${source.range.start.line + 1}`;
  const open = () => actions.send({ type: "open", location: source });
  return html`<button class="link source" title=${`Open ${path}`} @click=${open}>${revealed(words)}</button>`;
}

function previewOf(preview: Preview | undefined, command: unknown, diff: string): unknown {
  if (!preview) {
    return nothing;
  }
  return html`
    ${
      preview.command !== undefined && preview.command !== command
        ? html`<pre class="command" tabindex="0" aria-label="Command">${revealed(preview.command)}</pre>`
        : nothing
    }
    ${preview.cwd ? html`<p class="muted cwd">${icon("folder")}<span>${revealed(preview.cwd)}</span></p>` : nothing}
    ${diff ? html`<pre class="diff" tabindex="0" aria-label="Change">${diff.split("\n").map(diffLine)}</pre>` : nothing}
  `;
}

function diffLine(line: string): TemplateResult {
  const isHead = line.startsWith("+++ ") || line.startsWith("--- ");
  const kind = isHead ? "context" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "context";
  return html`<span class=${kind}>${revealed(line)}${"\n"}</span>`;
}

function argumentsOf(approval: WaitingApproval, shown: ArgumentRows | undefined, actions: Actions): TemplateResult {
  const id = approval.request.approvalId;
  if (!shown) {
    const again = () => actions.send({ type: "loadArguments", approvalId: id });
    return approval.problem
      ? html`<p class="problem">The arguments could not be fetched. ${approval.problem}
          <button class="link" @click=${again}>Try again</button></p>`
      : html`<p class="muted">${icon("loading codicon-modifier-spin")} Fetching the arguments…</p>`;
  }
  const copy = () => actions.send({ type: "copy", text: JSON.stringify(approval.arguments, null, 2) });
  return html`<div class="label">
      Arguments
      <button class="tool" title="Copy the arguments as JSON" aria-label="Copy the arguments as JSON" @click=${copy}>
        ${icon("copy")}
      </button>
    </div>
    ${argumentList(shown.rows)}`;
}

function answers(approval: WaitingApproval, complete: boolean, local: Local, actions: Actions): TemplateResult {
  const { request } = approval;
  const id = request.approvalId;
  const reason = local.reasons[id] ?? "";
  const answer = (option: ApprovalOption) =>
    actions.send({
      type: "answer",
      choice: { approvalId: id, argsDigest: request.argsDigest, optionId: option.optionId, feedback: reason },
    });
  const deny = request.options.find((option) => option.kind === "reject_once");
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.isComposing && deny) {
      event.preventDefault();
      answer(deny);
    }
  };
  const onReason = (event: Event) => {
    const field = event.target as HTMLInputElement;
    actions.change({ reasons: { ...local.reasons, [id]: field.value } });
  };
  const armed = complete && local.armed.has(id);
  const once = request.options.filter((option) => option.kind === "allow_once" || option.kind === "reject_once");
  const lasting = request.options.filter((option) => !once.includes(option));
  return html`<div class="answers">
    <div class="buttons" role="group" aria-label="Answer">
      ${once.map((option) => onceButton(option, armed, () => answer(option)))}
    </div>
    ${
      deny
        ? html`<vscode-textfield
            class="reason"
            label="Reason for denying"
            placeholder="Reason, told to the model"
            .value=${reason}
            @input=${onReason}
            @keydown=${onKey}
          ></vscode-textfield>`
        : nothing
    }
    ${lasting.map((option) => lastingButton(option, armed, () => answer(option)))}
  </div>`;
}

function onceButton(option: ApprovalOption, armed: boolean, answer: () => void): TemplateResult {
  return html`<vscode-button
    ?secondary=${option.kind !== "allow_once"}
    ?disabled=${allows(option) && !armed}
    data-option=${option.kind}
    @click=${answer}
    >${option.label}</vscode-button
  >`;
}

/** An answer that is remembered, with the very rule that would be. */
function lastingButton(option: ApprovalOption, armed: boolean, answer: () => void): TemplateResult {
  return html`<button
    class="lasting"
    ?disabled=${allows(option) && !armed}
    data-option=${option.kind}
    @click=${answer}
  >
    <span>${option.label}</span>${option.rule ? html`<span class="rule">${revealed(option.rule)}</span>` : nothing}
  </button>`;
}

function allows(option: ApprovalOption): boolean {
  return option.kind === "allow_once" || option.kind === "allow_always";
}
