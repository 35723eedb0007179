import { t } from "@vscode/l10n";
import type { LogOutputChannel } from "vscode";
import { ConfigurationTarget, type QuickPickItem, Uri, window, workspace } from "vscode";
import { candidates, isSupported, MINIMUM, probe, type Source } from "./interpreter.ts";
import { pythonExtensionInterpreter } from "./pythonExtension.ts";

type Item = QuickPickItem & { file?: string; browse?: true };

/** Lets the person choose the Python and stores it in the machine-scoped setting. */
export async function selectInterpreter(log: LogOutputChannel): Promise<void> {
  const picked = await window.showQuickPick(items(log), {
    title: t("Python for AdaL"),
    placeHolder: t`Python ${MINIMUM.join(".")} or newer`,
    matchOnDescription: true,
  });
  const file = picked?.browse ? await browse() : picked?.file;
  if (file === undefined) return;
  if (file !== "") {
    try {
      const interpreter = await probe(file);
      if (!isSupported(interpreter)) {
        const version = interpreter.version.join(".");
        void window.showErrorMessage(t`${file} is Python ${version}; AdaL needs ${MINIMUM.join(".")} or newer.`);
        return;
      }
    } catch (error) {
      void window.showErrorMessage(`${file} ${error instanceof Error ? error.message : String(error)}.`);
      return;
    }
  }
  await workspace.getConfiguration("adal").update("interpreter", file || undefined, ConfigurationTarget.Global);
}

async function items(log: LogOutputChannel): Promise<Item[]> {
  const list = candidates({
    setting: "",
    pythonExtension: await pythonExtensionInterpreter(log),
    folders: (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    trusted: workspace.isTrusted,
    searchPath: process.env.PATH ?? "",
    platform: process.platform,
  });
  const found = await Promise.allSettled(list.map((candidate) => probe(candidate.path)));
  const usable = list.flatMap((candidate, index): Item[] => {
    const outcome = found[index];
    if (outcome?.status !== "fulfilled") return [];
    const { version, packages, path } = outcome.value;
    const full = "adal-ls" in packages ? ` · ${t("adal-ls installed")}` : "";
    return [
      {
        label: `Python ${version.join(".")}`,
        description: path,
        detail: `${sourceWords(candidate.source)}${full}`,
        file: path,
      },
    ];
  });
  return [
    ...usable,
    { label: `$(folder) ${t("Enter a path ...")}`, browse: true },
    { label: `$(sparkle) ${t("Choose by itself")}`, detail: t("Python extension, then .venv, then PATH"), file: "" },
  ];
}

function sourceWords(source: Source): string {
  switch (source) {
    case "setting":
      return t("setting");
    case "pythonExtension":
      return t("Python extension");
    case "workspace":
      return t("workspace");
    case "PATH":
      return "PATH";
  }
}

async function browse(): Promise<string | undefined> {
  const [picked] =
    (await window.showOpenDialog({ title: t("Python interpreter"), openLabel: t("Select"), canSelectMany: false })) ??
    [];
  return picked && Uri.file(picked.fsPath).fsPath;
}
