import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { tryPanel } from "../rig/tryPanel.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;
let editor: Editor | undefined;

beforeAll(async () => {
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
});
afterEach(({ task }) => editor?.close(task));
afterAll(() => browser.close());

const TOOLS = `import time
from typing import Literal

from adalflow.core.types import ToolOutput


def weather(city: str, unit: Literal["C", "F"] = "C", days: int = 1) -> ToolOutput:
    """Tell the weather of a city.

    Args:
        city: Name of the city.
        unit: Unit of the temperature.
        days: How many days ahead.
    """
    print(f"looking up {city}")
    if city == "Atlantis":
        raise ValueError("no such city")
    return ToolOutput(output={"temperature": 21}, observation=f"{city}: 21 {unit}", display="sunny", status="success")


def slow() -> str:
    """Take a minute."""
    print("on my way", flush=True)
    time.sleep(60)
    return "late"


CUSTOM_TOOLS = [weather, slow]
`;

test("a tool is tried by its lens: the form refuses what is missing, and the result shows in its parts", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  const { page } = editor;
  await page.locator(".codelens-decoration a").getByText("Try", { exact: true }).first().click();
  const form = tryPanel(editor);
  await form.getByRole("heading", { name: "weather" }).waitFor();
  await form.getByText("Name of the city.").waitFor();
  await form.locator("vscode-button.run").click();
  await form.getByText("city is required").waitFor();
  await editor.picture("try missing");

  await form.locator('[data-field="city"] textarea').fill("Oslo");
  await form.locator("vscode-button.run").click();
  await form.getByRole("heading", { name: "Succeeded" }).waitFor({ timeout: 60_000 });
  const parts = {
    display: "sunny",
    observation: "Oslo: 21 C",
    output: '"temperature": 21',
    printed: "looking up Oslo",
  };
  for (const [part, text] of Object.entries(parts)) {
    expect(await form.locator(`[data-part="${part}"] pre`).innerText()).toContain(text);
  }
  await editor.picture("try result");

  await form.locator('[data-field="city"] textarea').fill("Atlantis");
  await form.locator('[data-field="city"] textarea').press("Control+Enter");
  await form.getByRole("heading", { name: "Failed" }).waitFor();
  expect(await form.locator('[data-part="observation"] pre').innerText()).toContain("no such city");
  await form.locator('[data-part="trace"] a').first().click();
  await editor.statusBar("Ln 17").waitFor();
  expect(await editor.tab(".adal/tools.py").count()).toBe(1); // in the editor it is open in, not over the panel
  await editor.picture("try failed");
});

test("arguments can be written as JSON, and a try can be stopped", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  const rows = await editor.toolRows();
  await editor.rowAction(rows.filter({ hasText: "weather" }), "Try Tool");
  let form = tryPanel(editor);
  await form.getByText("Write as JSON").click();
  await form.locator("vscode-textarea.json textarea").fill('{"city": "Rome", "unit": "F"');
  await form.locator("vscode-button.run").click();
  await form.locator(".problem").filter({ hasText: "JSON" }).waitFor();
  await form.locator("vscode-textarea.json textarea").fill('{"city": "Rome", "unit": "F"}');
  await form.locator("vscode-button.run").click();
  await form.getByRole("heading", { name: "Succeeded" }).waitFor({ timeout: 60_000 });
  expect(await form.locator('[data-part="observation"] pre').innerText()).toContain("Rome: 21 F");

  await editor.rowAction(rows.filter({ hasText: "slow" }), "Try Tool");
  form = tryPanel(editor);
  await form.getByRole("heading", { name: "slow" }).waitFor();
  await form.getByText("This tool takes no arguments.").waitFor();
  await form.locator("vscode-button.run").click();
  await form.locator('[data-part="printed"] pre').filter({ hasText: "on my way" }).waitFor({ timeout: 60_000 });
  await form.locator("vscode-button.stop").click();
  await form.getByText("Stopped.").waitFor();
});
