import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { pictureContext, take } from "../rig/gallery.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { button, card, sendPrompt } from "../rig/runView.ts";
import { tryPanel } from "../rig/tryPanel.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
let editor: Editor | undefined;

beforeAll(async () => {
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
});
afterEach(({ task }) => editor?.close(task));
afterAll(async () => {
  await browser.close();
  setMachineSettings(server, {});
});

test("from the first tool to the first approval, by the walkthrough", async () => {
  using workspace = new Workspace({ "README.md": "# Shop\n\nSells bread, cheese and tea.\n" }, "shop");
  const context = await pictureContext(browser);
  editor = await Editor.open(browser, server, workspace.folder, { context });
  const { page } = editor;
  await editor.showSidebar();
  await editor.toolsPane().getByText("No tools here yet.").waitFor();
  await editor.webview().locator(".welcome h2").waitFor();
  await editor.toolsPane().getByText("Show me").click();
  const walkthrough = page.locator(".gettingStartedContainer");
  await walkthrough.getByText("Make a tools file").waitFor();
  await take(editor, "story-0-start", "window");

  await walkthrough.getByRole("button", { name: "New Tools File" }).click();
  await editor.tab("tools.py").waitFor();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await page.locator(".codelens-decoration").getByText("asks for approval").first().waitFor();
  await take(editor, "story-1-write", "window");

  await editor.goTo(18, 16);
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText('[\n    {"function": count_words, "name": "count-words"},\n]');
  await editor.squiggles().first().waitFor();
  await (await editor.toolRows()).locator(".monaco-decoration-text-badge").waitFor();
  await page.keyboard.press("Control+Shift+M");
  await page.locator(".markers-panel .monaco-list-row", { hasText: "count-words" }).waitFor();
  await take(editor, "story-2-lint", "window");
  await page.keyboard.press("Control+Shift+M");

  await editor.goTo(19, 42);
  const fix = page.locator(".action-widget .monaco-list-row.action").first();
  await expect
    .poll(async () => {
      await page.keyboard.press("Control+.");
      await page.waitForTimeout(500);
      return fix.isVisible();
    })
    .toBe(true);
  await take(editor, "story-3-fix", "window");
  await fix.click();
  await expect.poll(() => editor?.squiggles().count()).toBe(0);
  await editor.save();

  await page.locator(".codelens-decoration a").filter({ hasText: "Try" }).first().click();
  const form = tryPanel(editor);
  await form.locator('[data-field="path"] textarea').fill("README.md");
  await form.locator(".run").click();
  await form.getByRole("heading", { name: "Succeeded" }).waitFor({ timeout: 60_000 });
  await take(editor, "story-4-try", "window");
  await page.locator(".tab", { hasText: "Try count_words" }).locator(".tab-actions .action-label").click();

  await page.locator(".codelens-decoration a").filter({ hasText: "Run agent with" }).first().click();
  const view = editor.webview();
  await expect.poll(() => view.locator("#prompt textarea").inputValue()).toContain("count_words(");
  await view.locator("#prompt textarea").fill("");
  await sendPrompt(editor, 'read_file(path="README.md")\ncount_words(path="README.md")');
  await button(card(view, "count_words"), "allow_once").waitFor();
  await take(editor, "story-5-approve", "window");
  await button(card(view, "count_words"), "allow_once").click();
  await view.locator(".finished").waitFor();
  await take(editor, "story-6-run", "window");
});
