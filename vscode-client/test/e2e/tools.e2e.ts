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


CUSTOM_TOOLS = [weather]
`;

test("built-in tools stand in groups and are switched off and on", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  const rows = await editor.toolRows();
  const builtins = rows.filter({ hasText: "Built-in tools" });
  await builtins.waitFor({ timeout: 60_000 });
  await builtins.click();
  const bash = rows.filter({ hasText: /^bash/ });
  await rows.filter({ hasText: "read_file" }).hover();
  // Rows that cannot be seen are not there.
  await expect
    .poll(
      async () => {
        if (!(await bash.isVisible())) await editor?.page.mouse.wheel(0, 60);
        return bash.isVisible();
      },
      { timeout: 15_000, interval: 300 },
    )
    .toBe(true);
  await editor.picture("tools-builtins");
  const box = bash.locator(".custom-view-tree-node-item-checkbox");
  const off = rows.and(editor.page.locator('[aria-label*="bash"][aria-label*="switched off"]'));
  await box.click();
  await off.waitFor({ timeout: 60_000 });
  for (let attempt = 1; await off.isVisible(); attempt++) {
    await box.click(); // lost where the row is being drawn anew
    await off.waitFor({ state: "detached", timeout: 10_000 }).catch((error: unknown) => {
      if (attempt === 3) throw error;
    });
  }
});

test("a row shows what the model sees, and a new tool is written and listed", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  const { page } = editor;
  const rows = await editor.toolRows();
  const row = rows.filter({ hasText: "weather" });
  await editor.rowAction(row, "Show What the Model Sees");
  await editor.tab("weather.jsonc").waitFor();
  await expect.poll(() => editor?.text(), { timeout: 30_000 }).toContain('"name": "weather"');
  await editor.picture("tools-preview");

  await editor.command("AdaL: New Tool");
  const box = page.locator(".quick-input-widget input.input").locator("visible=true");
  await box.fill("bash-it");
  await page.locator(".quick-input-widget").getByText("Python identifier").waitFor();
  await box.fill("count_words");
  await box.press("Enter");
  await expect.poll(() => editor?.text(), { timeout: 30_000 }).toContain("def count_words(text: str)");
  await expect.poll(() => editor?.text(), { timeout: 30_000 }).toMatch(/CUSTOM_TOOLS = \[weather, count_words\]/);
  await editor.picture("tools-new");
});

/** Its name comes from a file that no editor watches. */
const NAMED = `from pathlib import Path


def weather(city: str) -> str:
    """Tell the weather of a city.

    Args:
        city: Name of the city.
    """
    return f"sunny in {city}"


NAME = (Path(__file__).parent / "name.txt").read_text()
CUSTOM_TOOLS = [{"function": weather, "name": NAME, "require_approval": False}]
`;

test("the menu of a row copies the schema and proposes a call, a click opens the definition, Reload imports anew", async () => {
  using workspace = new Workspace({ ".adal/tools.py": NAMED, ".adal/name.txt": "forecast", "README.md": "# Shop\n" });
  editor = await Editor.open(browser, server, workspace.folder, { file: "README.md" });
  const { page } = editor;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const rows = await editor.toolRows();
  const row = rows.filter({ hasText: "forecast" });
  await row.waitFor({ timeout: 60_000 });

  await editor.menu(row, "Copy Schema");
  await editor.statusBar("Copied the schema of forecast").waitFor();
  const copied = JSON.parse((await page.evaluate("navigator.clipboard.readText()")) as string);
  expect(copied).toMatchObject({ type: "object", properties: { city: { description: "Name of the city." } } });

  await editor.menu(row, "Run Agent with This Tool");
  await expect.poll(() => editor?.webview().locator("#prompt textarea").inputValue()).toBe('forecast(city="")');

  await row.click();
  await editor.tab("tools.py").waitFor();
  await editor.statusBar("Ln 4, Col 1").waitFor();

  workspace.write(".adal/name.txt", "outlook");
  await editor.command("AdaL: Reload Tools");
  await rows.filter({ hasText: "outlook" }).waitFor({ timeout: 60_000 });
  await row.waitFor({ state: "detached" });
});
