import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
let editor: Editor | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async ({ task }) => {
  await editor?.close(task);
  setMachineSettings(server, {});
});
afterAll(() => browser.close());

test("without a usable interpreter one message names it and offers the way out", async () => {
  using workspace = new Workspace({ ".adal/tools.py": "CUSTOM_TOOLS = []\n" });
  setMachineSettings(server, { "adal.interpreter": "/nowhere/python3" });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });

  const message = editor.notification("/nowhere/python3 (setting): does not exist");
  await message.waitFor();
  expect(await editor.page.locator(".notifications-toasts .notification-list-item").count()).toBe(1);
  await editor.statusBar("AdaL: no Python").waitFor();
  await editor.showSidebar();
  await editor.toolsPane().getByText("AdaL needs Python 3.10 or newer.").waitFor();
  await editor.picture("no-python");

  // The way out works without reloading the window.
  await message.getByRole("button", { name: "Select Interpreter" }).click();
  await editor.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Choose by itself" }).click();
  await editor.statusBar("AdaL: 0 tools").waitFor();
});
