import { workspace } from "vscode";

/** The section `adal`. All but `lint` is machine-scoped in the manifest: a workspace file cannot supply it. */
export interface Settings {
  interpreter: string;
  hostInterpreter: string;
  model: string;
  permissionMode: "default" | "acceptEdits" | "yolo";
  enabledDefaultTools: string[];
  disabledDefaultTools: string[];
  allowUnsandboxedBash: boolean;
  loadSeconds: number;
  toolSeconds: number;
  lint: { select: string[]; ignore: string[]; severity: Record<string, string> };
  logLevel: string;
}

export function readSettings(): Settings {
  const section = workspace.getConfiguration("adal");
  return {
    interpreter: section.get("interpreter", "").trim(),
    hostInterpreter: section.get("hostInterpreter", "").trim(),
    model: section.get("model", "").trim(),
    permissionMode: section.get("permissionMode", "default"),
    enabledDefaultTools: section.get("enabledDefaultTools", []),
    disabledDefaultTools: section.get("disabledDefaultTools", []),
    allowUnsandboxedBash: section.get("allowUnsandboxedBash", false),
    loadSeconds: section.get("loadSeconds", 10),
    toolSeconds: section.get("toolSeconds", 120),
    lint: {
      select: section.get("lint.select", []),
      ignore: section.get("lint.ignore", []),
      severity: section.get("lint.severity", {}),
    },
    logLevel: section.get("logLevel", "info"),
  };
}

/** Settings that decide which programs run, and how; the server asks for the others when they change. */
export const RESTART_SETTINGS = ["adal.interpreter", "adal.hostInterpreter", "adal.allowUnsandboxedBash"] as const;
