import { expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { HOST_PYTHON } from "../rig/paths.ts";
import { MACHINE, shareWindow } from "../rig/sharedWindow.ts";

const server = inject("trusting");
const TOOLS = `def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


CUSTOM_TOOLS = [add]
`;

const at = shareWindow({ ".adal/tools.py": TOOLS }, ".adal/tools.py", "AdaL: 1 tool");

test("J5: a package that a colleague lacks is told at its import, with the Python and the command; other checks go on", async () => {
  const { editor, workspace } = at;
  const bad = '[{"function": add, "name": "a-b"}]';
  workspace.write(".adal/tools.py", `import no_such_package_here\n\n\n${TOOLS.replace("[add]", bad)}`);
  await expect.poll(() => editor.squiggles().count(), { timeout: 30_000 }).toBe(2);
  await editor.goTo(14, 1);
  const problem = await editor.nextProblem(); // goes on at the top
  await problem.getByText("no_such_package_here").first().waitFor();
  await editor.statusBar(/^Ln 1, /).waitFor();
  expect(await problem.innerText()).toContain("-m pip install");
  expect(await problem.innerText()).toContain(HOST_PYTHON);
  await editor.picture("missing-package");
  await editor.page.keyboard.press("Escape");
  await editor.quickFix(/^Install it in a terminal/);
  await editor.page.locator(".terminal-wrapper .xterm").first().waitFor({ timeout: 15_000 });
  await editor.picture("install-in-terminal");
  await editor.command("Terminal: Kill the Active Terminal Instance");
  await editor.page.locator(".terminal-wrapper .xterm").waitFor({ state: "detached" });
});

test("J6: what fails in a module beside the file is marked at its import; the sidebar leads to the line, with the ways out", async () => {
  const { editor, workspace } = at;
  workspace.write(".adal/limits.py", "LOW = 1\nHIGH = LOW / 0\n");
  workspace.write(".adal/tools.py", `from limits import HIGH\n\n\n${TOOLS.replace("a + b", "min(a + b, HIGH)")}`);
  const row = (await editor.toolRows()).filter({ hasText: "Could not be loaded" });
  await row.waitFor({ timeout: 30_000 });
  await row.hover();
  for (const action of ["Reload Tools", "Select Interpreter", "Show Log"]) {
    await row.locator(`.action-label[aria-label^="${action}"]`).waitFor();
  }
  await editor.picture("load-error");
  await row.click();
  await editor.tab("limits.py").waitFor();
  await editor.statusBar(/^Ln 2, /).waitFor();
  await editor.openFile("tools.py");
  const problem = await editor.nextProblem();
  await problem.getByText("ZeroDivisionError").first().waitFor();
  await editor.statusBar(/^Ln 1, /).waitFor();
  await editor.page.keyboard.press("Escape");
  workspace.write(".adal/limits.py", "LOW = 1\nHIGH = LOW / 2\n");
  await row.waitFor({ state: "detached", timeout: 30_000 });
  await editor.squiggles().waitFor({ state: "detached" });
});

test("J6: an import that never ends is ended after its time and said so, and the editor stays quick meanwhile", async () => {
  const { editor, workspace } = at;
  setMachineSettings(server, { ...MACHINE, "adal.loadSeconds": 3 });
  await editor.openFile("tools.py");
  workspace.write(".adal/tools.py", `import time\n\ntime.sleep(600)\n\n\n${TOOLS}`);
  await editor.page.locator(".view-line", { hasText: "sleep(600)" }).waitFor();
  await editor.goTo(6, 6);
  await editor.page.keyboard.press("Control+K");
  await editor.page.keyboard.press("Control+I");
  // Answered while the import hangs.
  await editor.page.locator(".monaco-hover:visible", { hasText: "The first number." }).waitFor({ timeout: 2_500 });
  const row = (await editor.toolRows()).filter({ hasText: "Could not be loaded" });
  await row.waitFor({ timeout: 30_000 });
  await editor.squiggles().first().waitFor();
  const problem = await editor.nextProblem();
  expect(await problem.innerText()).toMatch(/3 s/);
});
