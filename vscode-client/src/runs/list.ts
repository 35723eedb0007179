import type { LogOutputChannel } from "vscode";
import type { Connection } from "../connection.ts";
import type { Run } from "../protocol.ts";

const MOST = 200;
/** Events come many at a time. */
const LOOK_AFTER_MS = 300;

/** The runs of the workspace as the Runs view shows them, looked up anew while it is visible and something happens. */
export class RunList {
  #query = "";
  #timer: NodeJS.Timeout | undefined;
  #asked = 0;
  #isWatched = false;

  constructor(
    private readonly connection: Connection,
    private readonly log: LogOutputChannel,
    private readonly found: (runs: readonly Run[], problem?: string) => void,
  ) {}

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query.trim();
    this.refreshSoon();
  }

  /** Whether anybody looks: the agent host is not started for a list that nobody sees. */
  set isWatched(isWatched: boolean) {
    this.#isWatched = isWatched;
    this.refreshSoon();
  }

  refreshSoon(): void {
    if (this.#isWatched && this.connection.state.kind === "running") {
      this.#timer ??= setTimeout(() => void this.refresh(), LOOK_AFTER_MS);
    }
  }

  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const asked = ++this.#asked;
    try {
      const query = this.#query === "" ? {} : { query: this.#query };
      const { runs } = await this.connection.request("adal/run/list", { limit: MOST, ...query });
      if (asked === this.#asked) this.found(runs);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.log.warn(`The runs could not be listed. ${words}`);
      if (asked === this.#asked) this.found([], words);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
