import { t } from "@vscode/l10n";
import {
  type Disposable,
  ProcessExecution,
  Task,
  type TaskDefinition,
  TaskGroup,
  TaskScope,
  tasks,
  type WorkspaceFolder,
  workspace,
} from "vscode";

const TYPE = "adal";

/** `adal-ls check` as a task, with its findings as problems. `python` runs agents, so it has the whole package. */
export function registerCheckTask(python: () => string | undefined): Disposable {
  return tasks.registerTaskProvider(TYPE, {
    provideTasks: () => (workspace.workspaceFolders ?? []).flatMap((folder) => checkTask(folder, python()) ?? []),
    resolveTask: (task) => checkTask(task.scope, python(), task.definition),
  });
}

function checkTask(
  scope: Task["scope"],
  python: string | undefined,
  definition: TaskDefinition = { type: TYPE },
): Task | undefined {
  if (!python) return undefined;
  const folder = typeof scope === "object" ? scope : undefined;
  const task = new Task(
    definition,
    (folder as WorkspaceFolder | undefined) ?? TaskScope.Workspace,
    "check",
    "adal",
    new ProcessExecution(python, ["-I", "-m", "adal_ls", "check", ...optionsOf(definition)], {
      ...(folder && { cwd: folder.uri.fsPath }),
    }),
    ["$adal-check"],
  );
  task.group = TaskGroup.Test;
  task.detail = t("Lint every .adal/tools.py of the folder");
  return task;
}

/** The arguments that a task of tasks.json gives. */
export function optionsOf(definition: TaskDefinition): string[] {
  const { paths, select, ignore } = definition as { paths?: unknown; select?: unknown; ignore?: unknown };
  return [
    ...(typeof select === "string" && select ? ["--select", select] : []),
    ...(typeof ignore === "string" && ignore ? ["--ignore", ignore] : []),
    ...(Array.isArray(paths) ? ["--", ...paths.map(String)] : []),
  ];
}
