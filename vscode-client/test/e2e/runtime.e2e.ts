import { rmSync, writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { pipConfig, setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { barePython } from "../rig/paths.ts";
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
  rmSync(pipConfig(server), { force: true });
});
afterAll(() => browser.close());

const TOOLS = `def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


CUSTOM_TOOLS = [add]
`;

test("the first run sets up its runtime from the extension's wheel: offline it says so, the next try works", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  setMachineSettings(server, { "adal.interpreter": barePython() });
  writeFileSync(
    pipConfig(server),
    "[global]\nindex-url = http://127.0.0.1:9/simple\nfind-links =\nextra-index-url =\n",
  );
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await editor.showSidebar();

  const prompt = editor.webview().locator("#prompt textarea");
  await prompt.fill("add(a=40, b=2)");
  await prompt.press("Enter");
  const dialog = editor.page.locator(".monaco-dialog-box");
  await dialog.waitFor();
  await editor.picture("runtime-offer");
  await dialog.getByRole("button", { name: "Set Up" }).click();

  const failure = editor.notification("The Python package index could not be reached.");
  await failure.waitFor({ timeout: 60_000 });
  await editor.picture("runtime-offline");
  rmSync(pipConfig(server));
  await failure.getByRole("button", { name: "Try Again" }).click();
  await editor.notification("Installing adal-ls and its dependencies").waitFor();
  await editor.picture("runtime-progress");

  // The run that was asked for starts by itself.
  const approval = editor.webview().locator(".approval", { hasText: "add" });
  await approval.waitFor({ timeout: 180_000 });
  await approval.locator('[data-option="allow_once"]:not([disabled])').click();
  await editor.webview().locator(".call pre", { hasText: "42" }).waitFor();
  expect(await editor.page.locator(".notifications-toasts .notification-list-item").count()).toBe(0);
}, 300_000);
