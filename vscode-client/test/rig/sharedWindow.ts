import * as path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import { setMachineSettings } from "./codeServer.ts";
import { Editor, launchBrowser } from "./editor.ts";
import { HOST_PYTHON } from "./paths.ts";
import { row } from "./runView.ts";
import { Workspace } from "./workspace.ts";

/** With these, agents run on this repository's environment. */
export const MACHINE = { "adal.hostInterpreter": HOST_PYTHON };

export interface SharedWindow {
  readonly browser: Browser;
  readonly editor: Editor;
  readonly workspace: Workspace;
}

/**
 * One window for all tests of a file, since opening one takes longer than most of them. Each test begins with the files
 * as given, the settings of `MACHINE`, `file` in the editor and the Run view empty. A test that failed takes its window
 * with it.
 *
 * @param ready - text of the status bar once the tools of `files` are known.
 */
export function shareWindow(files: Record<string, string>, file: string, ready: string | RegExp): SharedWindow {
  const server = inject("trusting");
  let browser: Browser | undefined;
  let shared: { editor: Editor; workspace: Workspace } | undefined;

  async function open(): Promise<void> {
    const workspace = new Workspace(files);
    const editor = await Editor.open(present(browser), server, workspace.folder, { file });
    shared = { editor, workspace };
    await editor.statusBar(ready).waitFor();
    await editor.showSidebar();
  }

  async function close(task?: Parameters<Editor["close"]>[0]): Promise<void> {
    const { editor, workspace } = present(shared);
    shared = undefined;
    await editor.close(task);
    workspace[Symbol.dispose]();
  }

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    setMachineSettings(server, MACHINE);
    if (shared) await reset(shared.editor, shared.workspace, file, ready);
    else await open();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail" && shared) await close(task);
  });
  afterAll(async () => {
    if (shared) await close();
    setMachineSettings(server, {});
    await browser?.close();
  });
  return {
    get browser() {
      return present(browser);
    },
    get editor() {
      return present(shared).editor;
    },
    get workspace() {
      return present(shared).workspace;
    },
  };
}

async function reset(editor: Editor, workspace: Workspace, file: string, ready: string | RegExp): Promise<void> {
  await editor.page.emulateMedia({ colorScheme: "dark" });
  await editor.page.keyboard.press("Escape");
  if (await editor.page.locator(".tab.active.dirty").isVisible()) await editor.command("File: Revert File");
  if ((await editor.page.locator("iframe.webview.ready").count()) > 1) {
    await editor.command("View: Close All Editors"); // there are panels among them
    await editor.openFile(path.basename(file));
  }
  workspace.restore();
  await editor.showSidebar();
  await editor.statusBar(ready).waitFor();
  const view = editor.webview();
  await view.locator(".controls").first().waitFor();
  if (await view.locator(".stop").isVisible()) {
    await view.locator(".stop").click();
    await view.locator(".stop").waitFor({ state: "detached" });
  }
  await editor.command("AdaL: New Run");
  await view.locator(".welcome").waitFor();
  await view.locator("#prompt textarea").fill("");
  await view.locator(".approval").first().waitFor({ state: "detached" });
  if (!(await view.locator(".pickMode", { hasText: "Ask first" }).isVisible())) {
    await view.locator(".pickMode").click();
    await row(editor, "Ask first").click();
  }
  if (!(await view.locator(".pickModel", { hasText: "offline" }).isVisible())) {
    await view.locator(".pickModel").click();
    await row(editor, /^offline/).click();
  }
  await view.locator(".pickModel", { hasText: "offline" }).waitFor();
  await view.locator(".pickMode", { hasText: "Ask first" }).waitFor();
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("No window is open: the test runs outside of its hooks.");
  return value;
}
