import { t } from "@vscode/l10n";
import { type Memento, type QuickPickItem, QuickPickItemKind, window, workspace } from "vscode";
import type { AgentInfo, PermissionMode, Project } from "../protocol.ts";
import { MODES, modeWords } from "./modes.ts";

const RECENT_MODELS = "adal.recentModels";

/** Asks for a model: one used before, or any id typed in. Undefined when the person backs out. */
export async function pickModel(current: string, configured: string, memory: Memento): Promise<string | undefined> {
  const recent = memory.get<string[]>(RECENT_MODELS, []);
  const known = [...new Set([current, configured, ...recent, "offline"])].filter((model) => model !== "");
  const picker = window.createQuickPick<QuickPickItem & { model: string }>();
  picker.title = t("Model of the next prompt");
  picker.placeholder = t("Choose a model, or type a litellm id such as openai/gpt-4o or ollama_chat/qwen3");
  const itemOf = (model: string) => ({ model, label: model, description: aboutModel(model, configured) });
  const list = (typed: string) => {
    const isNew = typed !== "" && !known.includes(typed);
    const entered = { model: typed, label: typed, description: t("Use this model"), alwaysShow: true };
    picker.items = isNew ? [entered, ...known.map(itemOf)] : known.map(itemOf);
  };
  picker.onDidChangeValue((value) => list(value.trim()));
  list("");
  const chosen = await new Promise<string | undefined>((settle) => {
    picker.onDidAccept(() => settle(picker.selectedItems[0]?.model));
    picker.onDidHide(() => settle(undefined));
    picker.show();
  });
  picker.dispose();
  if (chosen && chosen !== "offline") {
    await memory.update(RECENT_MODELS, [chosen, ...recent.filter((model) => model !== chosen)].slice(0, 8));
  }
  return chosen;
}

function aboutModel(model: string, configured: string): string {
  if (model === "offline") {
    return t("No model: performs the calls that the prompt contains");
  }
  return model === configured ? t("From the settings") : "";
}

/** Asks for the permission mode of the run that goes on, and of the next ones. It holds for this window, never longer. */
export async function pickMode(current: PermissionMode): Promise<PermissionMode | undefined> {
  const items = MODES.map((mode) => {
    const { label, about } = modeWords(mode);
    return {
      mode,
      label: mode === "yolo" ? `$(warning) ${label}` : label,
      description: mode === current ? t("current") : "",
      detail: about,
    };
  });
  const title = t("What the agent may do without asking");
  return (await window.showQuickPick(items, { title, placeHolder: t("Holds for this window") }))?.mode;
}

/** Asks whose tools a run gets. */
export async function pickProject(projects: readonly Project[], current?: string): Promise<string | undefined> {
  const items = projects.map((project) => ({
    root: project.root,
    label: workspace.asRelativePath(project.root),
    description: project.root === current ? t("current") : "",
    detail: (project.tools ?? [])
      .filter((tool) => tool.kind !== "builtin")
      .map((tool) => tool.name)
      .join(", "),
  }));
  const title = t("Project of the next run");
  return (await window.showQuickPick(items, { title, placeHolder: t("The agent gets this project's tools") }))?.root;
}

/** Asks which files of the workspace go with a prompt: first those that are open, then the others. */
export async function pickFiles(open: readonly string[], all: Promise<readonly string[]>): Promise<string[]> {
  const listed = all.then((paths) => {
    const others = paths.filter((path) => !open.includes(path));
    return [...headed(t("Open in an editor"), open), ...headed(t("Files of the workspace"), others)];
  });
  const title = t("Files for the prompt");
  const options = { title, placeHolder: t("Their text goes with what you write"), canPickMany: true } as const;
  return ((await window.showQuickPick(listed, options)) ?? []).map((item) => item.label);
}

function headed(head: string, paths: readonly string[]): QuickPickItem[] {
  const rows = paths.map((path) => ({ label: path }));
  return rows.length > 0 ? [{ label: head, kind: QuickPickItemKind.Separator }, ...rows] : [];
}

/** Asks who answers the next run. */
export async function pickAgent(agents: readonly AgentInfo[], current: string): Promise<AgentInfo | undefined> {
  const roots = new Set(agents.map((agent) => agent.projectRoot));
  const items = agents.map((agent) => ({
    agent,
    label: agent.id,
    description: [
      agent.id === current ? t("current") : "",
      roots.size > 1 ? workspace.asRelativePath(agent.projectRoot) : "",
      agent.model ?? "",
    ]
      .filter((part) => part !== "")
      .join(" · "),
    detail: [agent.description, ...(agent.problems ?? [])].filter((part) => part).join(" · "),
  }));
  const title = t("Agent of the next run");
  return (await window.showQuickPick(items, { title, placeHolder: t("Who answers"), matchOnDetail: true }))?.agent;
}
