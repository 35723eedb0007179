import { t } from "@vscode/l10n";
import type { ServerState } from "../connection.ts";
import type { Readiness } from "./viewState.ts";

/** What the Run view says and offers in each state of the server. */
export function readinessOf(server: ServerState, trusted: boolean): Readiness {
  switch (server.kind) {
    case "starting":
      return { kind: "starting" };
    case "running":
      return trusted ? { kind: "ready" } : { kind: "untrusted" };
    case "noPython":
    case "oldPython":
      return {
        kind: "blocked",
        title: server.kind === "noPython" ? t("No Python found") : t("This Python is too old"),
        message: server.reason,
        action: { title: t("Select interpreter"), command: "adal.selectInterpreter" },
      };
    case "stopped":
      return {
        kind: "blocked",
        title: t("The language server stopped"),
        message: server.reason,
        action: { title: t("Restart server"), command: "adal.restartServer" },
      };
  }
}

/** What the view says after the person declined the agent runtime, or setting it up failed. */
export function runtimeMissing(): Readiness {
  return {
    kind: "blocked",
    title: t("The agent runtime is missing"),
    message: t("Agents and tools run in a Python environment with the adal-ls package. Lint works without it."),
    action: { title: t("Set up the agent runtime"), command: "adal.setUpRuntime" },
  };
}
