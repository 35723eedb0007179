import { t } from "@vscode/l10n";
import type { Usage } from "../protocol.ts";

/** What was used, in words: tokens, and what they cost. What nobody has counted, or has no price, is called unknown. */
export function usageWords(usage: Usage | undefined): string {
  if (!usage) {
    return t("usage unknown");
  }
  const { inputTokens, outputTokens, cost } = usage;
  return `${t`${tokens(inputTokens)} tokens in, ${tokens(outputTokens)} out`} · ${costWords(cost)}`;
}

/** Whether a run with `model` asks one, so that something is used: `offline` and scripts ask none. */
export function usesModel(model: string): boolean {
  return model !== "offline" && !model.startsWith("script:");
}

function tokens(count: number): string {
  return count.toLocaleString("en-US");
}

function costWords(cost: number | undefined): string {
  if (cost === undefined) {
    return t("cost unknown");
  }
  return cost === 0 ? t("no cost") : `$${cost.toFixed(4)}`;
}
