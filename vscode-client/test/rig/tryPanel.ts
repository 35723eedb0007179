import type { FrameLocator } from "playwright-core";
import type { Editor } from "./editor.ts";

/** The document inside the Try panel: the one whose heading names the tool. */
export function tryPanel(of: Editor): FrameLocator {
  return of.page
    .locator(".editor-group-container iframe.webview.ready, iframe.webview.ready")
    .last()
    .contentFrame()
    .frameLocator("iframe#active-frame");
}
