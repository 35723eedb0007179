import { t } from "@vscode/l10n";
import type { JsonValue, PermissionMode, RunUpdate } from "../protocol.ts";
import type { Link } from "./controller.ts";
import { append, emptyTranscript, isGap, isGoing, type RunState, type Transcript, withRun } from "./transcript.ts";

/** How often a run of another process is looked at: its events do not come by themselves. */
const LOOK_AFTER_MS = 1500;

/** The code of the error that ends every run of an agent host that ended by itself. */
const HOST_DIED = "host_died";

/** What the one who shows a run hears of it. */
export interface Hearer {
  changed(): void;
  failed(problem: string): void;
}

/** What a run goes on with; absent what it goes on with as before. */
export interface GoOn {
  readonly permissionMode: PermissionMode;
  readonly model?: string;
  /** What the agent's tools are given; each prompt brings its own. */
  readonly toolContext?: JsonValue;
}

/** The run that the view shows: what has happened in it, filled in from the store where events are missing. */
export class ShownRun {
  #transcript: Transcript;
  #model: string | undefined;
  #agent: string | undefined;
  #projectRoot: string | undefined;
  #queued: readonly string[] = [];
  #replay: Promise<void> | undefined;
  #stale = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    readonly runId: string,
    private readonly link: Link,
    /** Runs whose events come to us: they go on in our own server. */
    private readonly ours: Set<string>,
    private readonly hearer: Hearer,
    begun: { readonly model?: string; readonly agent?: string; readonly projectRoot?: string } = {},
  ) {
    this.#transcript = emptyTranscript(runId);
    this.#model = begun.model;
    this.#agent = begun.agent;
    this.#projectRoot = begun.projectRoot;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  get state(): RunState {
    return this.#transcript.state;
  }

  /** What it runs with, once that is known. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Who answers, once that is known. */
  get agent(): string | undefined {
    return this.#agent;
  }

  /** Its project, once that is known. */
  get projectRoot(): string | undefined {
    return this.#projectRoot;
  }

  /** Goes on in another window or at a terminal: it can be read here, no more. */
  get isElsewhere(): boolean {
    return isGoing(this.state) && !this.ours.has(this.runId);
  }

  /** Prompts that the agent has not heard yet. */
  get queued(): readonly string[] {
    return this.#queued;
  }

  enter(state: RunState): void {
    this.#transcript = { ...this.#transcript, state };
    this.hearer.changed();
  }

  /**
   * Says something. While the run goes on the agent hears it at its next request; an interrupted one is taken up again.
   *
   * @throws Error when the server refuses; the run stands as before.
   */
  async say(prompt: string, how: GoOn): Promise<void> {
    if (this.isElsewhere) {
      throw new Error(t("This run goes on in another window or at a terminal. Write there, or begin a new run."));
    }
    if (!isGoing(this.state)) {
      const method = this.state === "interrupted" ? "adal/run/resume" : "adal/run/prompt";
      return this.#goOn(() => this.link.request(method, { runId: this.runId, prompt, ...how }));
    }
    this.#queue([...this.#queued, prompt]);
    try {
      const given = how.toolContext === undefined ? {} : { toolContext: how.toolContext };
      await this.link.request("adal/run/prompt", { runId: this.runId, prompt, ...given });
    } catch (error) {
      const at = this.#queued.indexOf(prompt);
      this.#queue(this.#queued.filter((_, index) => index !== at));
      throw error;
    }
  }

  /** Takes the run up where it ended: an interrupted one, or one that ended with an error. */
  async resume(how: GoOn): Promise<void> {
    if (!isGoing(this.state)) {
      await this.#goOn(() => this.link.request("adal/run/resume", { runId: this.runId, ...how }));
    }
  }

  /** Cancels the run, which ends with its `finished` event. */
  async stop(): Promise<void> {
    if (isGoing(this.state) && !this.isElsewhere) {
      this.enter("cancelling");
      await this.link.request("adal/run/cancel", { runId: this.runId });
    }
  }

  async setMode(mode: PermissionMode): Promise<void> {
    if (isGoing(this.state) && !this.isElsewhere) {
      await this.link.request("adal/run/setMode", { runId: this.runId, mode });
    }
  }

  heard(update: RunUpdate): void {
    const { event } = update;
    if (event.type === "error" && event.code === HOST_DIED) {
      // Told by the server in the place of the agent, and not stored: the store knows how far the run came.
      this.ours.delete(this.runId);
      this.enter("interrupted");
      this.hearer.failed(t`The run was cut short: ${event.message}`);
      void this.catchUp();
      return;
    }
    if (isGap(this.#transcript, update)) {
      void this.catchUp();
      return;
    }
    this.#take(update);
    this.hearer.changed();
  }

  /** Fills in what the store has beyond the last known event. Asked again meanwhile, it reads once more. */
  catchUp(): Promise<void> {
    this.#stale = true;
    this.#replay ??= this.#read().finally(() => {
      this.#replay = undefined;
    });
    return this.#replay;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #goOn(ask: () => Promise<unknown>): Promise<void> {
    const before = this.state;
    this.ours.add(this.runId);
    this.enter("starting");
    try {
      await ask();
    } catch (error) {
      this.ours.delete(this.runId);
      this.enter(before);
      throw error;
    }
  }

  #queue(prompts: readonly string[]): void {
    this.#queued = prompts;
    this.hearer.changed();
  }

  #take(update: RunUpdate): void {
    if (update.seq <= this.#transcript.lastSeq) {
      return;
    }
    this.#transcript = append(this.#transcript, update);
    const { event } = update;
    if (event.type === "prompt") {
      // What was said while an episode ended comes as one prompt.
      this.#queued = this.#queued.filter((prompt) => !event.text.includes(prompt));
    }
    if (event.type === "finished" && event.stopReason !== "end_turn") {
      this.#queued = []; // a notice says so
    }
  }

  async #read(): Promise<void> {
    while (this.#stale && !this.#isClosed) {
      this.#stale = false;
      const fromSeq = this.#transcript.lastSeq + 1;
      try {
        const { run, events, more } = await this.link.request("adal/run/get", { runId: this.runId, fromSeq });
        for (const update of events) {
          this.#take(update);
        }
        if (more) {
          this.#stale = true; // shown once all of it is there: drawing each page would cost more than it shows
          continue;
        }
        this.#transcript = withRun(this.#transcript, run);
        this.#model = run.model;
        this.#agent = run.agent;
        this.#projectRoot = run.projectRoot;
        this.hearer.changed();
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        this.hearer.failed(t`The run's history could not be read. ${words}`);
      }
    }
    if (this.isElsewhere && !this.#isClosed) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.catchUp(), LOOK_AFTER_MS);
    }
  }
}
