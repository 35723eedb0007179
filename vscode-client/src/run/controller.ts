import type { Connection } from "../connection.ts";
import type { PermissionMode, Run, RunUpdate } from "../protocol.ts";
import { Approvals, type Choice } from "./approvals.ts";
import { append, emptyTranscript, isGap, isGoing, type Transcript, withRun } from "./transcript.ts";
import type { Readiness, ViewState } from "./viewState.ts";

/** What the run view needs of the connection to the language server. */
export type Link = Pick<Connection, "request" | "onNotification" | "onRequest">;

interface Subscription {
  dispose(): void;
}

/** What the person chose for the next run. */
export interface RunSettings {
  readonly model: string | undefined;
  readonly mode: PermissionMode;
  /** Root of the project whose tools the run gets; needed only where the workspace has several. */
  readonly projectRoot?: string;
}

/**
 * The state behind the Run view: the run that is shown, its transcript, and the approvals that wait. It lives in the
 * extension host, so that hiding, moving and reloading the view lose nothing. It knows no VS Code.
 */
export class RunController {
  readonly #approvals = new Approvals(() => this.#changed());
  readonly #listeners = new Set<(state: ViewState) => void>();
  readonly #subscriptions: readonly Subscription[];
  #readiness: Readiness = { kind: "starting" };
  #settings: RunSettings;
  #transcript: Transcript | undefined;
  #problem: string | undefined;
  #starting = false;
  /** Ends the wait of a prompt for the server. */
  #leaveQueue: ((goOn: boolean) => void) | undefined;
  /** Updates of a run whose id is not known yet: its events may overtake the answer to `adal/run/start`. */
  #early: RunUpdate[] = [];
  #replay: Promise<void> | undefined;
  #stale = false;
  #restored = false;

  constructor(
    private readonly link: Link,
    settings: RunSettings,
    private readonly log: (message: string) => void,
    private readonly folders: () => readonly string[] = () => [],
  ) {
    this.#settings = settings;
    this.#subscriptions = [
      link.onNotification("adal/run/update", (update) => this.#heard(update)),
      link.onNotification("adal/approval/resolved", (resolved) => this.#approvals.withdraw(resolved.approvalId)),
      link.onRequest("adal/approval/request", (request, withdrawal) => {
        const answer = this.#approvals.ask(request, withdrawal);
        if (!request.arguments) {
          void this.loadArguments(request.approvalId);
        }
        return answer;
      }),
    ];
  }

  get state(): ViewState {
    const transcript = this.#transcript;
    return {
      readiness: this.#readiness,
      model: this.#settings.model ?? "offline",
      mode: this.#settings.mode,
      folders: this.folders(),
      ...(this.#leaveQueue ? { queued: true } : {}),
      ...(this.#settings.projectRoot ? { projectRoot: this.#settings.projectRoot } : {}),
      items: transcript?.items ?? [],
      approvals: this.#approvals.waiting,
      ...(transcript ? { run: runOf(transcript, this.#starting) } : this.#starting ? { run: STARTING } : {}),
      ...(this.#problem ? { problem: this.#problem } : {}),
    };
  }

  onChange(listener: (state: ViewState) => void): Subscription {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  get settings(): RunSettings {
    return this.#settings;
  }

  set settings(settings: RunSettings) {
    this.#settings = settings;
    this.#changed();
  }

  set readiness(readiness: Readiness) {
    this.#readiness = readiness;
    if (readiness.kind !== "starting") {
      this.#endQueue(readiness.kind !== "blocked");
    }
    this.#changed();
  }

  /** Waits while the server starts; false when it cannot be used after all, or the person took the prompt back. */
  untilStarted(): Promise<boolean> {
    if (this.#readiness.kind !== "starting") {
      return Promise.resolve(true);
    }
    return new Promise((settle) => {
      this.#endQueue(false);
      this.#leaveQueue = settle;
      this.#changed();
    });
  }

  /** The server has (re)started: its approvals replace ours, and the shown run goes on where it stands. */
  async connected(): Promise<void> {
    if (this.#transcript) {
      await this.#catchUp();
    }
    if (this.#approvals.waiting.length > 0) {
      const pending = await this.link.request("adal/approval/pending", {});
      this.#approvals.keepOnly(new Set(pending.approvals.map((request) => request.approvalId)));
    }
  }

  /** The server is gone: nobody waits for answers, and a run that was going is cut short. */
  disconnected(): void {
    this.#approvals.keepOnly(new Set());
    this.#starting = false;
    this.#early = [];
    if (this.#transcript && isGoing(this.#transcript.state)) {
      this.#transcript = { ...this.#transcript, state: "interrupted" };
    }
    this.#changed();
  }

  /** Shows the newest run of the workspace, once, when nothing is shown yet (after a window reload). */
  async restore(): Promise<void> {
    if (this.#restored || this.#transcript || this.#starting || this.#readiness.kind !== "ready") {
      return;
    }
    this.#restored = true;
    try {
      const newest = (await this.runs())[0];
      if (newest && !this.#transcript && !this.#starting) {
        await this.show(newest.runId);
      }
    } catch (error) {
      // Nobody asked for it, and without the agent runtime there is nothing to show yet.
      this.log(`The last run is not shown. ${messageOf(error)}`);
    }
  }

  /** The runs of the workspace, newest first. */
  async runs(): Promise<Run[]> {
    return (await this.link.request("adal/run/list", {})).runs;
  }

  /** Shows a run of the store, whether it goes on or not. */
  async show(runId: string): Promise<void> {
    this.#transcript = emptyTranscript(runId);
    this.#problem = undefined;
    await this.#catchUp();
  }

  /** Clears the view for a new prompt; a run that goes on keeps going. */
  clear(): void {
    this.#transcript = undefined;
    this.#problem = undefined;
    this.#restored = true;
    this.#changed();
  }

  /** Starts a run. Failures are shown in the view. */
  async start(prompt: string): Promise<void> {
    if (this.#starting || (this.#transcript && isGoing(this.#transcript.state))) {
      return this.#fail("A run is going on. Stop it before you start another.");
    }
    this.#starting = true;
    this.#transcript = undefined;
    this.#problem = undefined;
    this.#changed();
    try {
      const { model, mode, projectRoot } = this.#settings;
      const { runId } = await this.link.request("adal/run/start", {
        prompt,
        permissionMode: mode,
        ...(model ? { model } : {}),
        ...(projectRoot ? { projectRoot } : {}),
      });
      this.#transcript = emptyTranscript(runId);
      const early = this.#early;
      this.#early = [];
      this.#starting = false;
      for (const update of early) {
        this.#heard(update);
      }
    } catch (error) {
      this.#fail(`The run did not start. ${messageOf(error)}`);
    } finally {
      this.#starting = false;
      this.#early = [];
      this.#changed();
    }
  }

  /** Cancels the shown run, which ends with its `finished` event, or takes back the prompt that waits. */
  async stop(): Promise<void> {
    if (this.#leaveQueue) {
      this.#endQueue(false);
      return this.#changed();
    }
    const transcript = this.#transcript;
    if (!transcript || !isGoing(transcript.state)) {
      return;
    }
    this.#transcript = { ...transcript, state: "cancelling" };
    this.#changed();
    try {
      await this.link.request("adal/run/cancel", { runId: transcript.runId });
    } catch (error) {
      this.#fail(`The run could not be stopped. ${messageOf(error)}`);
    }
  }

  /** Gives the person's answer to one approval. */
  answer(choice: Choice): void {
    try {
      this.#problem = undefined;
      this.#approvals.answer(choice);
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  /** Fetches the arguments of an approval that is too large to carry them. */
  async loadArguments(approvalId: string): Promise<void> {
    try {
      this.#approvals.supply(approvalId, await this.link.request("adal/approval/arguments", { approvalId }));
    } catch (error) {
      this.#approvals.supply(approvalId, { problem: messageOf(error) });
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    this.#endQueue(false);
    this.disconnected();
    this.#listeners.clear();
  }

  #endQueue(goOn: boolean): void {
    const leave = this.#leaveQueue;
    this.#leaveQueue = undefined;
    leave?.(goOn);
  }

  #heard(update: RunUpdate): void {
    const transcript = this.#transcript;
    if (transcript?.runId !== update.runId) {
      if (this.#starting) {
        this.#early.push(update);
      }
      return;
    }
    if (isGap(transcript, update)) {
      void this.#catchUp();
      return;
    }
    this.#transcript = append(transcript, update);
    this.#changed();
  }

  /** Fills in what the store has beyond the last known event. Asked again meanwhile, it reads once more. */
  #catchUp(): Promise<void> {
    this.#stale = true;
    this.#replay ??= this.#read().finally(() => {
      this.#replay = undefined;
    });
    return this.#replay;
  }

  async #read(): Promise<void> {
    while (this.#stale && this.#transcript) {
      this.#stale = false;
      const { runId, lastSeq } = this.#transcript;
      try {
        const { run, events } = await this.link.request("adal/run/get", { runId, fromSeq: lastSeq + 1 });
        if (this.#transcript?.runId === runId) {
          this.#transcript = withRun(events.reduce(append, this.#transcript), run);
          this.#changed();
        }
      } catch (error) {
        this.#fail(`The run's history could not be read. ${messageOf(error)}`);
      }
    }
  }

  #fail(problem: string): void {
    this.log(problem);
    this.#problem = problem;
    this.#changed();
  }

  #changed(): void {
    const state = this.state;
    for (const listener of this.#listeners) {
      listener(state);
    }
  }
}

const STARTING = { runId: "", state: "starting" } as const;

function runOf(transcript: Transcript, starting: boolean): NonNullable<ViewState["run"]> {
  const { runId, state, usage } = transcript;
  return { runId, state: starting ? "starting" : state, ...(usage ? { usage } : {}) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
