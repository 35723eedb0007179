import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { seriousFindings } from "../rig/accessibility.ts";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { button, card, sendPrompt } from "../rig/runView.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
const THEMES = {
  dark: "Default Dark Modern",
  light: "Default Light Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
} as const;
const TOOLS = `\
from typing import Literal


def rate(name: str, stars: int, kind: Literal["book", "film"] = "book", notes: list[str] | None = None) -> str:
    """Rate something.

    Args:
        name: What is rated.
        stars: From one to five.
        kind: What it is.
        notes: What to say about it.
    """
    print("rating", name)
    if stars > 5:
        raise ValueError("five stars at most")
    return f"{name}: {stars}"


CUSTOM_TOOLS = [rate]
`;
const MARKDOWN =
  "## Result\n\nSee [the page](https://example.org/a), `code` and\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted";

let browser: Browser;
let editor: Editor;
let workspace: Workspace;

beforeAll(async () => {
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
  workspace = new Workspace({ ".adal/tools.py": TOOLS, "a.txt": "one\ntwo\n" });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.showSidebar();
  await editor.statusBar("AdaL: 1 tool").waitFor();
});
afterAll(async () => {
  await editor.close();
  workspace[Symbol.dispose]();
  await browser.close();
  setMachineSettings(server, {});
});

async function theme(name: keyof typeof THEMES): Promise<void> {
  const settings = { "window.autoDetectColorScheme": false, "workbench.colorTheme": THEMES[name] };
  workspace.write(".vscode/settings.json", JSON.stringify(settings));
  const ground = { dark: ".vs-dark", light: ".vs", "high-contrast": ".hc-black", "high-contrast-light": ".hc-light" }[
    name
  ];
  await editor.page.locator(`.monaco-workbench${ground}`).waitFor();
  await editor.page.waitForTimeout(300); // the webview gets its colours a moment later
}

test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])(
  "the Run view has no serious finding of axe in any state (%s)",
  async (name) => {
    await theme(name);
    const found: Record<string, string[]> = {};
    const check = async (state: string) => {
      await editor.picture(`${state}-${name}`);
      found[state] = await seriousFindings(editor.webview());
    };
    await editor.command("AdaL: New Run");
    const view = editor.webview();
    await view.locator(".welcome").waitFor();
    await check("welcome");

    await sendPrompt(editor, 'rate(name="Emma", stars=5)\nedit_file(path="a.txt", old_text="two", new_text="2")');
    await view.getByText("2 calls wait for your approval").waitFor();
    await button(card(view, "edit_file"), "allow_once").waitFor();
    await check("approval-two");
    await card(view, "rate").getByText("Answer for the next calls too").click();
    await check("approval-remember");
    await card(view, "rate").locator(".edit-arguments").click();
    await check("approval-edit");
    await sendPrompt(editor, "and one thing more");
    await view.locator(".unheard").waitFor();
    await button(card(view, "edit_file"), "reject_once").click();
    await card(view, "edit_file").waitFor({ state: "detached" });
    await button(card(view, "rate"), "allow_once").click();
    await view.locator(".finished").first().waitFor();
    await view.locator(".call summary").first().click();
    await check("done");

    await sendPrompt(editor, 'rate(name="Dune", stars=9)');
    await button(card(view, "rate"), "allow_once").click();
    await view.locator(".trace").waitFor();
    await check("failed");
    await view.locator("#prompt textarea").pressSequentially("@a");
    await view.locator(".completion li").first().waitFor();
    await check("mention-list");
    await view.locator("#prompt textarea").fill("");

    workspace.write("turns.yaml", JSON.stringify([{ text: MARKDOWN }]));
    setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON, "adal.model": "script:turns.yaml" });
    await editor.command("AdaL: New Run");
    await view.locator(".pickModel", { hasText: "script" }).waitFor();
    await sendPrompt(editor, "tell me");
    await view.locator(".text table").waitFor();
    await check("markdown");
    await sendPrompt(editor, "and more"); // the script has nothing more to say
    await view.locator(".error").waitFor();
    await check("error");
    setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
    await view.locator(".pickMode").click();
    await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "Ask first" }).click();
    expect(Object.fromEntries(Object.entries(found).filter(([, findings]) => findings.length > 0))).toEqual({});
    rmSync(workspace.path(".vscode"), { recursive: true });
  },
);

test.each(Object.keys(THEMES) as (keyof typeof THEMES)[])(
  "the panel that tries a tool has no serious finding of axe (%s)",
  async (name) => {
    await theme(name);
    await editor.page.locator(".codelens-decoration a").getByText("Try", { exact: true }).first().click();
    const panel = editor.page.locator("iframe.webview.ready").last().contentFrame().frameLocator("iframe#active-frame");
    await panel.getByRole("heading", { name: "rate" }).waitFor();
    await panel.locator('[data-field="name"] textarea').fill("Emma");
    await panel.locator('[data-field="stars"] input').fill("9");
    await panel.locator("vscode-button.run").click();
    await panel.locator('[data-part="trace"]').waitFor();
    await editor.picture(`try-${name}`);
    expect(await seriousFindings(panel)).toEqual([]);
    rmSync(workspace.path(".vscode"), { recursive: true });
  },
);
