import { isDeepStrictEqual } from "node:util";
import { type Disposable, EventEmitter, type LogOutputChannel, languages, workspace } from "vscode";
import { TOOLS_FILES } from "../client.ts";
import type { Connection } from "../connection.ts";
import type { Project } from "../protocol.ts";

const PAUSE_MS = 150; // rows that change with every key would flicker

/** The tools as the server last listed them; empty while it does not run. */
export class ToolsModel implements Disposable {
  private readonly changes = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private listed: readonly Project[] = [];
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;

  readonly onDidChange = this.changes.event;

  constructor(
    private readonly connection: Connection,
    private readonly log: LogOutputChannel,
  ) {
    this.subscriptions = [
      connection.onNotification("adal/tools/changed", () => void this.refresh()),
      // An edit changes names and problems before anything is saved, which the server's notification is about.
      workspace.onDidChangeTextDocument(({ document }) => {
        if (languages.match(TOOLS_FILES, document) > 0) this.refreshSoon();
      }),
      connection.onDidChangeState((state) => {
        if (state.kind === "running") void this.refresh();
        else if (state.kind !== "starting") this.take([]); // a restart keeps the list on show
      }),
    ];
  }

  get projects(): readonly Project[] {
    return this.listed;
  }

  /** Lists the tools again; an answer that a later question overtook is dropped. */
  async refresh(): Promise<void> {
    const question = ++this.asked;
    try {
      const { projects } = await this.connection.request("adal/tools/list", {});
      if (question === this.asked) this.take(projects);
    } catch (error) {
      if (this.connection.state.kind === "running") this.log.warn(`The tools could not be listed: ${String(error)}`);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changes.dispose();
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  /** Rows are drawn anew only where they are others: a click on a row that is being replaced is lost. */
  private take(projects: readonly Project[]): void {
    if (isDeepStrictEqual(projects, this.listed)) return;
    this.listed = projects;
    this.changes.fire();
  }
}
