import type { LogOutputChannel } from "vscode";
import type { Connection } from "./connection.ts";

/** What the parts of the extension share. */
export interface Services {
  readonly connection: Connection;
  readonly log: LogOutputChannel;
  readonly runtime: Runtime;
}

/** The interpreter that runs agents. */
export interface Runtime {
  /**
   * Makes sure that agents can run: the workspace is trusted and an interpreter with the full package is known to the
   * server. Asks the person where something is missing (and may restart the server); false when they declined or it
   * failed, after they have been told.
   */
  ensure(): Promise<boolean>;
}
