import { t } from "@vscode/l10n";
import type { Connection } from "../connection.ts";
import type { JsonValue, PermissionMode, Run, RunUpdate } from "../protocol.ts";
import { Approvals, type Choice } from "./approvals.ts";
import { NextRun, type RunSettings } from "./nextRun.ts";
import { fetchArguments, hearQuestions } from "./questions.ts";
import { ShownRun } from "./shownRun.ts";
import { StartQueue } from "./startQueue.ts";
import { isGoing } from "./transcript.ts";
import type { Readiness, ViewState } from "./viewState.ts";

/** What the run view needs of the connection to the language server. */
export type Link = Pick<Connection, "request" | "notify" | "onNotification" | "onRequest">;

interface Subscription {
  dispose(): void;
}

/** What is shown beside the run, and kept elsewhere. */
export type Surroundings = Pick<ViewState, "folders" | "history" | "agent">;

/**
 * The state behind the Run view: the run that is shown and the approvals that wait. It lives in the extension host, so
 * that hiding, moving and reloading the view lose nothing. It knows no VS Code.
 */
export class RunController {
  readonly #approvals = new Approvals(() => this.#changed());
  readonly #listeners = new Set<(state: ViewState) => void>();
  readonly #subscriptions: readonly Subscription[];
  readonly #ours = new Set<string>();
  #readiness: Readiness = { kind: "starting" };
  readonly #next: NextRun;
  #shown: ShownRun | undefined;
  #problem: string | undefined;
  #sent = 0;
  #starting = false;
  readonly #queue = new StartQueue();
  /** Updates of a run whose id is not known yet: its events may overtake the answer to `adal/run/start`. */
  #early: RunUpdate[] = [];
  #restored = false;

  constructor(
    private readonly link: Link,
    settings: RunSettings,
    private readonly log: (message: string) => void,
    private readonly surroundings: (
      agent: string | undefined,
      projectRoot: string | undefined,
    ) => Surroundings = () => ({
      folders: [],
      history: [],
    }),
  ) {
    this.#next = new NextRun(settings, () => this.#shown);
    this.#subscriptions = [
      link.onNotification("adal/run/update", (update) => this.#heard(update)),
      ...hearQuestions(link, this.#approvals),
    ];
  }

  get state(): ViewState {
    const shown = this.#shown;
    return {
      readiness: this.#readiness,
      model: this.#next.model ?? "offline",
      mode: this.#next.mode,
      ...this.surroundings(this.agent.id, this.agent.projectRoot),
      sent: this.#sent,
      ...(this.#queue.isWaiting ? { queued: true } : {}),
      ...(this.settings.projectRoot ? { projectRoot: this.settings.projectRoot } : {}),
      items: shown?.transcript.items ?? [],
      unheard: shown?.queued ?? [],
      approvals: this.#approvals.waiting,
      ...(shown ? { run: runOf(shown, this.#starting) } : this.#starting ? { run: STARTING } : {}),
      ...(this.#problem ? { problem: this.#problem } : {}),
    };
  }

  /** Something that is shown beside the run is another. */
  surroundingsChanged(): void {
    this.#changed();
  }

  /** Who answers the next prompt, and in which project, as far as these are not the defaults. */
  get agent(): { readonly id?: string; readonly projectRoot?: string } {
    return this.#next.agent;
  }

  onChange(listener: (state: ViewState) => void): Subscription {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  get settings(): RunSettings {
    return this.#next.settings;
  }

  set settings(settings: RunSettings) {
    this.#next.settings = settings;
    this.#changed();
  }

  set readiness(readiness: Readiness) {
    this.#readiness = readiness;
    if (readiness.kind !== "starting") {
      this.#queue.end(readiness.kind !== "blocked");
    }
    this.#changed();
  }

  /** For new runs: who answers in a run that is shown does not change. */
  pickAgent(agent: string, projectRoot?: string): void {
    if (this.#shown && this.#shown.agent !== agent) {
      this.clear();
    }
    this.#next.pickAgent(agent, projectRoot);
    this.#changed();
  }

  /** For the next prompt, and for new runs. */
  pickModel(model: string): void {
    this.#next.pickModel(model);
    this.#changed();
  }

  /** From now on: in the run that goes on, and in new ones. */
  async pickMode(mode: PermissionMode): Promise<void> {
    this.settings = { ...this.settings, mode };
    await this.#attempt(t("The mode of the run could not be switched."), () => this.#shown?.setMode(mode));
  }

  /** Waits while the server starts; false when it cannot be used after all, or the person took the prompt back. */
  untilStarted(): Promise<boolean> {
    if (this.#readiness.kind !== "starting") {
      return Promise.resolve(true);
    }
    const started = this.#queue.wait();
    this.#changed();
    return started;
  }

  /** The server has (re)started: its approvals replace ours, and the shown run goes on where it stands. */
  async connected(): Promise<void> {
    await this.#shown?.catchUp();
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
    this.#ours.clear();
    if (this.#shown && isGoing(this.#shown.state)) {
      this.#shown.enter("interrupted");
    }
    this.#changed();
  }

  /** Shows the newest run of the workspace, once, when nothing is shown yet (after a window reload). */
  async restore(): Promise<void> {
    if (this.#restored || this.#shown || this.#starting || this.#readiness.kind !== "ready") {
      return;
    }
    this.#restored = true;
    void this.#warm();
    try {
      const newest = (await this.runs())[0];
      if (newest && !this.#shown && !this.#starting) {
        await this.show(newest.runId);
      }
    } catch (error) {
      // Nobody asked for it, and without the agent runtime there is nothing to show yet.
      this.log(`The last run is not shown. ${messageOf(error)}`);
    }
  }

  /** The view is open: what the first run would wait for is made ready meanwhile. */
  async #warm(): Promise<void> {
    const { model } = this.settings;
    try {
      await this.link.notify("adal/run/warm", model ? { model } : {});
    } catch (error) {
      this.log(`The model is not made ready ahead. ${messageOf(error)}`);
    }
  }

  /** The runs of the workspace, newest first. */
  async runs(): Promise<Run[]> {
    return (await this.link.request("adal/run/list", { limit: 1 })).runs;
  }

  /** Shows a run of the store, whether it goes on or not. */
  async show(runId: string): Promise<void> {
    this.#follow(runId);
    await this.#shown?.catchUp();
  }

  /** Clears the view for a new prompt; a run that goes on keeps going. */
  clear(): void {
    this.#close();
    this.#restored = true;
    this.#changed();
  }

  /** The run was deleted. */
  forget(runId: string): void {
    if (this.#shown?.runId === runId) {
      this.clear();
    }
  }

  /** Starts a run. Failures are shown in the view. */
  async start(prompt: string, toolContext?: JsonValue): Promise<void> {
    if (this.#starting || (this.#shown && isGoing(this.#shown.state))) {
      return this.#fail(t("A run is going on. Stop it before you start another."));
    }
    this.#close();
    this.#starting = true;
    this.#changed();
    try {
      const params = this.#next.start(prompt, toolContext);
      const { runId } = await this.link.request("adal/run/start", params);
      this.#ours.add(runId);
      this.#sent++;
      this.#shown = this.#newShown(runId, params);
      const early = this.#early;
      this.#early = [];
      this.#starting = false;
      for (const update of early) {
        this.#heard(update);
      }
    } catch (error) {
      this.#fail(t`The run did not start. ${messageOf(error)}`);
    } finally {
      this.#starting = false;
      this.#early = [];
      this.#changed();
    }
  }

  /** Says something in the run that is shown, or starts one. */
  async send(prompt: string, toolContext?: JsonValue): Promise<void> {
    const shown = this.#shown;
    if (!shown) {
      return this.start(prompt, toolContext);
    }
    if (await this.#attempt(t("The prompt was not sent."), () => shown.say(prompt, this.#next.goOn(toolContext)))) {
      this.#sent++;
      this.#changed();
    }
  }

  /** Takes the shown run up where it ended. */
  async resume(toolContext?: JsonValue): Promise<void> {
    await this.#attempt(t("The run did not go on."), () => this.#shown?.resume(this.#next.goOn(toolContext)));
  }

  /** Shows a new run that has the beginning of this one: all before event `beforeSeq`. Whether there is one. */
  async fork(runId: string, beforeSeq?: number): Promise<boolean> {
    return this.#attempt(t("The run could not be forked."), async () => {
      const params = beforeSeq === undefined ? { runId } : { runId, beforeSeq };
      await this.show((await this.link.request("adal/run/fork", params)).runId);
    });
  }

  /** Says something else in the place of an earlier prompt. What was there stays, as a run of its own. */
  async resend(beforeSeq: number, prompt: string, toolContext?: JsonValue): Promise<void> {
    const shown = this.#shown;
    if (shown && (await this.fork(shown.runId, beforeSeq))) {
      await this.send(prompt, toolContext);
    }
  }

  /** Cancels the shown run, which ends with its `finished` event, or takes back the prompt that waits. */
  async stop(): Promise<void> {
    if (this.#queue.isWaiting) {
      this.#queue.end(false);
      return this.#changed();
    }
    await this.#attempt(t("The run could not be stopped."), () => this.#shown?.stop());
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
    await fetchArguments(this.link, this.#approvals, approvalId);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    this.#queue.end(false);
    this.disconnected();
    this.#shown?.close();
    this.#listeners.clear();
  }

  #newShown(runId: string, begun: { model?: string; agent?: string; projectRoot?: string } = {}): ShownRun {
    const hearer = { changed: () => this.#changed(), failed: (problem: string) => this.#fail(problem) };
    return new ShownRun(runId, this.link, this.#ours, hearer, begun);
  }

  #follow(runId: string): void {
    this.#close();
    this.#restored = true;
    this.#shown = this.#newShown(runId);
  }

  #close(): void {
    this.#shown?.close();
    this.#shown = undefined;
    this.#next.forget();
    this.#problem = undefined;
  }

  #heard(update: RunUpdate): void {
    this.#ours.add(update.runId);
    if (this.#shown?.runId === update.runId) {
      this.#shown.heard(update);
    } else if (this.#starting) {
      this.#early.push(update);
    }
  }

  /** Whether it worked; if not, the view says why. */
  async #attempt(problem: string, action: () => Promise<unknown> | undefined): Promise<boolean> {
    this.#problem = undefined;
    try {
      await action();
      return true;
    } catch (error) {
      this.#fail(`${problem} ${messageOf(error)}`);
      return false;
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

function runOf(shown: ShownRun, starting: boolean): NonNullable<ViewState["run"]> {
  const { state, usage } = shown.transcript;
  return {
    runId: shown.runId,
    state: starting ? "starting" : state,
    ...(usage ? { usage } : {}),
    ...(shown.isElsewhere ? { elsewhere: true } : {}),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
