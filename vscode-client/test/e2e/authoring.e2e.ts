import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
let editor: Editor | undefined;

beforeAll(async () => {
  setMachineSettings(server, {});
  browser = await launchBrowser();
});
afterEach(({ task }) => editor?.close(task));
afterAll(() => browser.close());

const TOOLS = `def weather(city: str) -> str:
    """Tell the weather of a city.

    Args:
        city: Name of the city.
    """
    return f"sunny in {city}"


CUSTOM_TOOLS = [
    weather,
    {"function": weather, "name": "forecast"},
]
`;

test("a rename reaches the list, an entry is completed, and a lens proposes a call", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  const { page } = editor;
  await page.locator(".codelens-decoration").getByText("asks for approval").first().waitFor();
  await page.locator(".view-line").filter({ hasText: "→ forecast" }).first().waitFor();

  await editor.goTo(1, 8);
  await page.keyboard.press("F2");
  const box = page.locator(".rename-box input:visible");
  await box.fill("sky");
  await box.press("Enter");
  await expect.poll(() => editor?.text()).toMatch(/"function": sky.*"name": "forecast"/); // a hint stands between
  expect(await editor.text()).not.toContain("weather(");

  await editor.goTo(12, 41);
  await page.keyboard.type(", req");
  await page.keyboard.press("Control+Space");
  await page.locator(".suggest-widget .monaco-list-row").filter({ hasText: "require_approval" }).first().waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => editor?.text()).toContain('"name": "forecast", "require_approval": ');
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await editor.picture("authoring");

  await page.locator(".codelens-decoration a").filter({ hasText: "Run agent with sky" }).first().click();
  const prompt = editor.webview().locator("#prompt textarea");
  await prompt.waitFor();
  await expect.poll(() => prompt.inputValue()).toBe('sky(city="")');
});
