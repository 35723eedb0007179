import type { FrameLocator, Locator } from "playwright-core";
import type { Editor } from "./editor.ts";

/** Writes a prompt into the Run view and presses Enter. */
export async function sendPrompt(editor: Editor, prompt: string): Promise<FrameLocator> {
  const view = editor.webview();
  const box = view.locator("#prompt textarea");
  await box.fill(prompt);
  await box.press("Enter");
  return view;
}

/** The card that asks about a call of `tool`. */
export function card(view: FrameLocator, tool: string): Locator {
  return view.locator(".approval", { hasText: tool });
}

/** An answer on a card, once it can be given. */
export function button(card: Locator, option: string): Locator {
  return card.locator(`[data-option="${option}"]:not([disabled])`);
}

/** A row of the quick pick that is open. */
export function row(editor: Editor, text: string | RegExp): Locator {
  return editor.page.locator(".quick-input-list .monaco-list-row", { hasText: text });
}
