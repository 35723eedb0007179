import { t } from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { mentionText } from "../src/run/mentions.ts";
import { type Actions, icon, type Local, revealed } from "./parts.ts";

/** What is being typed behind an `@`, and the files that fit. */
export interface Completion {
  /** Where the `@` stands, and where the cursor does. */
  readonly start: number;
  readonly end: number;
  readonly query: string;
  /** Absent while they are looked for. */
  readonly paths?: readonly string[];
  readonly active: number;
}

/** What stands behind the last `@` before the cursor; undefined where no file is being named. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const found = /(?:^|\s)@([^\s"@:,;()]*)$/.exec(text.slice(0, caret));
  if (!found) {
    return undefined;
  }
  const query = found[1] ?? "";
  return { start: caret - query.length - 1, end: caret, query, active: 0 };
}

/** The files that fit what is being typed. A screen reader hears the one that Enter takes. */
export function completionList({ completion }: Local, pick: (path: string) => void): TemplateResult | typeof nothing {
  if (!completion?.paths) {
    return nothing;
  }
  const { paths, active } = completion;
  if (paths.length === 0) {
    return html`<p class="completion muted">${t`No file of this workspace fits “${completion.query}”.`}</p>`;
  }
  return html`<div class="completion">
    <ul role="listbox" aria-label=${t("Files")}>
      ${paths.map((path, index) => {
        const slash = path.lastIndexOf("/");
        const name = path.slice(slash + 1);
        const folder = path.slice(0, Math.max(0, slash));
        // Not a click: the focus stays in the prompt.
        const onDown = (event: Event) => {
          event.preventDefault();
          pick(path);
        };
        return html`<li role="option" aria-selected=${index === active} class=${index === active ? "active" : ""} @mousedown=${onDown}>
          ${icon("file")}<span>${revealed(name)}</span><span class="muted">${revealed(folder)}</span>
        </li>`;
      })}
    </ul>
    <div class="visually-hidden" role="status">${t`${paths[active] ?? ""}, ${active + 1} of ${paths.length}`}</div>
  </div>`;
}

/** Puts the mention of a file where it was being typed. */
export function complete(path: string, local: Local, actions: Actions): void {
  const { draft, completion } = local;
  if (completion) {
    const before = draft.slice(0, completion.start) + mentionText({ path });
    const after = draft.slice(completion.end);
    const gap = /^\s/.test(after) ? "" : " ";
    actions.change({ draft: before + gap + after, completion: undefined });
    actions.placeCaret(before.length + 1);
  }
}

/** What a key does while files are offered; whether it did anything. */
export function completionKey(event: KeyboardEvent, local: Local, actions: Actions): boolean {
  const { completion } = local;
  const paths = completion?.paths ?? [];
  if (!completion || event.isComposing) {
    return false;
  }
  if (event.key === "Escape") {
    actions.change({ completion: undefined });
    return true;
  }
  const path = paths[completion.active];
  if (path === undefined) {
    return false;
  }
  switch (event.key) {
    case "Enter":
    case "Tab":
      if (event.shiftKey) return false;
      complete(path, local, actions);
      return true;
    case "ArrowDown":
    case "ArrowUp": {
      const step = event.key === "ArrowDown" ? 1 : paths.length - 1;
      actions.change({ completion: { ...completion, active: (completion.active + step) % paths.length } });
      return true;
    }
    default:
      return false;
  }
}
