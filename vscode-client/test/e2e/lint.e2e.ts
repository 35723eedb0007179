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
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
});
afterEach(({ task }) => editor?.close(task));
afterAll(async () => {
  await browser.close();
  setMachineSettings(server, {});
});

const TOOLS = `def weather(city: str) -> str:
    """Tell the weather of a city.

    Args:
        city: Name of the city.
    """
    return f"sunny in {city}"


CUSTOM_TOOLS = [
    {"function": weather, "name": "tell-weather"},
]
`;

test("a bad tool name is marked, a quick fix mends it without saving, and the tree follows", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.squiggles("error").first().waitFor();
  const rows = await editor.toolRows();
  const row = rows.and(editor.page.locator('[aria-label^="tell-weather, asks for approval"][aria-label$="1 problem"]'));
  await row.locator(".monaco-decoration-text-badge").waitFor();
  await editor.picture("lint-squiggle");

  await editor.goTo(11, 38);
  await editor.quickFix(/tell_weather/);

  await editor.squiggles("error").waitFor({ state: "detached" });
  expect(await editor.text()).toContain('"name": "tell_weather"');
  await rows.and(editor.page.locator('[aria-label="tell_weather, asks for approval, not loaded"]')).waitFor();
  await editor.page.locator(".tab.active.dirty").waitFor();

  await editor.save();
  await rows.and(editor.page.locator('[aria-label="tell_weather, asks for approval"]')).waitFor();
  // A rename that is not saved: the tool is there once, by its new name.
  await editor.typeOver(TOOLS.replace("tell-weather", "say_weather"));
  await rows.and(editor.page.locator('[aria-label="say_weather, asks for approval, not loaded"]')).waitFor();
  expect(await rows.filter({ hasText: "weather" }).count()).toBe(1);
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await editor.picture("not-loaded");
});

test("a new tools file has no findings, and its tool appears in the sidebar", async () => {
  using workspace = new Workspace({ "README.md": "An empty project.\n" });
  editor = await Editor.open(browser, server, workspace.folder);
  await editor.showSidebar();
  await editor.toolsPane().getByRole("button", { name: "New Tools File" }).locator("visible=true").last().click();

  await editor.tab("tools.py").waitFor();
  const row = (await editor.toolRows()).filter({ hasText: "count_words" });
  await row.filter({ hasText: "Count the words of a text file." }).waitFor();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  expect(await row.getAttribute("aria-label")).toContain("asks for approval");
  for (const severity of ["error", "warning", "info"] as const) {
    expect(await editor.squiggles(severity).count()).toBe(0);
  }

  // A click leads to the definition.
  await editor.goTo(1, 1);
  for (let attempt = 1; ; attempt++) {
    await row.click(); // lost where the row is being drawn anew
    try {
      await editor.statusBar("Ln 6, Col 5").waitFor({ timeout: 5_000 });
      break;
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
  await editor.picture("new-tools-file");
});
