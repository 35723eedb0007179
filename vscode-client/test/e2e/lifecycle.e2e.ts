import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { serverProcesses } from "../rig/processes.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
let editor: Editor | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
beforeEach(async () => {
  // The window of the test before ends its server within a second or two.
  await vi.waitFor(() => expect(serverProcesses(server)).toEqual([]), { timeout: 15_000, interval: 200 });
});
afterEach(async ({ task }) => {
  await editor?.close(task);
  setMachineSettings(server, {});
});
afterAll(() => browser.close());

const BAD_NAME =
  'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\nCUSTOM_TOOLS = [{"function": f, "name": "bad-name"}]\n';

function kill(): number {
  const [pid, ...others] = serverProcesses(server);
  expect(others).toEqual([]);
  process.kill(pid ?? 0, "SIGKILL");
  return pid ?? 0;
}

test("without a usable interpreter one message names it and offers the way out", async () => {
  using workspace = new Workspace({ ".adal/tools.py": "CUSTOM_TOOLS = []\n" });
  setMachineSettings(server, { "adal.interpreter": "/nowhere/python3" });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py", theme: "light" });

  const message = editor.notification(
    "The Python of the setting adal.interpreter cannot be used: /nowhere/python3 does not exist.",
  );
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

test("a prompt that is sent while the server starts waits in sight, and runs when it has started", async () => {
  using workspace = new Workspace({ "early.txt": "an early text" });
  // A Python on which the server starts only once the test lets it.
  const slow = workspace.path("../slow");
  execFileSync(HOST_PYTHON, ["-m", "venv", "--without-pip", slow]);
  const [packages = ""] = globSync(`${slow}/lib/python3*/site-packages`);
  const wait = `import os, sys, time
while sys.orig_argv[-1].endswith("serve.py") and not os.path.exists(${JSON.stringify(workspace.path("go"))}):
    time.sleep(0.05)
`;
  writeFileSync(path.join(packages, "wait_for_go.py"), wait);
  writeFileSync(path.join(packages, "wait_for_go.pth"), "import wait_for_go\n"); // imported at the start of Python
  setMachineSettings(server, { "adal.interpreter": `${slow}/bin/python`, "adal.hostInterpreter": HOST_PYTHON });
  editor = await Editor.open(browser, server, workspace.folder);
  await editor.showSidebar();
  const view = editor.webview();
  const prompt = view.locator("#prompt textarea");
  await prompt.fill('read_file(path="early.txt")');
  await prompt.press("Enter");
  await view.locator(".queued", { hasText: "Runs as soon as the language server has started." }).waitFor();
  await editor.picture("queued");
  await expect.poll(() => prompt.inputValue()).toBe('read_file(path="early.txt")');

  workspace.write("go", "");
  await view.locator(".call pre", { hasText: "an early text" }).waitFor();
  await expect.poll(() => prompt.inputValue()).toBe("");
});

test("a server that is killed comes back by itself, with its findings", async () => {
  using workspace = new Workspace({ ".adal/tools.py": BAD_NAME });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.squiggles().waitFor();

  const killed = kill();

  await vi.waitFor(() => expect(serverProcesses(server)).toHaveLength(1), { timeout: 10_000, interval: 100 });
  expect(serverProcesses(server)).not.toContain(killed);
  await editor.typeOver(BAD_NAME.replace("bad-name", "good_name"));
  await editor.squiggles().waitFor({ state: "detached" });
  await editor.statusBar("AdaL: 1 tool").waitFor();
  expect(await editor.page.locator(".notifications-toasts .notification-list-item").count()).toBe(0);
});

test("a server that keeps ending is named once, and the restart it offers works", async () => {
  using workspace = new Workspace({ ".adal/tools.py": BAD_NAME });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.squiggles().waitFor();

  for (let end = 1; end <= 5; end++) {
    await vi.waitFor(() => expect(serverProcesses(server)).toHaveLength(1), { timeout: 10_000, interval: 100 });
    await editor.statusBar("AdaL: 1 tool").waitFor();
    kill();
    await vi.waitFor(() => expect(serverProcesses(server)).toHaveLength(end === 5 ? 0 : 1), {
      timeout: 10_000,
      interval: 20,
    });
  }

  const message = editor.notification("ended five times within three minutes");
  await message.waitFor();
  await editor.statusBar("AdaL stopped").waitFor();
  await editor.picture("server-stopped");
  await message.getByRole("button", { name: "Restart Server" }).click();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await editor.squiggles().waitFor();
});

// https://github.com/microsoft/vscode-python/issues/16075: a server that crashed five times was given up
test("a tools file whose import crashes its process is marked at each save, and the server lives on", async () => {
  const crashing = `import ctypes
import pathlib

pathlib.Path("loads.txt").open("a").write("x")
ctypes.string_at(0)


def f(x: str) -> str:
    """Do f."""
    return x


CUSTOM_TOOLS = [f]
`;
  using workspace = new Workspace({ ".adal/tools.py": crashing });
  const loads = () => (existsSync(workspace.path("loads.txt")) ? readFileSync(workspace.path("loads.txt")).length : 0);
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.statusBar("AdaL: 1 tool").waitFor();
  const before = serverProcesses(server);
  expect(before).toHaveLength(1);
  await vi.waitFor(() => expect(loads()).toBeGreaterThan(0), { timeout: 30_000 });

  for (let save = 1; save <= 6; save++) {
    const known = loads();
    await editor.typeOver(`${"\n".repeat(save)}${crashing}`); // each time the line to blame is another one
    await editor.save();
    await vi.waitFor(() => expect(loads()).toBeGreaterThan(known), { timeout: 30_000 });
  }

  await editor.squiggles().waitFor();
  await editor.command("Go to Next Problem (Error, Warning, Info)");
  const problem = editor.page.locator(".marker-widget");
  await problem.getByText("ADAL901").waitFor();
  await editor.statusBar(/Ln 11, /).waitFor();
  await editor.picture("crashing-import");
  expect(serverProcesses(server)).toEqual(before);
  expect(await editor.page.locator(".notifications-toasts .notification-list-item").count()).toBe(0);

  await editor.page.keyboard.press("Escape");
  await editor.typeOver(crashing.replace("ctypes.string_at(0)\n", ""));
  await editor.save();
  await editor.squiggles().waitFor({ state: "detached" });
  await editor.statusBar("AdaL: 1 tool").waitFor();
  expect(serverProcesses(server)).toEqual(before);
});
