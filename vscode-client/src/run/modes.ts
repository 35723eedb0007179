import { t } from "@vscode/l10n";
import type { PermissionMode } from "../protocol.ts";

/** From the one that asks most to the one that asks least. */
export const MODES: readonly PermissionMode[] = ["default", "acceptEdits", "yolo"];

/** What the permission modes are called, and what they mean. */
export function modeWords(mode: PermissionMode): { readonly label: string; readonly about: string } {
  switch (mode) {
    case "default":
      return { label: t("Ask first"), about: t("Reading and searching in the workspace runs, everything else asks") };
    case "acceptEdits":
      return { label: t("Accept edits"), about: t("Edits in the workspace run too, everything else asks") };
    case "yolo":
      return { label: t("Yolo: never ask"), about: t("Everything that is not disabled runs without asking") };
  }
}
