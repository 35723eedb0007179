import { type Disposable, type LogOutputChannel, workspace } from "vscode";
import type { Client } from "./client.ts";

/** Tells the running server when the person trusts the workspace: it upgrades in place, nothing is restarted. */
export function watchTrust(client: Client, log: LogOutputChannel): Disposable {
  return workspace.onDidGrantWorkspaceTrust(async () => {
    if (client.state.kind === "running") {
      log.info("The workspace is trusted now.");
      await client.notify("adal/trust/changed", { trusted: true });
    } else {
      await client.reconcile(); // an interpreter inside the workspace may be used from now on
    }
  });
}
