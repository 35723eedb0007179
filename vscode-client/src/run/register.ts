import { t } from "@vscode/l10n";
import { commands, Disposable, type ExtensionContext, env, type Uri, window, workspace } from "vscode";
import { open, openLink, openPlace, workspacePaths } from "../opening.ts";
import type { Services } from "../services.ts";
import { readSettings } from "../settings.ts";
import { Agents, DEFAULT_AGENT } from "./agents.ts";
import { Attention } from "./attention.ts";
import { pickAgent, pickFiles, pickMode, pickModel } from "./choices.ts";
import { FileNames, mentionHere, openPaths } from "./context.ts";
import { RunController } from "./controller.ts";
import { EditDiffs } from "./diffEditor.ts";
import { FullTexts } from "./fullText.ts";
import { mentionText } from "./mentions.ts";
import { PromptHistory } from "./promptHistory.ts";
import { readinessOf } from "./readiness.ts";
import { Sending } from "./sending.ts";
import { isGoing } from "./transcript.ts";
import { RUN_VIEW, RunView } from "./view.ts";
import type { FromView, Readiness, ViewState, WithContext } from "./viewState.ts";

/** What other parts do with the Run view. */
export interface Runs extends Disposable {
  /** Shows a run of the store. */
  show(runId: string): Promise<void>;
  /** Shows an interrupted run and takes it up again. */
  resume(runId: string): Promise<void>;
  /** Shows a new run with all that this one has. */
  fork(runId: string): Promise<void>;
  /** The run was deleted. */
  forget(runId: string): void;
}

/** Registers the Run view with its commands, and answers the server's approval requests. */
export function registerRunView(context: ExtensionContext, services: Services): Runs {
  const { connection, log } = services;
  const history = new PromptHistory(context.workspaceState);
  const agents = new Agents(
    connection,
    context.workspaceState,
    (problem) => log.warn(problem),
    () => controller.surroundingsChanged(),
  );
  const surroundings = (agent?: string, projectRoot?: string) => ({
    folders: workspacePaths(),
    history: history.prompts,
    ...agentShown(agents, agent, projectRoot),
  });
  const controller: RunController = new RunController(
    connection,
    initialSettings(),
    (problem) => log.error(problem),
    surroundings,
  );
  const sending = new Sending(controller, services, history);
  const files = new FileNames();
  const diffs = new EditDiffs();
  const fullTexts = new FullTexts(connection);
  const showApprovals = () => show("approvals");
  const view = new RunView(
    context.extensionUri,
    () => controller.state,
    (message) => heard(message).catch((error: unknown) => tell(error)),
    () => attention.update(controller.state.approvals),
  );
  const attention = new Attention(view, showApprovals);

  let viewOpened = false;

  function judge(): void {
    controller.readiness = readinessOf(connection.state, workspace.isTrusted);
    if (connection.state.kind === "running") {
      void controller.connected();
      if (viewOpened) {
        lookAround(); // in a reloaded window the view is there before the server is
      }
    } else {
      controller.disconnected();
    }
  }

  /** What is asked of the server once somebody looks. */
  function lookAround(): void {
    void controller.restore();
    if (controller.state.readiness.kind === "ready") void agents.refresh();
  }

  async function remember({ toolContext }: WithContext): Promise<void> {
    const { id = DEFAULT_AGENT, projectRoot } = controller.agent;
    if (toolContext !== undefined) await agents.remember(id, projectRoot, toolContext);
  }

  function show(on: "prompt" | "approvals", more?: { draft?: string; mention?: string }): void {
    void commands.executeCommand(`${RUN_VIEW}.focus`).then(() => view.focus(on, more), tell);
  }

  /** What the lens of a tool does: the person writes the rest. */
  async function propose(draft: string, projectRoot?: string): Promise<void> {
    if (await sending.chooseProject(projectRoot)) show("prompt", { draft });
  }

  function mention(given: Uri | undefined, isSelection: boolean): void {
    const text = mentionHere(given, isSelection);
    if (text) {
      show("prompt", { mention: text });
    } else {
      void window.showInformationMessage(t("AdaL: only files of this workspace can be added to a prompt."));
    }
  }

  async function fork(runId: string, beforeSeq?: number): Promise<void> {
    show("prompt");
    if (await controller.fork(runId, beforeSeq)) {
      await commands.executeCommand("adal.refreshRuns"); // no event tells of it
    }
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
        return lookAround();
      case "run":
        await remember(message);
        return sending.send(message);
      case "resend":
        await remember(message);
        return sending.resend(message);
      case "resume":
        return sending.resume(message);
      case "stop":
        return controller.stop();
      case "fork": {
        const { run } = controller.state;
        if (run) await fork(run.runId, message.beforeSeq);
        return;
      }
      case "showRun":
        return controller.show(message.runId);
      case "findFiles":
        return view.tell({ type: "files", query: message.query, paths: await files.matching(message.query) });
      case "answer":
        return controller.answer(message.choice);
      case "loadArguments":
        return controller.loadArguments(message.approvalId);
      case "openDiff": {
        const approval = controller.state.approvals.find(({ request }) => request.approvalId === message.approvalId);
        return approval && diffs.show(approval);
      }
      case "pickAgent": {
        await agents.refresh();
        const agent = await pickAgent(agents.choices, controller.agent.id ?? DEFAULT_AGENT);
        const hasSeveral = agents.known.some(({ projectRoot }) => projectRoot !== agent?.projectRoot);
        if (agent) controller.pickAgent(agent.id, hasSeveral ? agent.projectRoot : undefined);
        return;
      }
      case "pickModel": {
        const model = await pickModel(controller.state.model, readSettings().model, context.workspaceState);
        if (model) controller.pickModel(model);
        return;
      }
      case "pickMode": {
        const mode = await pickMode(controller.state.mode);
        if (mode) await controller.pickMode(mode);
        return;
      }
      case "pickProject":
        await sending.chooseProject(controller.settings.projectRoot, true);
        return;
      case "pickFiles": {
        const picked = await pickFiles(openPaths(), files.all());
        const mentions = picked.map((path) => mentionText({ path })).join(" ");
        return show("prompt", mentions ? { mention: mentions } : {});
      }
      case "act":
        return act(controller.state.readiness);
      case "manageTrust":
        return commands.executeCommand("workbench.trust.manage");
      case "newToolsFile":
        return commands.executeCommand("adal.newToolsFile");
      case "showLog":
        return commands.executeCommand("adal.showLog");
      case "openFull": {
        const { run } = controller.state;
        return run && fullTexts.show(run.runId, message.callId, message.of);
      }
      case "openSchema":
        return commands.executeCommand("adal.previewTool", { ...controller.agent, name: message.tool });
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

  function tell(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    log.error(words);
    void window.showErrorMessage(`AdaL: ${words}`);
  }

  let asked = controller.state.approvals;
  let going = false;
  judge();
  const registered = Disposable.from(
    controller,
    view,
    attention,
    diffs,
    fullTexts,
    window.registerWebviewViewProvider(RUN_VIEW, view),
    controller.onChange((state) => {
      view.update();
      if (state.approvals !== asked) {
        asked = state.approvals;
        attention.update(asked);
        void diffs.keepOnly(asked).catch(tell);
      }
      if (isRunning(state) !== going) {
        going = isRunning(state);
        void commands.executeCommand("setContext", "adal.runGoing", going);
      }
    }),
    connection.onDidChangeState(judge),
    connection.onNotification("adal/tools/changed", () => viewOpened && lookAround()),
    workspace.onDidGrantWorkspaceTrust(judge),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("adal.model") || event.affectsConfiguration("adal.permissionMode")) {
        controller.settings = { ...controller.settings, ...initialSettings() };
      }
    }),
    window.onDidChangeWindowState(() => attention.update(controller.state.approvals)),
    commands.registerCommand("adal.runAgent", (given?: { prompt?: string; draft?: string; projectRoot?: string }) => {
      if (typeof given?.prompt === "string") return sending.start(given.prompt, given.projectRoot).catch(tell);
      if (typeof given?.draft === "string") return propose(given.draft, given.projectRoot).catch(tell);
      return show("prompt");
    }),
    commands.registerCommand("adal.stopRun", () => controller.stop()),
    commands.registerCommand("adal.newRun", () => {
      controller.clear();
      show("prompt");
    }),
    commands.registerCommand("adal.showApprovals", showApprovals),
    commands.registerCommand("adal.addFileToPrompt", (given?: Uri) => mention(given, false)),
    commands.registerCommand("adal.addSelectionToPrompt", () => mention(undefined, true)),
  );

  async function showRun(runId: string): Promise<void> {
    show("prompt");
    await controller.show(runId);
  }

  return {
    show: showRun,
    async resume(runId) {
      await showRun(runId);
      await sending.resume();
    },
    fork: (runId) => fork(runId),
    forget: (runId) => controller.forget(runId),
    dispose: () => registered.dispose(),
  };
}

/** Nothing where there is nobody to choose from. */
function agentShown(agents: Agents, id = DEFAULT_AGENT, projectRoot?: string): Pick<ViewState, "agent"> {
  if (id === DEFAULT_AGENT && agents.known.every((agent) => agent.id === DEFAULT_AGENT)) {
    return {};
  }
  const inputs = agents.inputs(id, projectRoot);
  return { agent: { id, ...(inputs && { context: inputs }) } };
}

function initialSettings(): { model: string | undefined; mode: ReturnType<typeof readSettings>["permissionMode"] } {
  const { model, permissionMode } = readSettings();
  return { model: model || undefined, mode: permissionMode };
}

function isRunning(state: ViewState): boolean {
  const { run } = state;
  return state.queued === true || (run !== undefined && isGoing(run.state) && !run.elsewhere);
}
