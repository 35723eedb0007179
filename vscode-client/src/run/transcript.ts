import { t } from "@vscode/l10n";
import type {
  DecisionEvent,
  ErrorEvent,
  Event,
  FinishedEvent,
  JsonObject,
  PermissionMode,
  Run,
  RunUpdate,
  Todo,
  ToolCallEvent,
  ToolResultEvent,
  Usage,
} from "../protocol.ts";

/** What the Run view shows of one call: the call, what it printed so far, who decided, and its one result. */
export interface CallItem {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Texts in the arguments are cut. */
  readonly argumentsCut?: boolean;
  readonly status: ToolCallEvent["status"];
  readonly printed: string;
  readonly decision?: DecisionEvent;
  readonly result?: ToolResultEvent;
}

export type Item =
  /** `seq` is the number of its event: a fork before it leaves it out. */
  | { readonly kind: "prompt"; readonly text: string; readonly seq: number }
  | { readonly kind: "text"; readonly text: string }
  | CallItem
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "error"; readonly error: ErrorEvent }
  | {
      readonly kind: "finished";
      readonly stopReason: FinishedEvent["stopReason"];
      readonly seq: number;
      /** Nobody stopped it: the editor went away. */
      readonly interrupted?: boolean;
      /** Of the episode that ended here. */
      readonly usage?: Usage;
    };

export type RunState = "starting" | "running" | "waiting_approval" | "cancelling" | "finished" | "interrupted";

/** One run as far as its events are known. Unchanged items keep their identity, so that views can compare them. */
export interface Transcript {
  readonly runId: string;
  readonly state: RunState;
  readonly items: readonly Item[];
  readonly lastSeq: number;
  /** Of the whole run. */
  readonly usage?: Usage;
  /** Of the episode that goes on, or went on last. */
  readonly episode?: Usage;
  /** The permission mode, where the run has told it. */
  readonly mode?: PermissionMode;
}

/** How an episode ended, in words. */
export function endingWords(stopReason: FinishedEvent["stopReason"]): string {
  switch (stopReason) {
    case "end_turn":
      return t("Done");
    case "cancelled":
      return t("Stopped");
    case "limit":
      return t("Stopped at a limit");
    case "error":
      return t("Ended with an error");
  }
}

export function emptyTranscript(runId: string): Transcript {
  return { runId, state: "running", items: [], lastSeq: 0 };
}

/** Whether the view may offer Stop. */
export function isGoing(state: RunState): boolean {
  return state !== "finished" && state !== "interrupted";
}

/**
 * `transcript` with one more event.
 *
 * An update that is known already changes nothing; the caller fills gaps first (`isGap`).
 */
export function append(transcript: Transcript, update: RunUpdate): Transcript {
  if (update.runId !== transcript.runId || update.seq <= transcript.lastSeq) {
    return transcript;
  }
  return { ...withEvent(transcript, update.event, update.seq), lastSeq: update.seq };
}

export function isGap(transcript: Transcript, update: RunUpdate): boolean {
  return update.runId === transcript.runId && update.seq > transcript.lastSeq + 1;
}

/** `transcript` with the state that the store has of its run, which knows of interruptions. */
export function withRun(transcript: Transcript, run: Run): Transcript {
  const state: RunState = run.state;
  return state === transcript.state ? transcript : { ...transcript, state };
}

/** The list as it is now, where the episode first wrote it. */
function withTodos(transcript: Transcript, todos: readonly Todo[]): Transcript {
  const prompt = transcript.items.findLastIndex((item) => item.kind === "prompt");
  const at = transcript.items.findIndex((item, index) => index > prompt && item.kind === "todos");
  if (at < 0) {
    return push(transcript, { kind: "todos", todos });
  }
  return { ...transcript, items: transcript.items.with(at, { kind: "todos", todos }) };
}

function withEvent(transcript: Transcript, event: Event, seq: number): Transcript {
  switch (event.type) {
    case "prompt":
      return withPrompt(transcript, event.text, seq);
    case "text":
      return withText(transcript, event.delta);
    case "toolCall":
      return withCall(transcript, event);
    case "toolProgress":
      return (
        changeCall(transcript, event.callId, (call) => ({ ...call, printed: call.printed + event.text })) ?? transcript
      );
    case "toolResult":
      return withResult(transcript, event);
    case "decision":
      return changeCall(transcript, event.callId, (call) => ({ ...call, decision: event })) ?? transcript;
    case "usage":
      return { ...transcript, usage: sum(transcript.usage, event), episode: sum(transcript.episode, event) };
    case "state":
      return { ...transcript, state: event.state };
    case "todos":
      return withTodos(transcript, event.todos);
    case "episode": // its ids are for providers and programs
      return transcript;
    case "mode": // a notice says it in words
      return { ...transcript, mode: event.mode };
    case "notice":
      return push(transcript, { kind: "notice", text: event.text });
    case "error":
      return push(transcript, { kind: "error", error: event });
    case "finished":
      return withFinish(transcript, event, seq);
  }
}

/** What is said while the run goes on belongs to the episode that goes on. */
function withPrompt(transcript: Transcript, text: string, seq: number): Transcript {
  const { episode, ...begun } = push(transcript, { kind: "prompt", text, seq });
  return { ...begun, ...(episode && isGoing(transcript.state) && { episode }), state: "running" };
}

/** Each request to the model reports its own usage. The cost is known only while every part of it is. */
function sum(known: Usage | undefined, more: Usage): Usage {
  const { inputTokens, outputTokens, cost } = more;
  if (!known) {
    return { inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
  }
  const total = { inputTokens: known.inputTokens + inputTokens, outputTokens: known.outputTokens + outputTokens };
  return known.cost === undefined || cost === undefined ? total : { ...total, cost: known.cost + cost };
}

function push(transcript: Transcript, item: Item): Transcript {
  return { ...transcript, items: [...transcript.items, item] };
}

function withText(transcript: Transcript, delta: string): Transcript {
  const last = transcript.items.at(-1);
  if (last?.kind !== "text") {
    return push(transcript, { kind: "text", text: delta });
  }
  return { ...transcript, items: transcript.items.with(-1, { kind: "text", text: last.text + delta }) };
}

function withCall(transcript: Transcript, event: ToolCallEvent): Transcript {
  const { callId, tool, status, arguments: values, argumentsCut } = event;
  const given = { arguments: values, ...(argumentsCut && { argumentsCut }) };
  const changed = changeCall(transcript, callId, (call) => ({ ...call, ...given, status }));
  return changed ?? push(transcript, { kind: "call", callId, tool, ...given, status, printed: "" });
}

function withResult(transcript: Transcript, event: ToolResultEvent): Transcript {
  const status = event.status === "success" ? "completed" : "failed";
  return changeCall(transcript, event.callId, (call) => ({ ...call, status, result: event })) ?? transcript;
}

/** Undefined where there is no such call. It is looked for from the end: long runs have many. */
function changeCall(
  transcript: Transcript,
  callId: string,
  change: (call: CallItem) => CallItem,
): Transcript | undefined {
  const at = transcript.items.findLastIndex((item) => item.kind === "call" && item.callId === callId);
  const call = transcript.items[at];
  return call?.kind === "call" ? { ...transcript, items: transcript.items.with(at, change(call)) } : undefined;
}

function withFinish(transcript: Transcript, event: FinishedEvent, seq: number): Transcript {
  // The answer is the last text in most cases, though a notice or an error may have followed it.
  const asked = transcript.items.findLastIndex((item) => item.kind === "prompt");
  const said = transcript.items.findLast((item, index) => index > asked && item.kind === "text");
  const isNew = event.answer && !(said?.kind === "text" && said.text.trim() === event.answer.trim());
  const answered = isNew && event.answer ? push(transcript, { kind: "text", text: event.answer }) : transcript;
  const { episode, ...ended } = answered;
  const { stopReason, interrupted } = event;
  const how = { stopReason, ...(interrupted && { interrupted }), ...(episode && { usage: episode }) };
  return { ...push(ended, { kind: "finished", seq, ...how }), state: interrupted ? "interrupted" : "finished" };
}
