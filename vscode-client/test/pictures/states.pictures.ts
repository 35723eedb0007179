import { chmodSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { type CodeServer, setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { pictureContext, takeThemes } from "../rig/gallery.ts";
import { barePython, HOST_PYTHON } from "../rig/paths.ts";
import { hostProcesses, serverProcesses } from "../rig/processes.ts";
import { button, card, sendPrompt } from "../rig/runView.ts";
import { tryPanel } from "../rig/tryPanel.ts";
import { Workspace } from "../rig/workspace.ts";
import { reportTools } from "./tools.ts";

const trusting = inject("trusting");
const restricting = inject("restricting");
const TOOLS_FILE = ".adal/tools.py";

const FORECAST = `def forecast(weeks: int) -> list[int]:
    """Work out the sales of the next weeks.

    Args:
        weeks: How many.
    """
    print("reading 52 weeks", flush=True)
    time.sleep(120)
    return []


`;

let browser: Browser;
let editor: Editor | undefined;
let workspace: Workspace | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async ({ task }) => {
  await editor?.close(task);
  editor = undefined;
  workspace?.[Symbol.dispose]();
  for (const server of [trusting, restricting]) setMachineSettings(server, {});
});
afterAll(() => browser.close());

interface Scene {
  readonly files?: Record<string, string>;
  readonly file?: string;
  readonly settings?: Record<string, unknown>;
  readonly server?: CodeServer;
}

/** A window on a folder, with the sidebar shown. */
async function open(scene: Scene): Promise<[Editor, Workspace]> {
  const { server = trusting, files = { [TOOLS_FILE]: reportTools() }, file } = scene;
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON, ...scene.settings });
  workspace = new Workspace(files, "weekly-report");
  const context = await pictureContext(browser);
  editor = await Editor.open(browser, server, workspace.folder, { context, ...(file && { file }) });
  await editor.showSidebar();
  return [editor, workspace];
}

test("a folder without tools, and the walkthrough", async () => {
  const [window, folder] = await open({ files: { "notes.md": "# Notes\n" } });
  await window.toolsPane().getByText("No tools here yet.").waitFor();
  await window.webview().locator(".welcome h2").waitFor();
  await takeThemes(window, folder, "state-fresh", "sidebar");
  await window.command("AdaL: Get Started");
  await window.page.locator(".gettingStartedContainer").getByText("Make a tools file").waitFor();
  await takeThemes(window, folder, "state-walkthrough", "window");
});

test("no Python", async () => {
  const [window, folder] = await open({ settings: { "adal.interpreter": "/nowhere/python3" } });
  await window.notification("cannot be used").waitFor();
  await window.webview().getByText("No Python found").waitFor();
  await takeThemes(window, folder, "state-no-python", "window");
});

test("an old Python", async () => {
  using scratch = new Workspace();
  scratch.write("python3", `#!/bin/sh\necho '{"path": null, "version": [3, 9, 2], "packages": {}}'\n`);
  chmodSync(scratch.path("python3"), 0o755);
  const [window, folder] = await open({ settings: { "adal.interpreter": scratch.path("python3") } });
  await window.webview().getByText("This Python is too old").waitFor();
  await takeThemes(window, folder, "state-old-python", "sidebar");
});

test("the runtime of agents is not there yet", async () => {
  const [window, folder] = await open({ settings: { "adal.interpreter": barePython(), "adal.hostInterpreter": "" } });
  await window.statusBar("AdaL: 2 tools").waitFor();
  await sendPrompt(window, 'sales(region="north", week=42)');
  const dialog = window.page.locator(".monaco-dialog-box");
  await dialog.waitFor();
  await takeThemes(window, folder, "state-set-up", "window");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await window.webview().getByText("The agent runtime is missing").waitFor();
  await takeThemes(window, folder, "state-no-runtime", "sidebar");
});

test("a tools file that does not load", async () => {
  const broken = `import nowhere_to_be_found\n\n\n${reportTools()}`;
  const [window, folder] = await open({ files: { [TOOLS_FILE]: broken }, file: TOOLS_FILE });
  await window.toolsPane().getByText("Could not be loaded").waitFor();
  await window.page.keyboard.press("Control+Shift+M");
  await takeThemes(window, folder, "state-broken", "window");
});

test("no model answers", async () => {
  const [window, folder] = await open({ settings: { "adal.model": "ollama_chat/qwen3" } });
  await window.statusBar("AdaL: 2 tools").waitFor();
  const view = await sendPrompt(window, "How were the sales in the north?");
  await view.locator(".error").waitFor({ timeout: 60_000 });
  await takeThemes(window, folder, "state-no-model", "sidebar");
});

test("Restricted Mode", async () => {
  const [window, folder] = await open({ server: restricting, file: TOOLS_FILE });
  await window.webview().getByText("Restricted Mode").waitFor();
  await window.toolsPane().getByText("tools are checked, not run").waitFor();
  await takeThemes(window, folder, "state-restricted", "window");
});

test("the tools with a problem, what a model sees of one, and a try", async () => {
  const [window, folder] = await open({ files: { [TOOLS_FILE]: reportTools("save-report") }, file: TOOLS_FILE });
  await window.squiggles().waitFor();
  const rows = await window.toolRows();
  await rows.filter({ hasText: "not loaded" }).waitFor();
  await rows.locator(".monaco-decoration-text-badge").waitFor();
  await window.goTo(32, 10);
  await takeThemes(window, folder, "tools-problem", "window");

  const sales = rows.filter({ hasText: "sales" });
  await sales.hover();
  await sales.locator('.action-label[aria-label^="Show What the Model Sees"]').click();
  await window.page.locator(".view-line", { hasText: "What a model is told" }).waitFor();
  await takeThemes(window, folder, "tools-preview", "editor");

  await sales.hover();
  await sales.locator('.action-label[aria-label^="Try Tool"]').click();
  const form = tryPanel(window);
  await form.locator('[data-field="region"] textarea').fill("north");
  await form.locator('[data-field="week"] input').fill("42");
  await form.locator(".run").click();
  await form.locator("h2.success").waitFor();
  await takeThemes(window, folder, "tools-try", "editor");
});

test("a run as it goes on, and when it is interrupted", async () => {
  const tools = reportTools()
    .replace("from datetime", "import time\nfrom datetime")
    .replace("CUSTOM_TOOLS = [", 'CUSTOM_TOOLS = [\n    {"function": forecast, "require_approval": False},')
    .replace("CUSTOM_TOOLS", `${FORECAST}CUSTOM_TOOLS`);
  const turns = [
    {
      text: "I look the north up first.",
      calls: [{ name: "sales", arguments: { region: "north", week: 42 } }],
    },
    {
      text: "Sales in the north reached **2,670** in week 42:\n\n- 35 more than the week before\n- the best week of the year\n\nNow I work out the next weeks.",
      calls: [{ name: "forecast", arguments: { weeks: 4 } }],
    },
  ];
  const [window, folder] = await open({
    files: { [TOOLS_FILE]: tools, "turns.yaml": JSON.stringify(turns) },
    settings: { "adal.model": "script:turns.yaml" },
  });
  await window.statusBar("AdaL: 3 tools").waitFor();
  const view = await sendPrompt(window, "How were the sales in the north, and how will they go on?");
  await view.locator(".call pre", { hasText: "reading 52 weeks" }).waitFor();
  await takeThemes(window, folder, "run-going", "sidebar");
  for (const pid of hostProcesses(serverProcesses(trusting))) process.kill(pid, "SIGKILL");
  await view.locator(".interrupted").waitFor();
  await takeThemes(window, folder, "run-interrupted", "sidebar");
  await window.command("AdaL: Show Earlier Runs");
  await window.runRows().filter({ hasText: "Interrupted" }).waitFor();
  await takeThemes(window, folder, "runs", "sidebar");
});

test("what waits for an answer: a tool, an edit, a command, several at once; what is remembered", async () => {
  const [window, folder] = await open({
    files: { [TOOLS_FILE]: reportTools(), "src/price.py": "price = 10\ntax = 0.2\ntotal = price\n" },
    file: "src/price.py",
  });
  await window.statusBar("AdaL: 2 tools").waitFor();
  const view = await sendPrompt(window, 'save_report(title="North", text="2,670 in week 42.")');
  await button(card(view, "save_report"), "allow_once").waitFor();
  await takeThemes(window, folder, "approval-tool", "sidebar");
  await card(view, "save_report").getByText("Answer for the next calls too").click();
  await button(card(view, "save_report"), "allow_always").first().waitFor();
  await card(view, "save_report").locator(".lasting").last().scrollIntoViewIfNeeded();
  await takeThemes(window, folder, "approval-remember", "sidebar");
  await button(card(view, "save_report"), "allow_always").first().click();
  await view.locator(".finished").waitFor();

  await sendPrompt(
    window,
    'edit_file(path="src/price.py", old_text="total = price", new_text="total = price * (1 + tax)")',
  );
  const edit = card(view, "edit_file");
  await button(edit, "allow_once").waitFor();
  await edit.locator(".diff-editor").click();
  await window.page.locator(".monaco-diff-editor .view-line", { hasText: "tax)" }).first().waitFor();
  await takeThemes(window, folder, "approval-edit", "window");
  await edit.locator(".edit-arguments").click();
  await edit.locator('[data-field="new_text"] textarea').waitFor();
  await takeThemes(window, folder, "approval-change", "sidebar");
  await edit.getByText("Back to the call as asked").click();
  await button(edit, "reject_once").click();
  await view.locator(".finished").nth(1).waitFor();

  await sendPrompt(window, 'bash(command="rm -r reports && git push --force")');
  await button(card(view, "bash"), "allow_once").waitFor();
  await takeThemes(window, folder, "approval-command", "sidebar");
  await button(card(view, "bash"), "reject_once").click();
  await view.locator(".finished").nth(2).waitFor();

  await window.command("AdaL: Remembered Approvals");
  await window.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await takeThemes(window, folder, "grants", "window");
  await window.page.keyboard.press("Escape");
  await window.command("AdaL: Decision Log");
  await window.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await takeThemes(window, folder, "decisions", "window");
});

test("several calls wait at once", async () => {
  const calls = ["North", "South", "East"].map((title) => ({
    name: "save_report",
    arguments: { title, text: "2,670" },
  }));
  const [window, folder] = await open({
    files: { [TOOLS_FILE]: reportTools(), "turns.yaml": JSON.stringify([{ calls }, { text: "Done." }]) },
    settings: { "adal.model": "script:turns.yaml" },
  });
  await window.statusBar("AdaL: 2 tools").waitFor();
  const view = await sendPrompt(window, "Save a report of each region.");
  await view.getByText("3 calls wait for your approval").waitFor();
  await button(card(view, "save_report").first(), "allow_once").waitFor();
  await takeThemes(window, folder, "approvals", "sidebar");
});
