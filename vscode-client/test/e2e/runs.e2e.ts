import { existsSync, readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { hostProcesses, serverProcesses } from "../rig/processes.ts";
import { sendPrompt } from "../rig/runView.ts";
import { shareWindow } from "../rig/sharedWindow.ts";

const server = inject("trusting");
const TOOLS = `\
import time


def echo(text: str, seconds: float = 0) -> str:
    """Says it again.

    Args:
        text: What.
        seconds: After how long.
    """
    print("thinking", flush=True)
    time.sleep(seconds)
    return f"heard {text}"


CUSTOM_TOOLS = [{"function": echo, "require_approval": False}]
`;

const at = shareWindow({ ".adal/tools.py": TOOLS }, ".adal/tools.py", "AdaL: 1 tool");

async function makeRun(text: string): Promise<void> {
  const { editor } = at;
  await editor.command("AdaL: New Run");
  await editor.webview().locator(".welcome").waitFor();
  const view = await sendPrompt(editor, `echo(text="${text}")`);
  await view.locator(".finished").waitFor();
}

const menu = (text: string, action: string) => at.editor.menu(at.editor.runRows().filter({ hasText: text }), action);

test("earlier runs are listed, searched by the words of their prompts, opened, and deleted after a question", async () => {
  const { editor } = at;
  await makeRun("apples");
  await makeRun("pears");
  await editor.command("AdaL: Show Earlier Runs");
  await expect.poll(() => editor.runRows().count()).toBe(2);
  await editor.picture("runs");
  await editor.runRows().filter({ hasText: "apples" }).click();
  await editor.webview().locator(".call pre", { hasText: "heard apples" }).waitFor();

  await editor.command("AdaL: Search Runs");
  await editor.page.locator(".quick-input-widget input.input:visible").fill("pears");
  await expect.poll(() => editor.runRows().count()).toBe(1);
  await editor.page.keyboard.press("Enter");
  await editor.page.getByText("Runs with “pears”").waitFor();
  await editor.picture("runs-searched");
  await editor.page.locator('.pane-header[aria-label*="Runs"] .action-label[aria-label^="Show All Runs"]').click();
  await expect.poll(() => editor.runRows().count()).toBe(2);

  await menu("apples", "Delete Run");
  const dialog = editor.page.locator(".monaco-dialog-box");
  await dialog.getByText("Delete the run").waitFor();
  await editor.picture("delete-run");
  await editor.page.keyboard.press("Escape");
  expect(await editor.runRows().count()).toBe(2);
  await menu("apples", "Delete Run");
  await dialog.locator(".monaco-button", { hasText: "Delete" }).click();
  await expect.poll(() => editor.runRows().count()).toBe(1);
  // The one that was shown is gone from the view, too.
  await editor.webview().locator(".welcome").waitFor();
});

test("a run is exported to a file, as Markdown or with every event as JSON", async () => {
  const { editor, workspace } = at;
  await makeRun("figs");
  await editor.command("AdaL: Show Earlier Runs");
  for (const [name, words] of [
    ["run.md", "heard figs"],
    ["run.json", '"toolResult"'],
  ] as const) {
    await editor.runRows().first().waitFor();
    await menu("figs", "Export Run");
    const input = editor.page.locator(".quick-input-widget input.input:visible");
    await expect.poll(() => input.inputValue()).toContain("echo-text-figs.md");
    await input.fill(workspace.path(name));
    await editor.page.keyboard.press("Enter");
    await expect.poll(() => existsSync(workspace.path(name))).toBe(true);
    await editor.tab(name).waitFor();
    expect(readFileSync(workspace.path(name), "utf-8")).toContain(words);
  }
});

test("an interrupted run is marked, and is resumed from the list; a fork has all that it had", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="plums", seconds=60)');
  await view.locator(".call pre", { hasText: "thinking" }).waitFor();
  for (const pid of hostProcesses(serverProcesses(server))) process.kill(pid, "SIGKILL");
  await view.locator(".interrupted").waitFor();
  await editor.command("AdaL: New Run");
  await editor.command("AdaL: Show Earlier Runs");
  const row = editor.runRows().filter({ hasText: "Interrupted" });
  await row.waitFor();
  await editor.picture("runs-interrupted");
  await editor.rowAction(row, "Resume Run");
  await view.locator(".call", { hasText: "plums" }).waitFor();
  await view.locator(".finished").waitFor();
  await expect.poll(() => editor.runRows().filter({ hasText: "Interrupted" }).count()).toBe(0);
  await menu("plums", "Fork Run");
  await expect.poll(() => editor.runRows().filter({ hasText: "plums" }).count()).toBe(2);
  await view.locator(".call", { hasText: "plums" }).waitFor();
});
