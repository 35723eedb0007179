import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { fieldsOf } from "../src/form/fields.ts";
import type { Location, Preview } from "../src/protocol.ts";
import type { WaitingApproval } from "../src/run/approvals.ts";
import { answers } from "./approvalAnswers.ts";
import { type ArgumentRows, argumentRows, beginning } from "./argumentRows.ts";
import { argumentsForm, formToggle, type Written, written } from "./argumentsForm.ts";
import { type Actions, argumentList, count, icon, type Local, moreButton, revealed } from "./parts.ts";

/**
 * The region that asks. It is the only place in the view with answers to give, it stands outside the transcript, and
 * no text of a model or a tool gets out of its box in it. Nothing here takes the focus by itself, and no key but a
 * press of the focused button allows a call.
 */
export function approvalRegion(
  waiting: readonly WaitingApproval[],
  shownRun: string | undefined,
  local: Local,
  actions: Actions,
): unknown {
  if (waiting.length === 0) {
    return nothing;
  }
  return html`<section class="approvals" aria-labelledby="approvals-title">
    <h2 id="approvals-title" tabindex="-1">
      ${icon("shield")} ${waiting.length === 1 ? t("Waiting for your approval") : t`${waiting.length} calls wait for your approval`}
    </h2>
    ${repeat(
      waiting,
      (approval) => approval.request.approvalId,
      (approval) => approvalCard(approval, shownRun, local, actions),
    )}
  </section>`;
}

function approvalCard(
  approval: WaitingApproval,
  shownRun: string | undefined,
  local: Local,
  actions: Actions,
): TemplateResult {
  const { request } = approval;
  const id = request.approvalId;
  const whole = local.whole.has(id);
  const shown = approval.arguments && argumentRows(approval.arguments, whole);
  const diff = request.preview?.diff ?? "";
  const shownDiff = whole ? diff : beginning(diff, 2000, 24);
  const hidden = (shown?.hidden ?? 0) + diff.length - shownDiff.length;
  const edit = local.edits[id];
  return html`<article class="approval" aria-labelledby=${`title-${id}`} data-approval=${id}>
    <h3 id=${`title-${id}`}><span class="tool-name">${revealed(request.tool)}</span>${sourceLink(request.source, actions)}</h3>
    ${request.runId === shownRun ? nothing : otherRun(request.runId, actions)}
    ${(request.risk ?? []).map((fact) => html`<p class="risk">${icon("warning")}<span>${revealed(fact)}</span></p>`)}
    ${
      edit
        ? editor(approval, edit, local, actions)
        : html`<div class="details" tabindex="0" role="group" aria-label=${t("The call")}>
              ${previewOf(request.preview, approval.arguments?.command, shownDiff)}
              ${argumentsOf(approval, shown, actions)}
            </div>
            ${hidden > 0 ? moreButton(t`Show ${count(hidden)} more characters to be able to allow`, id, local, actions) : nothing}
            ${looks(approval, local, actions)}`
    }
    ${answers(approval, shown !== undefined && hidden === 0, local, actions)}
  </article>`;
}

/** A run goes on while another is read. */
function otherRun(runId: string, actions: Actions): TemplateResult {
  const show = () => actions.send({ type: "showRun", runId });
  return html`<p class="muted other-run">
    ${t("Asked by a run that is not shown here.")} <button class="link" @click=${show}>${t("Show it")}</button>
  </p>`;
}

/** Other ways to look at the call, and to change it. */
function looks(approval: WaitingApproval, local: Local, actions: Actions): unknown {
  const { approvalId, preview, inputSchema } = approval.request;
  const values = approval.arguments;
  const edit = () => {
    if (values) {
      // What the call leaves out stays left out: a default that is filled in would be an edit.
      const fields = fieldsOf(inputSchema ?? {}).map(({ default: _, ...field }) => field);
      const begun = written(fields, values);
      actions.change({ edits: { ...local.edits, [approvalId]: begun } });
    }
  };
  const canDiff = values !== undefined && preview?.diff?.startsWith("---");
  return html`<p class="looks">
    ${
      canDiff
        ? html`<button class="link diff-editor" @click=${() => actions.send({ type: "openDiff", approvalId })}>
            ${icon("diff")} ${t("Open diff")}
          </button>`
        : nothing
    }
    ${
      values && inputSchema
        ? html`<button class="link edit-arguments" @click=${edit}>${icon("edit")} ${t("Edit arguments")}</button>`
        : nothing
    }
  </p>`;
}

function editor(approval: WaitingApproval, edit: Written, local: Local, actions: Actions): TemplateResult {
  const { approvalId: id, inputSchema, problem } = approval.request;
  const fields = fieldsOf(inputSchema ?? {});
  const change = (next: Written) => actions.change({ edits: { ...local.edits, [id]: next } });
  const leave = () => {
    const { [id]: _, ...others } = local.edits;
    actions.change({ edits: others });
  };
  return html`<div class="details edited-arguments" role="group" aria-label=${t("Edited arguments")}>
      ${problem ? html`<p class="problem" role="alert">${icon("error")}<span>${revealed(problem)}</span></p>` : nothing}
      ${argumentsForm(fields, edit, change)}
    </div>
    <p class="looks">
      ${formToggle(fields, edit, change)}
      <button class="link" @click=${leave}>${t("Back to the call as asked")}</button>
    </p>`;
}

function sourceLink(source: Location | undefined, actions: Actions): unknown {
  if (!source) {
    return html`<span class="muted">${t("built-in tool")}</span>`;
  }
  const path = decodeURIComponent(new URL(source.uri).pathname);
  const words = `${path.split("/").slice(-2).join("/")}:${source.range.start.line + 1}`;
  const open = () => actions.send({ type: "open", location: source });
  return html`<button class="link source" title=${t`Open ${path}`} @click=${open}>${revealed(words)}</button>`;
}

function previewOf(preview: Preview | undefined, command: unknown, diff: string): unknown {
  if (!preview) {
    return nothing;
  }
  return html`
    ${
      preview.command !== undefined && preview.command !== command
        ? html`<pre class="command" tabindex="0" aria-label=${t("Command")}>${revealed(preview.command)}</pre>`
        : nothing
    }
    ${preview.cwd ? html`<p class="muted cwd">${icon("folder")}<span>${revealed(preview.cwd)}</span></p>` : nothing}
    ${diff ? html`<pre class="diff" tabindex="0" aria-label=${t("Change")}>${diff.split("\n").map(diffLine)}</pre>` : nothing}
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
      ? html`<p class="problem">${t("The arguments could not be fetched.")} ${approval.problem}
          <button class="link" @click=${again}>${t("Try again")}</button></p>`
      : html`<p class="muted">${icon("loading codicon-modifier-spin")} ${t("Fetching the arguments…")}</p>`;
  }
  const copy = () => actions.send({ type: "copy", text: JSON.stringify(approval.arguments, null, 2) });
  return html`<div class="label">
      ${t("Arguments")}
      <button class="tool" title=${t("Copy the arguments as JSON")} aria-label=${t("Copy the arguments as JSON")} @click=${copy}>
        ${icon("copy")}
      </button>
    </div>
    ${argumentList(shown.rows)}`;
}
