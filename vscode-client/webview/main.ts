import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-textarea/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { render } from "lit";
import { applied, type FromView, type ToView, type ViewState } from "../src/run/viewState.ts";
import { page } from "./page.ts";
import type { Actions, Local } from "./parts.ts";
import "./style.css";

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): Pick<Local, "draft" | "reasons"> | undefined;
  setState(state: Pick<Local, "draft" | "reasons">): void;
};

/** An approval can be allowed this long after it came up or moved: a click that was under way must not hit it. */
const ARM_AFTER_MS = 600;

const editor = acquireVsCodeApi();
let state: ViewState | undefined;
let local: Local = { draft: "", reasons: {}, ...editor.getState(), whole: new Set(), armed: new Set() };
const history: string[] = [];
/** A prompt whose run has not started yet, and the run before it. It stays in the box, for a run that does not start. */
let submitted: { readonly prompt: string; readonly before: string | undefined } | undefined;
/** What stands in the box without the person having written it. */
let proposed = "";
let watched: Element | null = null;
let atEnd = true;
let scrolledTo = 0;
const sizes = new ResizeObserver(keepEnd); // of the transcript, and of the room for it

const actions: Actions = {
  send(message) {
    if (message.type === "run") {
      history.push(message.prompt);
      submitted = { prompt: message.prompt, before: state?.run?.runId };
    }
    editor.postMessage(message);
  },
  change(change) {
    local = { ...local, ...change };
    keepDraft();
    show();
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
      return focusOn(data.on);
  }
});

document.addEventListener("keydown", (event) => {
  const prompt = document.querySelector("vscode-textarea");
  if (event.key === "ArrowUp" && event.target === prompt && local.draft === "" && history.length > 0) {
    event.preventDefault();
    actions.change({ draft: history.at(-1) ?? "" });
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

/** What was typed survives hiding the view. */
function keepDraft(): void {
  editor.setState({ draft: local.draft, reasons: local.reasons });
}

function take(next: ViewState): void {
  const before = state?.approvals ?? [];
  state = next;
  // It may have ended already when the view first hears of it.
  if (submitted && next.run?.runId && next.run.runId !== submitted.before) {
    local = { ...local, draft: local.draft === submitted.prompt ? "" : local.draft };
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
  render(page(state, local, actions), document.body);
  const scroller = document.querySelector(".transcript");
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

function focusOn(place: "prompt" | "approvals"): void {
  const wanted = place === "approvals" ? document.getElementById("approvals-title") : null;
  (wanted ?? document.getElementById("prompt"))?.focus();
}
