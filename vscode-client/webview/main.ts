import "./language.ts";
import type { VscodeTextarea } from "@vscode-elements/elements/dist/vscode-textarea/index.js";
import { render } from "lit";
import { applied, type FromView, type ToView, type ViewState } from "../src/run/viewState.ts";
import { CONTEXT, withGivenContext } from "./contextForm.ts";
import "./elements.ts";
import { Nearness } from "./nearness.ts";
import { page } from "./page.ts";
import type { Actions, Local } from "./parts.ts";
import "./style.css";

/** What was typed survives hiding the view. */
type Kept = Pick<Local, "draft" | "edit" | "contexts" | "reasons" | "edits">;

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

/** An approval can be allowed this long after it came up or moved: a click that was under way must not hit it. */
const ARM_AFTER_MS = 600;

const editor = acquireVsCodeApi();
let state: ViewState | undefined;
const nearness = new Nearness(() => show());
let local: Local = {
  draft: "",
  contexts: {},
  reasons: {},
  edits: {},
  ...editor.getState(),
  lives: {},
  whole: new Set(),
  open: new Set(),
  armed: new Set(),
  near: nearness.near,
  heights: nearness.heights,
};
/** A prompt that the server has not taken yet, and how many it had. It stays in the box, for one that is not taken. */
let submitted: { readonly prompt: string; readonly before: number } | undefined;
/** What stands in the box without the person having written it. */
let proposed = "";
let watched: Element | null = null;
let atEnd = true;
let scrolledTo = 0;
const sizes = new ResizeObserver(keepEnd); // of the transcript, and of the room for it

const actions: Actions = {
  send(message) {
    if (message.type === "run" || message.type === "resend") {
      submitted = { prompt: message.prompt, before: state?.sent ?? 0 };
    }
    editor.postMessage(message);
  },
  change(change) {
    local = { ...local, ...change };
    keepDraft();
    show();
  },
  editPrompt(seq, text) {
    actions.change({ edit: { seq }, draft: text });
    focusOn("prompt");
    actions.placeCaret(text.length);
  },
  resume() {
    if (state) {
      withGivenContext(state, local, actions, (given) => actions.send({ type: "resume", ...given }));
    }
  },
  placeCaret(at) {
    const area = promptArea();
    // The element hands its value on when it is drawn, which is later.
    void area?.updateComplete.then(() => area.wrappedElement.setSelectionRange(at, at));
  },
};

window.addEventListener("message", ({ data }: MessageEvent<ToView>) => {
  switch (data.type) {
    case "state":
      return take(data.state);
    case "changed":
      return state && take(applied(state, data.change));
    case "focus":
      propose(data.draft);
      focusOn(data.on);
      return data.mention && mention(data.mention);
    case "files":
      return offer(data.query, data.paths);
  }
});

editor.postMessage({ type: "ready" });

/** Writes a draft into the prompt; what the person wrote there stays. */
function propose(draft: string | undefined): void {
  if (draft !== undefined && (local.draft === "" || local.draft === proposed)) {
    proposed = draft;
    actions.change({ draft });
  }
}

/** Adds a mention to what the person is writing. */
function mention(text: string): void {
  const gap = local.draft === "" || /\s$/.test(local.draft) ? "" : " ";
  const draft = `${local.draft}${gap}${text} `;
  actions.change({ draft });
  actions.placeCaret(draft.length);
}

/** The files for what is being typed; by now it may be something else. */
function offer(query: string, paths: readonly string[]): void {
  if (local.completion?.query === query) {
    actions.change({ completion: { ...local.completion, paths, active: 0 } });
  }
}

function keepDraft(): void {
  const { draft, edit, contexts, reasons, edits } = local;
  editor.setState({ draft, ...(edit && { edit }), contexts, reasons, edits });
}

function take(next: ViewState): void {
  const before = state?.approvals ?? [];
  if (state && state.run?.runId !== next.run?.runId) {
    nearness.reset();
    // What is unfolded in its cards goes with a run; the form of the context belongs to the prompt.
    local = { ...local, edit: undefined, open: new Set([...local.open].filter((id) => id === CONTEXT)) };
    watched = null;
  }
  state = next;
  if (submitted && next.sent > submitted.before) {
    const isOurs = local.draft === submitted.prompt;
    local = { ...local, edit: undefined, draft: isOurs ? "" : local.draft };
    submitted = undefined;
    keepDraft();
  }
  show();
  const ids = next.approvals.map((approval) => approval.request.approvalId);
  const moved = ids.join() !== before.map((approval) => approval.request.approvalId).join();
  if (moved) {
    arm(ids, before.length > ids.length);
  }
}

/** After the cards moved no call can be allowed for a moment. A card that went away hands the focus on, never to Allow. */
function arm(ids: readonly string[], oneLeft: boolean): void {
  const reasons = Object.fromEntries(Object.entries(local.reasons).filter(([id]) => ids.includes(id)));
  actions.change({ armed: new Set(), reasons });
  if (oneLeft && document.activeElement === document.body) {
    focusOn(ids.length > 0 ? "approvals" : "prompt");
  }
  const shown = ids.join();
  setTimeout(() => {
    if (state?.approvals.map((approval) => approval.request.approvalId).join() === shown) {
      actions.change({ armed: new Set(ids) });
    }
  }, ARM_AFTER_MS);
}

function show(): void {
  if (!state) {
    return;
  }
  local = { ...local, near: nearness.near };
  render(page(state, local, actions), document.body);
  const scroller = document.querySelector(".transcript");
  nearness.watch(scroller ?? undefined);
  if (scroller !== watched) {
    watched = scroller;
    sizes.disconnect();
    atEnd = true;
    if (scroller) {
      sizes.observe(scroller);
      for (const content of scroller.children) {
        sizes.observe(content);
      }
      scroller.addEventListener("scroll", noteScroll, { passive: true });
    }
  }
  keepEnd();
}

/** Whoever reads the end of the transcript sees what comes; whoever scrolled up stays there. */
function keepEnd(): void {
  if (atEnd) {
    watched?.scrollTo({ top: watched.scrollHeight });
  }
}

function noteScroll(): void {
  if (!watched) {
    return;
  }
  const { scrollTop, scrollHeight, clientHeight } = watched;
  const isNear = scrollHeight - scrollTop - clientHeight < 24;
  // Growing text leaves the end behind without a move of the person's.
  atEnd = isNear || (atEnd && scrollTop >= scrolledTo);
  scrolledTo = scrollTop;
}

function promptArea(): VscodeTextarea | null {
  return document.querySelector<VscodeTextarea>("#prompt");
}

function focusOn(place: "prompt" | "approvals"): void {
  const wanted = place === "approvals" ? document.getElementById("approvals-title") : null;
  (wanted ?? promptArea())?.focus();
}
