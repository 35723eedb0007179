import type { FormField } from "../form/fields.ts";
import type { JsonValue, Location, PermissionMode, Usage } from "../protocol.ts";
import type { Choice, WaitingApproval } from "./approvals.ts";
import type { Item, RunState } from "./transcript.ts";

/** Whether a run can be started, and if not, what the person can do about it. */
export type Readiness =
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "untrusted" }
  | {
      readonly kind: "blocked";
      readonly title: string;
      readonly message: string;
      /** A command of this extension that helps, and the words on its button. */
      readonly action?: { readonly title: string; readonly command: string };
    };

/** What an agent's tools are given beside the prompt, as the view asks for it. No fields: any JSON. */
export interface ContextInputs {
  readonly fields: readonly FormField[];
  /** What was given last. */
  readonly used?: JsonValue;
}

/** Everything the Run view shows. The view is a function of this and of what the person is typing. */
export interface ViewState {
  readonly readiness: Readiness;
  readonly model: string;
  readonly mode: PermissionMode;
  /** Who answers: of the run that is shown, else of the next one. Absent where there is nobody but the default agent. */
  readonly agent?: {
    readonly id: string;
    /** What its tools are given beside the prompt. */
    readonly context?: ContextInputs;
  };
  /** Paths of the workspace's folders: places inside can be opened. */
  readonly folders: readonly string[];
  /** The project of the next run, where the workspace has several. */
  readonly projectRoot?: string;
  /** A prompt waits until the language server has started. */
  readonly queued?: boolean;
  readonly run?: {
    readonly runId: string;
    readonly state: RunState;
    readonly usage?: Usage;
    /** Goes on in another window or at a terminal: it can only be read here. */
    readonly elsewhere?: true;
  };
  readonly items: readonly Item[];
  /** Prompts that the agent has not heard yet. */
  readonly unheard: readonly string[];
  readonly approvals: readonly WaitingApproval[];
  /** Prompts of this workspace, the last one first. */
  readonly history: readonly string[];
  /** Counts the prompts that the server has taken: the box may be emptied. */
  readonly sent: number;
  /** Why the last thing the person asked for did not happen. */
  readonly problem?: string;
}

/** From the extension to the view. `changed` carries what differs from the state sent before. */
export type ToView =
  | { readonly type: "state"; readonly state: ViewState }
  | { readonly type: "changed"; readonly change: Change }
  | { readonly type: "focus"; readonly on: "prompt" | "approvals"; readonly draft?: string; readonly mention?: string }
  /** Files of the workspace for what stands behind an `@`. */
  | { readonly type: "files"; readonly query: string; readonly paths: readonly string[] };

export interface Change {
  readonly head: Omit<ViewState, "items" | "approvals" | "history">;
  readonly approvals?: readonly WaitingApproval[];
  readonly history?: readonly string[];
  readonly items: readonly { readonly index: number; readonly item: Item }[];
}

/** What the agent's tools are given from here on; each prompt brings its own. */
export interface WithContext {
  readonly toolContext?: JsonValue;
}

/** From the view to the extension. */
export type FromView =
  | { readonly type: "ready" }
  | ({ readonly type: "run"; readonly prompt: string } & WithContext)
  /** Instead of the prompt that is event `seq`. */
  | ({ readonly type: "resend"; readonly seq: number; readonly prompt: string } & WithContext)
  | ({ readonly type: "resume" } & WithContext)
  | { readonly type: "stop" }
  | { readonly type: "fork"; readonly beforeSeq: number }
  | { readonly type: "showRun"; readonly runId: string }
  | { readonly type: "findFiles"; readonly query: string }
  | { readonly type: "openDiff"; readonly approvalId: string }
  | { readonly type: "answer"; readonly choice: Choice }
  | { readonly type: "loadArguments"; readonly approvalId: string }
  | {
      readonly type:
        | "pickAgent"
        | "pickModel"
        | "pickMode"
        | "pickProject"
        | "pickFiles"
        | "manageTrust"
        | "act"
        | "newToolsFile"
        | "showLog";
    }
  /** What of a call is too long for its card. */
  | { readonly type: "openFull"; readonly callId: string; readonly of: "result" | "arguments" }
  /** What a model is told about a tool. */
  | { readonly type: "openSchema"; readonly tool: string }
  | { readonly type: "open"; readonly location: Location }
  /** A place that a text names; `line` counts from 1. */
  | { readonly type: "openPlace"; readonly path: string; readonly line: number }
  | { readonly type: "openLink"; readonly url: string }
  | { readonly type: "copy"; readonly text: string };

/** The message that brings a view which shows `before` to `after`. */
export function changeOf(before: ViewState | undefined, after: ViewState): ToView {
  if (before === undefined || before.run?.runId !== after.run?.runId || before.items.length > after.items.length) {
    return { type: "state", state: after };
  }
  const { items, approvals, history, ...head } = after;
  const changed = items.flatMap((item, index) => (item === before.items[index] ? [] : [{ index, item }]));
  return {
    type: "changed",
    change: {
      head,
      items: changed,
      ...(approvals === before.approvals ? {} : { approvals }),
      ...(history === before.history ? {} : { history }),
    },
  };
}

/** The state of a view after `message`; the other half of `changeOf`. */
export function applied(state: ViewState, change: Change): ViewState {
  const items = [...state.items];
  for (const { index, item } of change.items) {
    items[index] = item;
  }
  return {
    ...change.head,
    items,
    approvals: change.approvals ?? state.approvals,
    history: change.history ?? state.history,
  };
}
