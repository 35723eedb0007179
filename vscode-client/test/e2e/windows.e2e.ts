import { existsSync, readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
const windows: Editor[] = [];

beforeAll(async () => {
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
});
afterEach(async ({ task }) => {
  for (const editor of windows.splice(0)) await editor.close(task);
});
afterAll(async () => {
  await browser.close();
  setMachineSettings(server, {});
});

const TOOLS = `from pathlib import Path


def bump(tag: str) -> str:
    """Count one run.

    Args:
        tag: What is counted.
    """
    runs = Path("runs.txt")
    runs.write_text((runs.read_text() if runs.exists() else "") + tag + "\\n")
    return "ok " + tag


CUSTOM_TOOLS = [bump]
`;

async function open(workspace: Workspace): Promise<Editor> {
  const editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  windows.push(editor);
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await editor.showSidebar();
  return editor;
}

async function ask(editor: Editor, tag: string): Promise<void> {
  const prompt = editor.webview().locator("#prompt textarea");
  await prompt.fill(`bump(tag="${tag}")`);
  await prompt.press("Enter");
  await approval(editor).waitFor();
}

const approval = (editor: Editor) => editor.webview().locator(".approval", { hasText: "bump" });
const allow = (editor: Editor) => approval(editor).locator('[data-option="allow_once"]:not([disabled])').click();

test("two windows ask, answer and show results each for itself", async () => {
  using left = new Workspace({ ".adal/tools.py": TOOLS });
  using right = new Workspace({ ".adal/tools.py": TOOLS });
  const [one, two] = [await open(left), await open(right)];

  await ask(one, "left");
  await ask(two, "right");
  expect(await approval(one).count()).toBe(1);
  expect(await approval(one).innerText()).toContain("left");
  expect(await approval(two).count()).toBe(1);
  expect(await approval(two).innerText()).toContain("right");

  await allow(two);
  await two.webview().locator(".call pre", { hasText: "ok right" }).waitFor();
  expect(existsSync(left.path("runs.txt"))).toBe(false);
  await approval(one).waitFor();
  await allow(one);
  await one.webview().locator(".call pre", { hasText: "ok left" }).waitFor();
  expect(readFileSync(left.path("runs.txt"), "utf-8")).toBe("left\n");
  expect(readFileSync(right.path("runs.txt"), "utf-8")).toBe("right\n");
});

// https://github.com/MoonshotAI/kimi-cli/issues/2563: an approval that nobody sees, or that runs out without a word
test("J4: a reload while an approval waits runs nothing; the run is interrupted, and Resume asks the same question", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  const editor = await open(workspace);
  await ask(editor, "a");
  await editor.statusBar("1 approval waiting").waitFor();

  await editor.page.reload();
  await editor.statusBar("AdaL: 1 tool").waitFor({ timeout: 60_000 });
  await editor.showSidebar();

  // What asked has ended with the window: nothing was decided, and no person is said to have stopped anything.
  const view = editor.webview();
  await view.locator(".interrupted", { hasText: "the window was closed or reloaded" }).waitFor({ timeout: 60_000 });
  await view.locator(".call", { hasText: "bump" }).getByLabel("Interrupted").waitFor();
  await view.locator(".notice", { hasText: "the editor went away (its window was closed" }).waitFor();
  expect(await view.locator(".decision, .approval").count()).toBe(0);
  expect(await view.locator(".transcript").innerText()).not.toMatch(/by the user|Stopped|Denied/);
  await editor.command("AdaL: Show Earlier Runs");
  await editor.runRows().filter({ hasText: "Interrupted" }).waitFor();
  await editor.picture("reloaded-while-waiting");
  expect(existsSync(workspace.path("runs.txt"))).toBe(false);

  await view.getByRole("button", { name: "Resume" }).click();
  await approval(editor).waitFor();
  expect(await approval(editor).locator(".argument").innerText()).toMatch(/tag\s+a/);
  await allow(editor);
  await view.locator(".finished", { hasText: "Done" }).waitFor();
  expect(await view.locator(".call").count()).toBe(1);
  expect(readFileSync(workspace.path("runs.txt"), "utf-8")).toBe("a\n");
});
