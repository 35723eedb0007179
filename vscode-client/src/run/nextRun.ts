import type { JsonValue, PermissionMode, RunStartParams } from "../protocol.ts";
import type { GoOn, ShownRun } from "./shownRun.ts";
import { isGoing } from "./transcript.ts";

/** What the person chose for the next run. */
export interface RunSettings {
  readonly model: string | undefined;
  readonly mode: PermissionMode;
  /** Root of the project whose tools the run gets; needed only where the workspace has several. */
  readonly projectRoot?: string;
  /** Absent: the default agent. */
  readonly agent?: string;
}

/** What the next prompt runs with: in the run that is shown, which has its own agent and model, or in a new one. */
export class NextRun {
  /** The model that was picked while the shown run was shown: for its next prompt. */
  #picked: string | undefined;

  constructor(
    public settings: RunSettings,
    private readonly shown: () => ShownRun | undefined,
  ) {}

  get model(): string | undefined {
    return this.#picked ?? this.shown()?.model ?? this.settings.model;
  }

  /** A run that goes on has a mode of its own. */
  get mode(): PermissionMode {
    const transcript = this.shown()?.transcript;
    const hasOwn = transcript && isGoing(transcript.state) && transcript.state !== "starting";
    return hasOwn ? (transcript.mode ?? "default") : this.settings.mode;
  }

  /** Who answers, and in which project, as far as these are not the defaults. */
  get agent(): { readonly id?: string; readonly projectRoot?: string } {
    const { agent: id, projectRoot } = this.shown() ?? this.settings;
    return { ...(id && { id }), ...(projectRoot && { projectRoot }) };
  }

  pickModel(model: string): void {
    this.#picked = model;
    this.settings = { ...this.settings, model };
  }

  pickAgent(agent: string, projectRoot?: string): void {
    const { projectRoot: _, ...settings } = this.settings;
    this.settings = { ...settings, agent, ...(projectRoot && { projectRoot }) };
  }

  /** Another run is shown. */
  forget(): void {
    this.#picked = undefined;
  }

  /** For a prompt in the run that is shown. */
  goOn(toolContext: JsonValue | undefined): GoOn {
    return {
      permissionMode: this.settings.mode,
      ...(this.#picked ? { model: this.#picked } : {}),
      ...(toolContext === undefined ? {} : { toolContext }),
    };
  }

  /** For a new run. */
  start(prompt: string, toolContext: JsonValue | undefined): RunStartParams {
    const { model, mode, projectRoot, agent } = this.settings;
    return {
      prompt,
      permissionMode: mode,
      ...(model ? { model } : {}),
      ...(projectRoot ? { projectRoot } : {}),
      ...(agent ? { agent } : {}),
      ...(toolContext === undefined ? {} : { toolContext }),
    };
  }
}
