// Generated from adal_ls/protocol by `python -m adal_ls.protocol.typescript`. Do not edit.

/** Exchanged at start; a mismatch is refused with one clear message. */
export const PROTOCOL_VERSION = 1;

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Tool arguments, tool context and the like: any JSON object, passed on unchanged. */
export type JsonObject = { [key: string]: JsonValue };

/** No fields. */
export type Empty = Record<string, never>;

export type PermissionMode = "default" | "acceptEdits" | "yolo";

export type StopReason = "end_turn" | "cancelled" | "limit" | "error";

export type ToolStatus = "success" | "error" | "cancelled";

export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type Covers = "arguments" | "pattern" | "tool";

export type Life = "session" | "workspace";

/** Zero-based; `character` in the position encoding agreed at `initialize` (LSP). */
export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Location {
  uri: string;
  range: Range;
}

/** One tool as the model will see it, and where it comes from. */
export interface Tool {
  name: string;
  description?: string;
  /** JSON Schema of the arguments object. */
  parameters: JsonObject;
  requireApproval?: boolean;
  kind?: "custom" | "builtin" | "provider";
  /** Provider tools only: the agent that has it, as its provider lists it. What a run gets may differ. */
  agent?: string;
  /** Built-in tools only: Bash, Edit, Read, Search or Web. */
  group?: string;
  location?: Location;
  /** Codes of the findings on this tool. */
  problems?: string[];
  /** False: a built-in tool that the settings switch off. Runs lack it. */
  enabled?: boolean;
  /** In the text, but not loaded: not saved, not loaded yet or left out. Runs lack it. */
  pending?: boolean;
}

/** Why the last load failed, as a finding at its place in the project's code. */
export interface LoadFailure {
  /** ADAL001 syntax, ADAL901 import failed, ADAL902 package missing, ADAL903 load timed out, ADAL904 no interpreter to load with. */
  code: string;
  message: string;
  /** Absent where no line of the project is to blame. */
  location?: Location;
  /** Only agents.py could not be loaded: the tools are there. */
  agents?: boolean;
}

/** An entry of CUSTOM_TOOLS that is no tool, and why. */
export interface LeftOut {
  /** Its name, where it has one. */
  tool?: string;
  message: string;
  /** Of the rule that leaves it out, where there is one. */
  code?: string;
}

/** A folder with `.adal/tools.py`, `.adal/agents.py` or both. */
export interface Project {
  /** Path of the project folder. */
  root: string;
  /** Path of its tools file, also where there is none yet. */
  file: string;
  /** static: read, never run. loaded: as the worker has it. error: the last load failed; the tools are the last good ones. */
  state: "static" | "loaded" | "error";
  /** Counts successful loads. */
  generation?: number;
  tools?: Tool[];
  /** Why the last load failed, in one text with its place. */
  error?: string;
  /** The same as a finding, for the editor. */
  failure?: LoadFailure;
  /** Of the last good load. */
  leftOut?: LeftOut[];
  /** sha256 of the tools file as it was loaded last. */
  fileDigest?: string;
}

/** All projects; narrowed to one by `projectRoot`. */
export interface ToolsListParams {
  projectRoot?: string;
}

export interface ToolsListResult {
  projects: Project[];
}

export interface ToolsChanged {
  projectRoot: string;
  generation: number;
}

/** `tryId`, chosen by the client, comes back with what the tool prints meanwhile; without it nothing is told. */
export interface ToolsTryParams {
  tool: string;
  arguments?: JsonObject;
  projectRoot?: string;
  tryId?: string;
}

/** How the call ended, in the parts of a ToolOutput. A call that failed is a result too, of status error. */
export interface ToolsTryResult {
  status: ToolStatus;
  /** The value, as JSON can hold it; stored, not shown to a model. */
  output?: JsonValue;
  /** What a model would read. */
  observation: string;
  /** Short text for the person. */
  display?: string;
  /** What the tool and its child processes printed. */
  printed?: string;
  /** Frames of the project's own code, on an error. */
  trace?: string;
  /** Milliseconds in the tool. */
  durationMs: number;
}

export interface ToolsTryProgress {
  tryId: string;
  text: string;
}

export interface TrustChanged {
  trusted: boolean;
}

export interface Status {
  health: "ok" | "warning" | "error";
  /** False while something loads in the background. */
  quiescent: boolean;
  message?: string;
  version: string;
  /** The interpreter that runs the server, or the tools once known. */
  python: string;
}

/** A tool of an agent as far as it is known without a run. */
export interface AgentTool {
  name: string;
  description?: string;
}

/** An agent of `.adal/agents.py`; `default` where there is no such file. */
export interface AgentInfo {
  id: string;
  description?: string;
  /** Absent: the person's model is used. */
  model?: string;
  /** Its tools come from a provider, which is given the run's `toolContext`. */
  toolContext: boolean;
  projectRoot: string;
  /** Those of its own and of its runtime, beside the ones that every agent has. */
  tools?: AgentTool[];
  /** False: there may be more tools, or others. A provider need not be able to list. */
  complete?: boolean;
  /** Why its tools or its form are not known. */
  problems?: string[];
}

/** All projects; narrowed to one by `projectRoot`. */
export interface AgentsListParams {
  projectRoot?: string;
}

export interface AgentsFailure {
  projectRoot: string;
  message: string;
}

export interface AgentsListResult {
  agents: AgentInfo[];
  /** Why the newest agents of a project are not there; what is listed still runs. */
  errors?: AgentsFailure[];
}

export interface ContextFormParams {
  agent: string;
  projectRoot?: string;
}

/** One field of a form. With a `default` it counts as required: the default is in it until somebody takes it out. */
export interface ContextField {
  name: string;
  kind: "string" | "number" | "boolean" | "json";
  required: boolean;
  description?: string;
  /** What may be chosen. */
  options?: JsonValue[];
  default?: JsonValue;
  /** The shape of a `json` field, for people. */
  jsonType?: JsonObject;
}

/** `declared` without fields is a box for JSON; not declared, no tool context is sent. */
export interface ContextForm {
  declared: boolean;
  fields: ContextField[];
}

export interface RunStartParams {
  prompt: string;
  projectRoot?: string;
  agent?: string;
  model?: string;
  permissionMode?: PermissionMode;
  toolContext?: JsonValue;
  /** In place of the usual one; the instructions of the workspace follow it all the same. */
  systemPrompt?: string;
  /** Memory scope: the conversation that the run continues, of all runs with this scope or of the run with this id. The run's own id when omitted or blank. */
  scope?: string;
  /** Names or groups; only these built-ins. */
  enabledDefaultTools?: string[];
  /** Names or groups; all built-ins but these. */
  disabledDefaultTools?: string[];
  /** Model requests of one episode; 20 when omitted. */
  maxSteps?: number;
  /** Seconds of one episode, those in which approvals wait for a person left out. */
  maxSeconds?: number;
  /** US dollars of one episode. */
  maxCost?: number;
}

export interface RunStarted {
  runId: string;
}

/** A further prompt in the same conversation. While the run is going on, the model hears it at its next request. */
export interface RunPromptParams {
  runId: string;
  prompt: string;
  toolContext?: JsonValue;
  /** From here on; the run's own when omitted. */
  model?: string;
  /** From here on. */
  permissionMode?: PermissionMode;
}

/** Takes an ended or interrupted run up again, also one of an earlier session. Without a prompt it just goes on. */
export interface RunResumeParams {
  runId: string;
  prompt?: string;
  toolContext?: JsonValue;
  /** From here on; the run's own when omitted. */
  model?: string;
  /** From here on. */
  permissionMode?: PermissionMode;
  /** From here on, as the other limits. */
  maxSteps?: number;
  maxSeconds?: number;
  maxCost?: number;
}

/** A new run with the beginning of another: everything before event `beforeSeq`, or all of it. */
export interface RunForkParams {
  runId: string;
  beforeSeq?: number;
}

export interface RunDeleteParams {
  runId: string;
}

/** A long text comes in parts. */
export interface RunExportParams {
  runId: string;
  format?: "json" | "markdown";
  /** `next` of the part before. */
  offset?: number;
}

export interface RunExportResult {
  /** Up to 100,000 characters. */
  text: string;
  /** Where the next part begins; absent at the end. */
  next?: number;
}

/** Runs, newest first: those that match, or all. */
export interface RunListParams {
  /** Words of which each must occur in the title or a prompt. */
  query?: string;
  projectRoot?: string;
  /** At most so many; 1,000 is the most there are in one answer. */
  limit?: number;
}

export interface RunWarmParams {
  /** The model that is chosen; the setting's when omitted. */
  model?: string;
}

/** What of a call was cut in its events: its result, or its arguments as JSON. Long texts come in parts. */
export interface RunFullTextParams {
  runId: string;
  callId: string;
  of?: "result" | "arguments";
  /** Characters to leave out at the beginning. */
  offset?: number;
}

export interface RunFullTextResult {
  /** Up to 100,000 characters. */
  text: string;
  /** Characters of the whole text. */
  total: number;
}

export interface RunCancelParams {
  runId: string;
}

export interface RunSetModeParams {
  runId: string;
  mode: PermissionMode;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** US dollars; absent where the price is unknown. */
  cost?: number;
}

/** What the person asked; the first event of an episode. */
export interface PromptEvent {
  type: "prompt";
  text: string;
}

/** Who answers the prompt; each prompt and each resume is an episode of its own. */
export interface EpisodeEvent {
  type: "episode";
  agent: string;
  /** Of this episode, never used again; providers know it by this id. */
  agentCallId: string;
  memoryScope: string;
  model: string;
}

export interface TextEvent {
  type: "text";
  delta: string;
}

/** A call the model made, and each change of its state (the statuses are ACP's). */
export interface ToolCallEvent {
  type: "toolCall";
  callId: string;
  tool: string;
  arguments: JsonObject;
  /** Texts in the arguments are cut; `adal/run/fullText` has them whole. */
  argumentsCut?: boolean;
  status: "pending" | "in_progress" | "completed" | "failed";
}

/** Text printed or yielded by a tool while it runs. */
export interface ToolProgressEvent {
  type: "toolProgress";
  callId: string;
  text: string;
}

/** The one result of a call. `observation` is exactly what the model sees. */
export interface ToolResultEvent {
  type: "toolResult";
  callId: string;
  tool: string;
  status: ToolStatus;
  observation: string;
  display?: string;
  /** What the tool printed; the model never sees it. */
  printed?: string;
  /** Milliseconds in the tool, without the wait for an approval; 0: not run. */
  durationMs: number;
  /** Where in the project's own code the tool failed; for the person, never for the model. */
  trace?: string;
}

export interface UsageEvent extends Usage {
  type: "usage";
}

export interface StateEvent {
  type: "state";
  state: "running" | "waiting_approval" | "cancelling";
}

/** Who or what decided about a call; the decision log is made of these. */
export interface DecisionEvent {
  type: "decision";
  callId: string;
  tool: string;
  argsDigest: string;
  decision: "allow" | "deny";
  /** person, mode, policy, require_approval, grant or the reason nobody was asked. */
  decidedBy: string;
  optionKind?: string;
  reason?: string;
  /** The permission mode at that moment. */
  mode?: PermissionMode;
  /** The remembered answer that decided, or that began here. */
  rule?: string;
  /** The person edited the arguments; the digest is of those. */
  edited?: boolean;
  /** How long the question was open; absent: not asked. */
  waitedMs?: number;
  projectRoot?: string;
}

/** The run's permission mode from here on; a run begins in `default` where nothing else is told. */
export interface ModeEvent {
  type: "mode";
  mode: PermissionMode;
}

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

/** The list of what the run still has to do, whole, as the model has just written it. */
export interface TodosEvent {
  type: "todos";
  todos: Todo[];
}

/** Something the person should know that is no error, such as custom tools that could not be loaded. */
export interface NoticeEvent {
  type: "notice";
  text: string;
}

export interface ErrorEvent {
  type: "error";
  code: string;
  message: string;
  /** Where in the project's own code a provider failed; for the person. */
  trace?: string;
}

/** The last event of an episode. */
export interface FinishedEvent {
  type: "finished";
  stopReason: StopReason;
  answer?: string;
  /** True where the editor went away: nobody stopped the run, and it can be resumed. Calls that waited for an answer have no result yet; they are asked about anew. */
  interrupted?: boolean;
}

export interface RunUpdate {
  runId: string;
  /** Counts the run's events from 1 without gaps. */
  seq: number;
  event: Event;
}

export interface Run {
  runId: string;
  title: string;
  agent?: string;
  model: string;
  state: "running" | "waiting_approval" | "finished" | "interrupted";
  /** ISO 8601, UTC. */
  created: string;
  updated: string;
  usage?: Usage;
  /** How it ended; absent until it is finished. */
  stopReason?: StopReason;
  projectRoot?: string;
  /** The run whose beginning it has. */
  forkedFrom?: string;
}

export interface RunListResult {
  runs: Run[];
}

/** One run with its events in their order. Those of a long run come in pages. */
export interface RunGetParams {
  runId: string;
  fromSeq?: number;
}

export interface RunGetResult {
  run: Run;
  events: RunUpdate[];
  /** Further events are there: ask again, from the number after the last of these. */
  more?: boolean;
}

export interface ApprovalOption {
  optionId: string;
  kind: OptionKind;
  label: string;
  /** The rule that would be remembered, verbatim. */
  rule?: string;
  /** What is remembered; absent where nothing is. */
  covers?: Covers;
  /** How long it is remembered; absent where nothing is. */
  life?: Life;
}

/** What the call is about to do, in words a person can check. Control and bidi characters stand as `\u{..}`. */
export interface Preview {
  text: string;
  command?: string;
  cwd?: string;
  diff?: string;
}

/** `arguments` are complete, or absent when large: then `adal/approval/arguments` gives them. */
export interface ApprovalRequest {
  approvalId: string;
  runId: string;
  callId: string;
  tool: string;
  arguments?: JsonObject;
  /** Bytes of the arguments' JSON where they are absent. */
  argumentsSize?: number;
  /** sha256 of the canonical JSON of tool, arguments, folder and source digest. */
  argsDigest: string;
  options: ApprovalOption[];
  preview?: Preview;
  source?: Location;
  inputSchema?: JsonObject;
  /** Plain facts, such as 'runs a shell command'. */
  risk?: string[];
  /** Asked once more under the same id: what was wrong with the edited arguments of the answer before. */
  problem?: string;
}

/**
 * `updatedInput` replaces the arguments; the answer still echoes the digest of what was shown.
 *
 * It must fit the tool's schema: otherwise nothing runs, and the question comes again with the `problem`. Edited
 * arguments are allowed for this once, whatever option was chosen.
 */
export interface ApprovalAnswer {
  approvalId: string;
  argsDigest: string;
  outcome: "selected" | "cancelled";
  optionId?: string;
  updatedInput?: JsonObject;
  feedback?: string;
}

export interface ApprovalResolved {
  approvalId: string;
  reason: "answered" | "withdrawn" | "cancelled";
}

export interface ApprovalPendingResult {
  approvals: ApprovalRequest[];
}

export interface ApprovalArgumentsParams {
  approvalId: string;
}

export interface ApprovalArgumentsResult {
  arguments: JsonObject;
}

/** A remembered answer. It counts while the tool's code is what it was when the person chose it. */
export interface Grant {
  grantId: string;
  tool: string;
  /** What it covers, verbatim as the person chose it. */
  rule: string;
  covers: Covers;
  scope: Life;
  projectRoot: string;
  /** JSON of the arguments, cut; where it covers only those. */
  arguments?: string;
  /** ISO 8601, UTC. */
  created: string;
}

export interface GrantsListParams {
  /** Only those of this folder; else of all open ones. */
  projectRoot?: string;
}

export interface GrantsListResult {
  grants: Grant[];
}

export interface GrantsRevokeParams {
  grantId: string;
}

/** One line of the decision log: who or what decided about a call, why, and by which rule. */
export interface Decision {
  /** ISO 8601, UTC. */
  time: string;
  runId: string;
  /** The number of the decision among the run's events. */
  seq: number;
  callId: string;
  tool: string;
  argsDigest: string;
  /** What was decided about; edited ones as edited. Absent where newer ones fill the message. */
  arguments?: JsonObject;
  decision: "allow" | "deny";
  decidedBy: string;
  optionKind?: string;
  mode?: string;
  rule?: string;
  edited?: boolean;
  reason?: string;
  waitedMs?: number;
  projectRoot?: string;
}

export interface DecisionsListParams {
  projectRoot?: string;
  runId?: string;
  limit?: number;
}

/** Newest first. */
export interface DecisionsListResult {
  decisions: Decision[];
}

/** What can happen in a run, told apart by `type`. */
export type Event =
  | PromptEvent
  | EpisodeEvent
  | TextEvent
  | ToolCallEvent
  | ToolProgressEvent
  | ToolResultEvent
  | UsageEvent
  | StateEvent
  | DecisionEvent
  | TodosEvent
  | ModeEvent
  | NoticeEvent
  | ErrorEvent
  | FinishedEvent;

/** Requests that the editor sends. */
export interface EditorRequests {
  /** The tools of every project, with schema, place, approval and problems. */
  "adal/tools/list": { params: ToolsListParams; result: ToolsListResult };
  /** Imports the tools of every project anew, changed or not; answers at once, `adal/tools/changed` follows. */
  "adal/tools/reload": { params: Empty; result: Empty };
  /** Runs one tool with these arguments, without a model: the person who asks is the one who allows it. Answers when the tool has ended; `$/cancelRequest` stops it. */
  "adal/tools/try": { params: ToolsTryParams; result: ToolsTryResult };
  /** The agents of every project, and their tools as far as they are known without a run. Loads what is not yet. */
  "adal/agents/list": { params: AgentsListParams; result: AgentsListResult };
  /** The form for an agent's tool context. An id that no agent has is refused with `data.code` UNKNOWN_AGENT. */
  "adal/agents/contextForm": { params: ContextFormParams; result: ContextForm };
  /** Starts a run; answers at once with its id. */
  "adal/run/start": { params: RunStartParams; result: RunStarted };
  /** Cancels a run; answers at once, the run ends with `finished cancelled`. */
  "adal/run/cancel": { params: RunCancelParams; result: Empty };
  /** A further prompt in the conversation of a run of this session. */
  "adal/run/prompt": { params: RunPromptParams; result: RunStarted };
  /** Takes an ended or interrupted run up again. What waited for an approval is asked about anew. */
  "adal/run/resume": { params: RunResumeParams; result: RunStarted };
  /** A new run with the beginning of another, to go on differently. */
  "adal/run/fork": { params: RunForkParams; result: RunStarted };
  /** Deletes a run with all its events; not one that is going on. */
  "adal/run/delete": { params: RunDeleteParams; result: Empty };
  /** A run as one text: JSON with every event, or Markdown to read. */
  "adal/run/export": { params: RunExportParams; result: RunExportResult };
  /** The runs of the workspace, newest first. */
  "adal/run/list": { params: RunListParams; result: RunListResult };
  /** One run and its events from a number on (replay), in pages. */
  "adal/run/get": { params: RunGetParams; result: RunGetResult };
  /** The whole result or the whole arguments of a call whose events carry them cut. */
  "adal/run/fullText": { params: RunFullTextParams; result: RunFullTextResult };
  /** The approvals that wait for an answer (after a reload). */
  "adal/approval/pending": { params: Empty; result: ApprovalPendingResult };
  /** The full arguments of an approval too large to send with it. */
  "adal/approval/arguments": { params: ApprovalArgumentsParams; result: ApprovalArgumentsResult };
  /** Switches the permission mode of a run that is going on. Questions that wait go on waiting. */
  "adal/run/setMode": { params: RunSetModeParams; result: Empty };
  /** The remembered approvals that count here, oldest first. */
  "adal/grants/list": { params: GrantsListParams; result: GrantsListResult };
  /** Forgets a remembered approval; the next call asks again. */
  "adal/grants/revoke": { params: GrantsRevokeParams; result: Empty };
  /** The decision log: who allowed or denied a call, and why. */
  "adal/decisions/list": { params: DecisionsListParams; result: DecisionsListResult };
}

/** Requests that the editor answers. */
export interface ServerRequests {
  /** Asks the person whether one call may run as shown. */
  "adal/approval/request": { params: ApprovalRequest; result: ApprovalAnswer };
}

/** Notifications that the editor sends. */
export interface EditorNotifications {
  /** The person granted or withdrew trust in the workspace. */
  "adal/trust/changed": TrustChanged;
  /** The person looks at runs and may start one soon: the model layer is made ready in the background. */
  "adal/run/warm": RunWarmParams;
}

/** Notifications that the editor hears. */
export interface ServerNotifications {
  /** A project's tools are others than before; list them again. */
  "adal/tools/changed": ToolsChanged;
  /** What a tool that is being tried prints or yields. */
  "adal/tools/tryProgress": ToolsTryProgress;
  /** Health of the server and whether background work goes on. */
  "adal/status": Status;
  /** One event of a run, numbered without gaps. */
  "adal/run/update": RunUpdate;
  /** An approval needs no answer any more. */
  "adal/approval/resolved": ApprovalResolved;
}
