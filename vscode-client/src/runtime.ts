import { readdirSync } from "node:fs";
import * as path from "node:path";
import { t } from "@vscode/l10n";
import { commands, type ExtensionContext, type LogOutputChannel, ProgressLocation, window, workspace } from "vscode";
import type { Client } from "./client.ts";
import { createEnvironment, type Plan, readyPython, SetupCancelled, SetupError } from "./environment.ts";
import { type Interpreter, isSupported, probe, RUNTIME_PACKAGES } from "./interpreter.ts";
import type { Runtime } from "./services.ts";
import type { Settings } from "./settings.ts";

/** Why an interpreter cannot run agents, or undefined when it can. */
export function unfit(interpreter: Interpreter, version: string): string | undefined {
  const file = interpreter.path;
  if (!isSupported(interpreter)) return t`${file} is Python ${interpreter.version.join(".")}.`;
  const missing = RUNTIME_PACKAGES.filter((name) => !(name in interpreter.packages));
  if (missing.length > 0) return t`${file} lacks ${missing.join(", ")}.`;
  const installed = interpreter.packages["adal-ls"];
  if (installed !== version) return t`${file} has adal-ls ${installed ?? ""}; this extension needs ${version}.`;
  return undefined;
}

/** Finds or makes the interpreter that runs agents. */
export class AgentRuntime {
  private readonly version: string;
  private setup: Promise<boolean> | undefined;

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: LogOutputChannel,
  ) {
    this.version = String(context.extension.packageJSON.version);
  }

  /** The named interpreter, the server's own if it has the package, or the extension's environment. */
  async find(serverPython: Interpreter, settings: Settings): Promise<string | undefined> {
    if (settings.hostInterpreter) {
      try {
        const named = await probe(settings.hostInterpreter);
        const reason = unfit(named, this.version);
        if (!reason) return named.path;
        this.log.warn(`adal.hostInterpreter is not used: ${reason}`);
      } catch (error) {
        this.log.warn(`adal.hostInterpreter (${settings.hostInterpreter}) is not used: ${String(error)}`);
      }
    }
    const reason = unfit(serverPython, this.version);
    if (!reason) return serverPython.path;
    this.log.debug(`No agents on the server's interpreter: ${reason}`);
    return readyPython(this.plan(serverPython.path));
  }

  ensureFor(client: Client): Runtime {
    return { ensure: () => this.ensure(client) };
  }

  /** Makes the extension's environment, whatever is there already. */
  async setUp(client: Client): Promise<boolean> {
    this.setup ??= this.make(client).finally(() => {
      this.setup = undefined;
    });
    return this.setup;
  }

  private async ensure(client: Client): Promise<boolean> {
    if (!workspace.isTrusted) {
      const manage = t("Manage Workspace Trust");
      const text = t("Agents do not run in Restricted Mode. Trust this workspace to run its tools.");
      if ((await window.showWarningMessage(text, manage)) === manage) {
        await commands.executeCommand("workbench.trust.manage");
      }
      return false;
    }
    if (this.known(client)) return true;
    await client.reconcile(); // trust or a new environment may have brought an interpreter that has the package
    if (this.known(client)) return true;
    if (!client.launched) return false; // no Python at all: that state is on show already
    const setUp = t("Set Up");
    const select = t("Select Interpreter");
    const answer = await window.showInformationMessage(
      t("Running agents needs a one-time setup."),
      {
        modal: true,
        detail: t`The adal-ls package is not installed in ${client.launched.command}. AdaL can make an environment of its own and install the package with its dependencies there (about 400 MB, from your Python package index).`,
      },
      setUp,
      select,
    );
    if (answer === setUp) return this.setUp(client);
    if (answer === select) await commands.executeCommand("adal.selectInterpreter");
    return answer === select && this.known(client);
  }

  private known(client: Client): boolean {
    return client.state.kind === "running" && typeof client.launched?.initializationOptions.hostPython === "string";
  }

  private async make(client: Client): Promise<boolean> {
    const python = client.launched?.command;
    if (!python) return false;
    for (;;) {
      try {
        await this.install(this.plan(python));
        break;
      } catch (error) {
        if (error instanceof SetupCancelled) return false;
        if (!(error instanceof SetupError)) throw error;
        this.log.error(error.message);
        const [again, select, showLog] = [t("Try Again"), t("Select Interpreter"), t("Show Log")];
        const answer = await window.showErrorMessage(
          t`The agent runtime could not be set up. ${error.message}`,
          again,
          select,
          showLog,
        );
        if (answer === showLog) this.log.show();
        if (answer === select) {
          await commands.executeCommand("adal.selectInterpreter");
          return this.known(client);
        }
        if (answer !== again) return false;
      }
    }
    await client.reconcile();
    return this.known(client);
  }

  private async install(plan: Plan): Promise<void> {
    const options = { location: ProgressLocation.Notification, title: t("AdaL agent runtime"), cancellable: true };
    await window.withProgress(options, async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      await createEnvironment(plan, {
        step: (title) => {
          this.log.info(title);
          progress.report({ message: `${title} ...` });
        },
        line: (text) => this.log.info(`  ${text}`),
        signal: abort.signal,
      });
    });
  }

  private plan(python: string): Plan {
    const wheels = path.join(this.context.extensionPath, "bundled", "wheels");
    const wheel = readdirSync(wheels).find((name) => name.endsWith(".whl"));
    if (!wheel) throw new Error(t`The extension is incomplete: there is no wheel in ${wheels}. Install it again.`);
    return {
      python,
      folder: path.join(this.context.globalStorageUri.fsPath, "runtime"),
      wheel: path.join(wheels, wheel),
      version: this.version,
      platform: process.platform,
    };
  }
}
