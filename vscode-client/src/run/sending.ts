import type { Services } from "../services.ts";
import { pickProject } from "./choices.ts";
import { withContext } from "./context.ts";
import type { RunController } from "./controller.ts";
import type { PromptHistory } from "./promptHistory.ts";
import { runtimeMissing } from "./readiness.ts";
import type { WithContext } from "./viewState.ts";

/** What has to be right before a prompt can go to the server: the runtime is there, and it is clear whose tools count. */
export class Sending {
  #going: Promise<void> | undefined;

  constructor(
    private readonly controller: RunController,
    private readonly services: Services,
    private readonly history: PromptHistory,
  ) {}

  /** A prompt for the run that is shown, or for a new one. */
  send({ prompt, toolContext }: { prompt: string } & WithContext): Promise<void> {
    return this.#whenReady(prompt, async (text) => {
      if (this.controller.state.run || (await this.chooseProject())) await this.controller.send(text, toolContext);
    });
  }

  /** A prompt for a new run. */
  start(prompt: string, projectRoot?: string): Promise<void> {
    return this.#whenReady(prompt, async (text) => {
      if (await this.chooseProject(projectRoot)) await this.controller.start(text);
    });
  }

  /** Another prompt in the place of an earlier one. */
  resend({ seq, prompt, toolContext }: { seq: number; prompt: string } & WithContext): Promise<void> {
    return this.#whenReady(prompt, (text) => this.controller.resend(seq, text, toolContext));
  }

  resume({ toolContext }: WithContext = {}): Promise<void> {
    return this.#whenReady(undefined, () => this.controller.resume(toolContext));
  }

  /** Settles whose tools the next run gets; false when the person was asked and backed out. */
  async chooseProject(wanted = this.controller.settings.projectRoot, again = false): Promise<boolean> {
    const { projects } = await this.services.connection.request("adal/tools/list", {});
    const isKnown = projects.some((project) => project.root === wanted);
    const chosen = projects.length < 2 || (isKnown && !again) ? wanted : await pickProject(projects, wanted);
    const { projectRoot: _, ...settings } = this.controller.settings;
    this.controller.settings = projects.length > 1 && chosen ? { ...settings, projectRoot: chosen } : settings;
    return projects.length < 2 || chosen !== undefined;
  }

  /** One at a time: making the runtime ready may take minutes, in which a second press means nothing. */
  #whenReady(prompt: string | undefined, action: (text: string) => Promise<void>): Promise<void> {
    this.#going ??= this.#make(prompt, action).finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #make(prompt: string | undefined, action: (text: string) => Promise<void>): Promise<void> {
    if (!(await this.controller.untilStarted())) {
      return;
    }
    if (await this.services.runtime.ensure()) {
      if (prompt !== undefined) this.history.add(prompt);
      await action(prompt === undefined ? "" : await withContext(prompt));
    } else if (this.controller.state.readiness.kind === "ready") {
      this.controller.readiness = runtimeMissing();
    }
  }
}
