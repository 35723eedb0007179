import { render } from "lit";
import type { ApprovalRequest } from "../../../src/protocol.ts";
import type { WaitingApproval } from "../../../src/run/approvals.ts";
import type { FromView, ViewState } from "../../../src/run/viewState.ts";
import { page } from "../../../webview/page.ts";
import type { Local } from "../../../webview/parts.ts";

export const READY: ViewState = {
  readiness: { kind: "ready" },
  model: "offline",
  mode: "default",
  folders: ["/w"],
  items: [],
  unheard: [],
  approvals: [],
  history: [],
  sent: 0,
};
export const LOCAL: Local = {
  draft: "",
  contexts: {},
  reasons: {},
  edits: {},
  lives: {},
  whole: new Set(),
  open: new Set(),
  armed: new Set(["a", "b"]),
  near: new Set(),
  heights: new Map(),
};

/** The Run view, drawn into an element of its own. */
export class Drawn {
  readonly root = document.createElement("main");
  readonly sent: FromView[] = [];
  local: Local = LOCAL;

  show(state: Partial<ViewState>, more: Partial<Local> = {}): void {
    this.local = { ...this.local, ...more };
    const actions = {
      send: (message: FromView) => void this.sent.push(message),
      change: (change: Partial<Local>) => this.show(state, change),
      editPrompt: (seq: number, text: string) => this.show(state, { edit: { seq }, draft: text }),
      resume: () => void this.sent.push({ type: "resume" }),
      placeCaret: () => {},
    };
    render(page({ ...READY, ...state }, this.local, actions), this.root);
  }

  find<E extends Element = HTMLElement>(selector: string): E {
    const found = this.root.querySelector<E>(selector);
    if (!found) {
      throw new Error(`nothing matches ${selector}`);
    }
    return found;
  }

  isDisabled(selector: string): boolean {
    return this.find(selector).hasAttribute("disabled");
  }
}

export function waiting(
  id: string,
  values: WaitingApproval["arguments"],
  more: Partial<ApprovalRequest> = {},
): WaitingApproval {
  const request: ApprovalRequest = {
    approvalId: id,
    runId: "r",
    callId: `c-${id}`,
    tool: "add",
    argsDigest: `digest-${id}`,
    options: [
      { optionId: "yes", kind: "allow_once", label: "Allow once" },
      { optionId: "always", kind: "allow_always", label: "Always (this session)", rule: "add with exactly these" },
      { optionId: "no", kind: "reject_once", label: "Deny" },
    ],
    ...more,
  };
  return values ? { request, arguments: values } : { request };
}
