import { chmodSync, readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
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

test("a folder without tools leads to the walkthrough, and that to a first tool that works", async () => {
  using workspace = new Workspace({ "README.md": "# Shop\n" });
  editor = await Editor.open(browser, server, workspace.folder);
  await editor.showSidebar();
  await editor.toolsPane().getByText("No tools here yet.").waitFor();
  await editor.toolsPane().getByText("Show me").click();
  const walkthrough = editor.page.locator(".gettingStartedContainer");
  await walkthrough.getByText("Make a tools file").waitFor();
  await editor.picture("walkthrough");
  await walkthrough.getByRole("button", { name: "New Tools File" }).click();
  await editor.tab("tools.py").waitFor();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await (await editor.toolRows()).filter({ hasText: "count_words" }).waitFor();
  await editor.page.locator(".tab", { hasText: "Welcome" }).waitFor(); // the next steps are still there
  expect(await editor.squiggles().count()).toBe(0);
  expect(readFileSync(workspace.path(".adal/tools.py"), "utf-8")).toContain("CUSTOM_TOOLS = [count_words]");
});

test("a tools file that does not load has a row with the cause, which opens the line", async () => {
  using workspace = new Workspace({
    "README.md": "# Shop\n",
    ".adal/tools.py": '"""Tools."""\n\nfrom beside import nothing\n\nCUSTOM_TOOLS = []\n',
    ".adal/beside.py": "x = 1\n\ny = 1 / 0\n",
  });
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  editor = await Editor.open(browser, server, workspace.folder, { file: "README.md" });
  const row = (await editor.toolRows()).filter({ hasText: /Could not be loaded.*division by zero/ });
  await row.waitFor();
  await editor.statusBar("AdaL: 0 tools").waitFor();
  await row.click();
  await editor.tab("beside.py").waitFor();
  await editor.statusBar("Ln 3, Col 1").waitFor();
  await editor.picture("not-loaded");
});

test("a Python that is too old is named, with the way out", async () => {
  using workspace = new Workspace({ "README.md": "# Shop\n", ".adal/tools.py": "CUSTOM_TOOLS = []\n" });
  using old = new Workspace({
    python3: `#!/bin/sh\necho '{"path": null, "version": [3, 9, 2], "packages": {}}'\n`,
  });
  chmodSync(old.path("python3"), 0o755);
  setMachineSettings(server, { "adal.interpreter": old.path("python3") });
  editor = await Editor.open(browser, server, workspace.folder);
  await editor.notification("is Python 3.9.2; AdaL needs 3.10 or newer.").waitFor();
  await editor.statusBar("AdaL: old Python").waitFor();
  await editor.showSidebar();
  await editor.toolsPane().getByText("The selected Python is older than 3.10.").waitFor();
  await editor.webview().getByText("This Python is too old").waitFor();
  await editor.toolsPane().getByRole("button", { name: "Select Interpreter" }).click();
  await editor.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Choose by itself" }).click();
  await editor.toolsPane().getByText("No tools here yet.").waitFor();
});
