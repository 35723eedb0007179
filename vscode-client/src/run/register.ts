import { commands, Disposable, type ExtensionContext, env, window, workspace } from "vscode";
import { open, openLink, openPlace, workspacePaths } from "../opening.ts";
import type { Services } from "../services.ts";
import { readSettings } from "../settings.ts";
import { Attention } from "./attention.ts";
import { pickMode, pickModel, pickProject, pickRun } from "./choices.ts";
import { RunController } from "./controller.ts";
import { RUNTIME_MISSING, readinessOf } from "./readiness.ts";
import { isGoing } from "./transcript.ts";
import { RUN_VIEW, RunView } from "./view.ts";
import type { FromView, Readiness, ViewState } from "./viewState.ts";

/** Registers the Run view with its commands, and answers the server's approval requests. */
export function registerRunView(context: ExtensionContext, services: Services): Disposable {
  const { connection, log } = services;
  const controller = new RunController(connection, initialSettings(), (problem) => log.error(problem), workspacePaths);
  const showApprovals = () => show("approvals");
  const view = new RunView(
    context.extensionUri,
    () => controller.state,
    (message) => heard(message).catch((error: unknown) => tell(error)),
    () => attention.update(controller.state.approvals),
  );
  const attention = new Attention(view, showApprovals);

  let starting: Promise<void> | undefined;
  let viewOpened = false;

  function judge(): void {
    controller.readiness = readinessOf(connection.state, workspace.isTrusted);
    if (connection.state.kind === "running") {
      void controller.connected();
      if (viewOpened) {
        void controller.restore(); // in a reloaded window the view is there before the server is
      }
    } else {
      controller.disconnected();
    }
  }

  function show(on: "prompt" | "approvals", draft?: string): void {
    void commands.executeCommand(`${RUN_VIEW}.focus`).then(() => view.focus(on, draft), tell);
  }

  /** What the lens of a tool does: the person writes the rest. */
  async function propose(draft: string, projectRoot?: string): Promise<void> {
    if (await chooseProject(projectRoot)) show("prompt", draft);
  }

  /** One at a time: making the runtime ready may take minutes, in which a second press means nothing. */
  function run(prompt: string, projectRoot?: string): Promise<void> {
    starting ??= start(prompt, projectRoot).finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function start(prompt: string, projectRoot?: string): Promise<void> {
    if (!(await controller.untilStarted())) {
      return;
    }
    if (!(await services.runtime.ensure())) {
      if (controller.state.readiness.kind === "ready") {
        controller.readiness = RUNTIME_MISSING;
      }
    } else if (await chooseProject(projectRoot)) {
      await controller.start(prompt);
    }
  }

  /** Settles whose tools the next run gets; false when the person was asked and backed out. */
  async function chooseProject(wanted = controller.settings.projectRoot, again = false): Promise<boolean> {
    const { projects } = await connection.request("adal/tools/list", {});
    const isKnown = projects.some((project) => project.root === wanted);
    const chosen = projects.length < 2 || (isKnown && !again) ? wanted : await pickProject(projects, wanted);
    const { projectRoot: _, ...settings } = controller.settings;
    controller.settings = projects.length > 1 && chosen ? { ...settings, projectRoot: chosen } : settings;
    return projects.length < 2 || chosen !== undefined;
  }

  async function act(readiness: Readiness): Promise<void> {
    if (readiness.kind === "blocked" && readiness.action) {
      await commands.executeCommand(readiness.action.command);
      judge();
    }
  }

  async function heard(message: FromView): Promise<void> {
    switch (message.type) {
      case "ready":
        viewOpened = true;
        return controller.restore();
      case "run":
        return run(message.prompt);
      case "stop":
        return controller.stop();
      case "answer":
        return controller.answer(message.choice);
      case "loadArguments":
        return controller.loadArguments(message.approvalId);
      case "pickModel": {
        const model = await pickModel(controller.state.model, readSettings().model, context.workspaceState);
        if (model) controller.settings = { ...controller.settings, model };
        return;
      }
      case "pickMode": {
        const mode = await pickMode(controller.state.mode);
        if (mode) controller.settings = { ...controller.settings, mode };
        return;
      }
      case "pickProject":
        await chooseProject(controller.settings.projectRoot, true);
        return;
      case "act":
        return act(controller.state.readiness);
      case "manageTrust":
        return commands.executeCommand("workbench.trust.manage");
      case "newToolsFile":
        return commands.executeCommand("adal.newToolsFile");
      case "showLog":
        return commands.executeCommand("adal.showLog");
      case "open":
        return open(message.location);
      case "openPlace":
        return openPlace(message.path, message.line);
      case "openLink":
        return openLink(message.url);
      case "copy":
        return env.clipboard.writeText(message.text);
    }
  }

  async function showRuns(): Promise<void> {
    const runId = await pickRun(await controller.runs());
    if (runId) {
      show("prompt");
      await controller.show(runId);
    }
  }

  function tell(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    log.error(words);
    void window.showErrorMessage(`AdaL: ${words}`);
  }

  let asked = controller.state.approvals;
  let going = false;
  const guarded = (action: () => Promise<void>) => () => action().catch(tell);
  judge();
  return Disposable.from(
    controller,
    view,
    attention,
    window.registerWebviewViewProvider(RUN_VIEW, view),
    controller.onChange((state) => {
      view.update();
      if (state.approvals !== asked) {
        asked = state.approvals;
        attention.update(asked);
      }
      if (isRunning(state) !== going) {
        going = isRunning(state);
        void commands.executeCommand("setContext", "adal.runGoing", going);
      }
    }),
    connection.onDidChangeState(judge),
    workspace.onDidGrantWorkspaceTrust(judge),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("adal.model") || event.affectsConfiguration("adal.permissionMode")) {
        controller.settings = { ...controller.settings, ...initialSettings() };
      }
    }),
    window.onDidChangeWindowState(() => attention.update(controller.state.approvals)),
    commands.registerCommand("adal.runAgent", (given?: { prompt?: string; draft?: string; projectRoot?: string }) => {
      if (typeof given?.prompt === "string") return run(given.prompt, given.projectRoot).catch(tell);
      if (typeof given?.draft === "string") return propose(given.draft, given.projectRoot).catch(tell);
      return show("prompt");
    }),
    commands.registerCommand("adal.stopRun", () => controller.stop()),
    commands.registerCommand("adal.newRun", () => {
      controller.clear();
      show("prompt");
    }),
    commands.registerCommand("adal.showRuns", guarded(showRuns)),
    commands.registerCommand("adal.showApprovals", showApprovals),
  );
}

function initialSettings(): { model: string | undefined; mode: ReturnType<typeof readSettings>["permissionMode"] } {
  const { model, permissionMode } = readSettings();
  return { model: model || undefined, mode: permissionMode };
}

function isRunning(state: ViewState): boolean {
  return state.queued === true || (state.run !== undefined && isGoing(state.run.state));
}
