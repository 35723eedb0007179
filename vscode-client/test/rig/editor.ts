import { mkdirSync } from "node:fs";
import * as path from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";
import type { CodeServer } from "./codeServer.ts";
import { chromiumPath, KEPT } from "./paths.ts";

export function launchBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  return chromium.launch({ executablePath: chromiumPath(), args: [...args, "--disable-sync"] });
}

export interface OpenOptions {
  /** Opened in an editor, relative to the folder. */
  file?: string;
  /** Further windows of one context share what the browser stores, such as trust. */
  context?: BrowserContext;
  theme?: "light" | "dark";
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Run in the page: whether it has stored the text among what it keeps for our extension. */
const STORED = `async (text) => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const kept = database.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([done(kept.getAllKeys()), done(kept.getAll())]);
        if (keys.some((key, at) => key === "adal-ls.adal-ls" && String(values[at]).includes(text))) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}`;

/** One window on a folder, driven as a person would. */
export class Editor {
  readonly page: Page;
  readonly folder: string;
  private readonly server: CodeServer;

  private constructor(page: Page, folder: string, server: CodeServer) {
    this.page = page;
    this.folder = folder;
    this.server = server;
  }

  static async open(browser: Browser, server: CodeServer, folder: string, options: OpenOptions = {}): Promise<Editor> {
    const context =
      options.context ??
      (await browser.newContext({
        viewport: { width: 1400, height: 900 },
        reducedMotion: "reduce", // without it screenshots catch half-faded notifications
        colorScheme: options.theme ?? "dark",
      }));
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const editor = new Editor(page, folder, server);
    await page.goto(editor.address(options.file));
    await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
    await page.locator(".explorer-folders-view, .explorer-viewlet").first().waitFor({ timeout: 60_000 });
    if (options.file) await editor.tab(options.file).waitFor();
    return editor;
  }

  /** Closes the window; of a failed test a picture is kept. */
  async close(task?: { name: string; result?: { state: string } | undefined }): Promise<void> {
    if (task?.result?.state === "fail") await this.picture(`failed ${task.name}`);
    await this.page.context().close();
  }

  tab(file: string): Locator {
    return this.page.locator(`.tab[data-resource-name="${path.basename(file)}"]`);
  }

  squiggles(severity: "error" | "warning" | "info" = "error"): Locator {
    return this.page.locator(`.squiggly-${severity}`);
  }

  statusBar(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item:visible").filter({ hasText: text });
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator(".notifications-toasts .notification-list-item").filter({ hasText: text });
  }

  /** Shows the AdaL sidebar and gives the rows of its tools tree. */
  async toolRows(): Promise<Locator> {
    await this.showSidebar();
    return this.toolsPane().locator(".monaco-list-row");
  }

  toolsPane(): Locator {
    return this.page.locator(".sidebar .pane", { has: this.page.locator('.pane-header[aria-label*="Tools"]') });
  }

  /** Chooses an action of the menu of `row`. */
  async menu(row: Locator, action: string): Promise<void> {
    await row.click({ button: "right" });
    const item = this.page.locator(".monaco-menu .action-item", { hasText: action });
    await item.hover();
    await this.page.waitForTimeout(300); // a menu that has just opened takes no click
    await item.click();
    await item.waitFor({ state: "detached" });
  }

  /** Clicks a button of `row` that is there only while the pointer is: rows that arrive meanwhile move it away. */
  async rowAction(row: Locator, label: string): Promise<void> {
    await row.waitFor();
    for (let attempt = 1; ; attempt++) {
      await row.hover();
      try {
        return await row.locator(`.action-label[aria-label^="${label}"]`).click({ timeout: 2_000 });
      } catch (error) {
        if (attempt === 5) throw error;
      }
    }
  }

  /** The rows of the Runs view, which `AdaL: Show Earlier Runs` unfolds. */
  runRows(): Locator {
    const pane = this.page.locator(".sidebar .pane", { has: this.page.locator('.pane-header[aria-label*="Runs"]') });
    return pane.locator(".monaco-list-row");
  }

  async showSidebar(): Promise<void> {
    const icon = this.page.locator('.activitybar .action-item:has(.action-label[aria-label^="AdaL"])');
    await icon.waitFor();
    // A reloaded window shows it by itself, after a while: then a click hides it, and the next one shows it.
    for (let attempt = 1; ; attempt++) {
      if (await this.toolsPane().isVisible()) return;
      await icon.click();
      try {
        return await this.toolsPane().waitFor({ timeout: 4_000 });
      } catch (error) {
        if (attempt === 4) throw error;
      }
    }
  }

  /** The document inside the run view. */
  webview(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  /** Runs a command of the palette by its title. */
  async command(title: string): Promise<void> {
    await this.quickInput("F1", title);
    await this.accept(title);
  }

  /** Opens a file of the folder in an editor. */
  async openFile(file: string): Promise<void> {
    await this.quickInput("Control+P", path.basename(file));
    await this.accept(path.basename(file));
    await this.tab(file).waitFor();
  }

  /** Replaces the text of the active editor. */
  async typeOver(text: string): Promise<void> {
    await this.focus();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Delete");
    await this.page.keyboard.insertText(text);
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+S");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
  }

  /** The text of the active editor as shown, with ordinary spaces. */
  async text(): Promise<string> {
    const lines = await this.page.locator(".editor-instance .view-lines .view-line").allInnerTexts();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /** Puts the cursor at a place of the active editor, both counted from 1. */
  async goTo(line: number, column: number): Promise<void> {
    await this.quickInput("Control+G", `${line}:${column}`); // a colon stands there already
    await this.page.keyboard.press("Enter");
    await this.statusBar(`Ln ${line}, Col ${column}`).waitFor();
  }

  /** As when the person works in another program: a page without a screen has the focus at all times otherwise. */
  async loseFocus(): Promise<void> {
    // A blur alone says nothing new to a window whose focus is in a webview; this has it look again.
    await this.page.evaluate('document.hasFocus = () => false; document.dispatchEvent(new Event("visibilitychange"));');
  }

  async regainFocus(): Promise<void> {
    await this.page.evaluate('delete document.hasFocus; document.dispatchEvent(new Event("visibilitychange"));');
  }

  /** Goes to the next finding of the active editor, and gives what is said about it there. */
  async nextProblem(): Promise<Locator> {
    await this.command("Go to Next Problem (Error, Warning, Info)");
    const widget = this.page.locator(".marker-widget");
    await widget.waitFor();
    return widget;
  }

  /** Chooses a quick fix for the finding at the cursor. */
  async quickFix(title: string | RegExp): Promise<void> {
    const row = this.page.locator(".action-widget .monaco-list-row.action").filter({ hasText: title }).first();
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press("Control+.");
      try {
        await row.click({ timeout: 4_000 });
        return;
      } catch (error) {
        // Findings that arrive while the list opens close it again.
        if (attempt === 4) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Waits until the editor has stored a text that our extension keeps for the next window: it does so when it has time. */
  async stored(text: string): Promise<void> {
    const end = Date.now() + 30_000;
    while (!(await this.page.evaluate(`(${STORED})(${JSON.stringify(text)})`))) {
      if (Date.now() > end) throw new Error(`the editor has not stored ${text}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** Keeps a picture under `.artifacts/e2e`. */
  async picture(name: string): Promise<string> {
    mkdirSync(KEPT, { recursive: true });
    const file = path.join(KEPT, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** After a click in a webview keys do not reach the workbench: its own ground is clicked first. */
  private async focus(): Promise<void> {
    const text = this.page.locator(".editor-instance .overflow-guard").first();
    const box = (await text.count()) > 0 ? await text.boundingBox() : null;
    // Right of lenses and links, left of notifications.
    if (box) await this.page.mouse.click(box.x + box.width * 0.45, box.y + box.height * 0.6);
    else await this.page.locator(".editor-group-watermark, .editor-group-container").first().click();
  }

  /** Takes the row of the quick input with that name; the first one may be another, or become one. */
  private async accept(name: string): Promise<void> {
    const label = this.page.locator(".label-name", { hasText: new RegExp(`^${escaped(name)}$`) });
    await this.page.locator(".quick-input-list .monaco-list-row", { has: label }).first().click();
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** Types into the input that `key` opens. A focus that is still on its way can swallow the key, or close the input. */
  private async quickInput(key: string, text: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input").locator("visible=true");
    const timeout = 3_000;
    for (let attempt = 1; ; attempt++) {
      await this.focus();
      await this.page.keyboard.press(key);
      try {
        await input.pressSequentially(text.slice(0, 1), { timeout }); // the prefix of the palette stays in front
        await this.page.keyboard.insertText(text.slice(1));
        const typed = await input.inputValue({ timeout });
        if (typed.endsWith(text)) return;
        throw new Error(`the input holds '${typed}' instead of '${text}'`);
      } catch (error) {
        if (attempt === 4) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  private address(file?: string): string {
    const authority = `127.0.0.1:${this.server.port}`;
    const folder = `?folder=${encodeURIComponent(this.folder)}`;
    if (!file) return `http://${authority}/${folder}`;
    const payload = JSON.stringify([["openFile", `vscode-remote://${authority}${path.join(this.folder, file)}`]]);
    return `http://${authority}/${folder}&payload=${encodeURIComponent(payload)}`;
  }
}
