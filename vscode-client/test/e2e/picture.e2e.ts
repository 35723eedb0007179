import { copyFileSync, mkdirSync } from "node:fs";
import * as path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON, ROOT } from "../rig/paths.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
let browser: Browser;

beforeAll(async () => {
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  setMachineSettings(server, {});
});

const TOOLS = `"""Tools for the weekly report."""

from datetime import date
from pathlib import Path


def sales(region: str, week: int) -> dict:
    """Look up the sales of a region.

    Args:
        region: North, south, east or west.
        week: Number of the week, from 1.
    """
    return {"region": region, "week": week, "total": 1200 + 35 * week}


def save_report(title: str, text: str) -> str:
    """Save a report as Markdown.

    Args:
        title: Heading of the report.
        text: Body of the report.
    """
    file = Path("reports") / f"{date.today()}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# {title}\\n\\n{text}\\n", encoding="utf-8")
    return f"saved {file}"


CUSTOM_TOOLS = [
    {"function": sales, "require_approval": False},
    {"function": save_report, "name": "save-report"},
]
`;

const PROMPT = 'sales(region="north", week=42)\nsave_report(title="North", text="2,670 in week 42.")';

/** What the README shows; `make vscode-picture` takes it over. */
test("a picture of lint, tools and an approval together, dark and light", async () => {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS.replace("save-report", "save_report") }, "weekly-report");
  const editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.statusBar("AdaL: 2 tools").waitFor();
  await editor.showSidebar();
  const prompt = editor.webview().locator("#prompt textarea");
  await prompt.fill(PROMPT);
  await prompt.press("Enter");
  await editor.webview().locator(".approval", { hasText: "save_report" }).waitFor();
  await editor.typeOver(TOOLS);
  await editor.squiggles().waitFor();
  await (await editor.toolRows()).locator(".monaco-decoration-text-badge").waitFor();
  await editor.page.keyboard.press("Control+End");

  const file = await editor.picture("overview-dark");
  if (process.env.ADAL_TAKE_PICTURE) {
    const images = path.join(ROOT, "docs", "images");
    mkdirSync(images, { recursive: true });
    copyFileSync(file, path.join(images, "vscode.png"));
  }
  await editor.page.emulateMedia({ colorScheme: "light" });
  await editor.page.locator(".monaco-workbench.vs").waitFor();
  await editor.picture("overview-light");
  await editor.close();
});
