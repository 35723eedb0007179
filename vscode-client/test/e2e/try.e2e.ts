import { expect, test } from "vitest";
import { shareWindow } from "../rig/sharedWindow.ts";
import { tryPanel } from "../rig/tryPanel.ts";

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

const at = shareWindow({ ".adal/tools.py": TOOLS }, ".adal/tools.py", "AdaL: 2 tools");

// https://github.com/UsefulSoftwareCo/executor/pull/1183: "try" ended at the gate although the person had pressed Run
test("J3: a tool is tried by its lens: the form refuses what is missing, and the result shows in its parts", async () => {
  const { editor } = at;
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
  expect(await page.locator(".monaco-dialog-box, .notifications-toasts .notification-list-item").count()).toBe(0);
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

test("J3: arguments can be written as JSON, and a try can be stopped", async () => {
  const { editor } = at;
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

test("J3: a try runs the code as it is now, with an edit made a moment ago and with a module beside it", async () => {
  const { editor, workspace } = at;
  workspace.write(".adal/words.py", 'GREETING = "hello"\n');
  workspace.write(
    ".adal/tools.py",
    'from words import GREETING\n\n\ndef greet() -> str:\n    """Greet."""\n    return GREETING\n\n\nCUSTOM_TOOLS = [greet]\n',
  );
  const row = (await editor.toolRows()).filter({ hasText: "greet" });
  await editor.rowAction(row, "Try Tool");
  const form = tryPanel(editor);
  await form.getByRole("heading", { name: "greet" }).waitFor();
  const observation = form.locator('[data-part="observation"] pre');
  await form.locator("vscode-button.run").click();
  await observation.filter({ hasText: "hello" }).waitFor({ timeout: 60_000 });
  for (const greeting of ["goodbye", "welcome"]) {
    workspace.write(".adal/words.py", `GREETING = "${greeting}"\n`);
    await form.locator("vscode-button.run").click();
    await observation.filter({ hasText: greeting }).waitFor();
  }
});
