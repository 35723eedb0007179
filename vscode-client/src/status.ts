import { t } from "@vscode/l10n";
import {
  commands,
  type Disposable,
  LanguageStatusSeverity,
  languages,
  MarkdownString,
  StatusBarAlignment,
  ThemeColor,
  window,
  workspace,
} from "vscode";
import { TOOLS_FILES } from "./client.ts";
import type { Connection, ServerState } from "./connection.ts";
import type { Project, Status } from "./protocol.ts";
import type { ToolsModel } from "./tools/model.ts";
import { faultOf } from "./tools/nodes.ts";

/** What the status bar shows; `severity` also colours it. */
export interface Shown {
  text: string;
  severity: "ok" | "busy" | "warning" | "error";
  details: string[];
  command: string;
}

/** One status from the client's state, the server's own words and the tools; worst first. */
export function shown(
  state: ServerState,
  status: Status | undefined,
  projects: readonly Project[],
  trusted: boolean,
): Shown {
  switch (state.kind) {
    case "noPython":
      return {
        text: `$(error) ${t("AdaL: no Python")}`,
        severity: "error",
        details: [state.reason],
        command: "adal.selectInterpreter",
      };
    case "oldPython":
      return {
        text: `$(error) ${t("AdaL: old Python")}`,
        severity: "error",
        details: [state.reason],
        command: "adal.selectInterpreter",
      };
    case "stopped":
      return {
        text: `$(error) ${t("AdaL stopped")}`,
        severity: "error",
        details: [state.reason],
        command: "adal.restartServer",
      };
    case "starting":
      return { text: "$(sync~spin) AdaL", severity: "busy", details: [t("Starting")], command: "adal.showLog" };
    case "running":
      return running(state, status, projects, trusted);
  }
}

function running(
  state: Extract<ServerState, { kind: "running" }>,
  status: Status | undefined,
  projects: readonly Project[],
  trusted: boolean,
): Shown {
  const tools = projects.flatMap((project) => project.tools ?? []).filter((tool) => tool.kind !== "builtin");
  const failed = projects.find((project) => project.state === "error");
  const details = [
    t`Server ${state.version} on Python ${state.pythonVersion}`,
    state.python,
    ...(status?.python && status.python !== state.python ? [t`Tools: ${status.python}`] : []),
  ];
  if (!trusted) details.unshift(t("Restricted Mode: tools are checked, nothing is imported or run"));
  if (failed) details.unshift(t`${failed.file} could not be loaded: ${faultOf(failed).message}`);
  if (status?.message) details.unshift(status.message);
  const health = failed && status?.health !== "error" ? "warning" : (status?.health ?? "ok");
  const count = tools.length === 1 ? t("1 tool") : t`${tools.length} tools`;
  const busy = status !== undefined && !status.quiescent;
  const icon =
    health === "error" ? "error" : health === "warning" ? "warning" : busy ? "sync~spin" : trusted ? "tools" : "shield";
  const severity = health === "ok" ? (busy ? "busy" : "ok") : health;
  return { text: `$(${icon}) AdaL: ${count}`, severity, details, command: "workbench.view.extension.adal" };
}

/** Keeps the status bar, the language status of tools files and the context key `adal.state` up to date. */
export function showStatus(connection: Connection, tools: ToolsModel): Disposable[] {
  const bar = window.createStatusBarItem("adal.status", StatusBarAlignment.Left, 10);
  bar.name = "AdaL";
  const language = languages.createLanguageStatusItem("adal.status", TOOLS_FILES);
  language.name = "AdaL";
  let status: Status | undefined;
  let hasFile = false;

  const update = () => {
    const now = shown(connection.state, status, tools.projects, workspace.isTrusted);
    bar.text = now.text;
    bar.command = now.command;
    bar.tooltip = new MarkdownString(now.details.join("\n\n"));
    bar.backgroundColor =
      now.severity === "error" || now.severity === "warning"
        ? new ThemeColor(`statusBarItem.${now.severity}Background`)
        : undefined;
    language.text = now.text.replace(/^\$\([^)]*\) /, "");
    language.detail = now.details[0] ?? "";
    language.busy = now.severity === "busy";
    language.severity =
      now.severity === "error"
        ? LanguageStatusSeverity.Error
        : now.severity === "warning"
          ? LanguageStatusSeverity.Warning
          : LanguageStatusSeverity.Information;
    language.command =
      now.severity === "error"
        ? { title: t("Restart Server"), command: "adal.restartServer" }
        : { title: t("Show Log"), command: "adal.showLog" };
    // A workspace without tools has nothing to say in the bar.
    if (tools.projects.length > 0 || hasFile || isToolsFileOpen()) bar.show();
    else bar.hide();
    void commands.executeCommand("setContext", "adal.state", connection.state.kind);
  };
  update();
  void workspace.findFiles("**/.adal/tools.py", undefined, 1).then((found) => {
    hasFile = found.length > 0; // without a server nobody lists its tools
    update();
  });

  return [
    bar,
    language,
    connection.onNotification("adal/status", (params) => {
      status = params;
      update();
    }),
    connection.onDidChangeState((state) => {
      if (state.kind !== "running") status = undefined;
      update();
    }),
    tools.onDidChange(update),
    window.onDidChangeActiveTextEditor(update),
    workspace.onDidGrantWorkspaceTrust(update),
  ];
}

function isToolsFileOpen(): boolean {
  const document = window.activeTextEditor?.document;
  return document !== undefined && languages.match(TOOLS_FILES, document) > 0;
}
