import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shareWindow } from "../rig/sharedWindow.ts";

const TOOLS = `def weather(city: str) -> str:
    """Tell the weather of a city.

    Args:
        city: Name of the city.
    """
    return f"sunny in {city}"


CUSTOM_TOOLS = [weather]
`;

const at = shareWindow({ ".adal/tools.py": TOOLS }, ".adal/tools.py", "AdaL: 1 tool");

const rowOf = async (label: string) =>
  (await at.editor.toolRows()).and(at.editor.page.locator(`[aria-label^="${label}"]`));

test("J1: while a line is unfinished one mark says so, and what was known of the file stays", async () => {
  const { editor } = at;
  await editor.goTo(9, 1);
  await editor.page.keyboard.type("def forecast(city: str, days: int");
  await editor.squiggles().first().waitFor();
  expect(await editor.squiggles().count()).toBe(1);
  await (await rowOf("weather, asks for approval")).waitFor();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  await editor.page.keyboard.type(") -> str:");
  await editor.page.keyboard.press("Enter");
  await editor.page.keyboard.type("    return city");
  await editor.squiggles().waitFor({ state: "detached" });
  await editor.statusBar("AdaL: 1 tool").waitFor(); // it is not in the list yet
});

test("J1: a file without the list gets a mild note, whose fix adds it; then the tool stands in the sidebar", async () => {
  const { editor } = at;
  await editor.typeOver(TOOLS.slice(0, TOOLS.indexOf("\n\nCUSTOM_TOOLS")).replaceAll("weather(", "forecast("));
  await editor.squiggles("info").first().waitFor();
  expect(await editor.squiggles("error").count()).toBe(0);
  await (await editor.nextProblem()).getByText("ADAL201").waitFor();
  await editor.page.keyboard.press("Escape");
  await editor.quickFix(/CUSTOM_TOOLS/);
  await expect.poll(() => editor.text()).toContain("CUSTOM_TOOLS = [forecast]");
  await (await rowOf("forecast, asks for approval, not loaded")).waitFor();
  await editor.save();
  await (await rowOf("forecast, asks for approval"))
    .and(editor.page.locator(':not([aria-label*="not loaded"])'))
    .waitFor();
});

test("J1: a hover shows the card that a model gets", async () => {
  const { editor } = at;
  await editor.goTo(1, 7);
  await editor.page.keyboard.press("Control+K"); // `command` clicks elsewhere
  await editor.page.keyboard.press("Control+I");
  const hover = editor.page.locator(".monaco-hover:visible", { hasText: "Name of the city." });
  await hover.waitFor();
  expect(await hover.innerText()).toMatch(/Tell the weather of a city\.[\s\S]*city[\s\S]*string/);
});

test("J2: a mark says the rule and why; its fix changes the name and nothing else, line ends and tabs included", async () => {
  const { editor, workspace } = at;
  const list = 'CUSTOM_TOOLS = [\n\t{"function": weather, "name": "tell-weather"},\n]\n';
  const text = TOOLS.replace("CUSTOM_TOOLS = [weather]\n", list).replaceAll("    ", "\t").replaceAll("\n", "\r\n");
  workspace.write(".adal/tools.py", text);
  await editor.squiggles().first().waitFor();
  await editor.statusBar("CRLF").waitFor();
  const problem = await editor.nextProblem();
  await problem.getByText("ADAL101").waitFor();
  expect(await problem.innerText()).toContain("tell-weather");
  await editor.statusBar(/^Ln 11, /).waitFor();
  await editor.page.keyboard.press("Escape");
  await editor.quickFix(/tell_weather/);
  await editor.squiggles().waitFor({ state: "detached" });
  expect(workspace.read(".adal/tools.py")).toBe(text); // gone without saving
  await editor.save();
  expect(workspace.read(".adal/tools.py")).toBe(text.replace("tell-weather", "tell_weather"));
});

test("J2: a tool with the name of a built-in one is told whose name it is, and gets another", async () => {
  const { editor } = at;
  await editor.typeOver(TOOLS.replaceAll("weather(", "read_file(").replace("[weather]", "[read_file]"));
  await editor.squiggles().first().waitFor();
  const problem = await editor.nextProblem();
  await problem.getByText("ADAL104").waitFor();
  expect(await problem.innerText()).toMatch(/built-in/);
  await editor.page.keyboard.press("Escape");
  await editor.quickFix(/name/i);
  await editor.squiggles().waitFor({ state: "detached" });
});

test("J2: of two tools with one name each place leads to the other", async () => {
  const { editor } = at;
  const list = 'CUSTOM_TOOLS = [\n    weather,\n    {"function": weather, "name": "weather"},\n]\n';
  await editor.typeOver(TOOLS.replace("CUSTOM_TOOLS = [weather]\n", list));
  await editor.squiggles().first().waitFor();
  await editor.goTo(12, 1);
  const problem = await editor.nextProblem();
  await problem.getByText("ADAL103").waitFor();
  await problem
    .locator("a", { hasText: /tools\.py/ })
    .first()
    .click();
  await editor.statusBar(/^Ln 11, /).waitFor();
});

test("J2: a rule that nobody wants is switched off in the settings, and errors stay", async () => {
  const { editor, workspace } = at;
  const text = TOOLS.replace(/ {4}"""[\s\S]*?"""\n/, "").replace("[weather]", '[{"function": weather, "name": "a-b"}]');
  await editor.typeOver(text);
  await editor.squiggles("warning").first().waitFor();
  await editor.squiggles("error").first().waitFor();
  workspace.write(".vscode/settings.json", JSON.stringify({ "adal.lint.ignore": ["ADAL4", "ADAL101"] }));
  await editor.squiggles("warning").waitFor({ state: "detached" });
  expect(await editor.squiggles("error").count()).toBeGreaterThan(0);
});

// https://github.com/nextflow-io/language-server/issues/27: changes from outside of the editor were not seen
test("what git changes outside of the editor shows within seconds, with .adal ignored and the file closed", async () => {
  const { editor, workspace } = at;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: workspace.folder,
      stdio: "pipe",
    });
  workspace.write(".gitignore", ".adal/\n");
  git("init", "-q", "-b", "good");
  git("add", "-f", ".");
  git("commit", "-qm", "good");
  git("checkout", "-q", "-b", "bad");
  workspace.write(".adal/tools.py", TOOLS.replace("[weather]", '[{"function": weather, "name": "tell-weather"}]'));
  git("commit", "-qam", "bad");
  await (await rowOf("tell-weather")).waitFor();
  git("checkout", "-q", "good");
  await editor.command("View: Close All Editors");
  await (await rowOf("weather, asks for approval")).waitFor();

  const withinSeconds = { timeout: 4_000 }; // two on a machine that does nothing else
  git("checkout", "-q", "bad");
  await (await rowOf("tell-weather, asks for approval"))
    .and(editor.page.locator('[aria-label*="1 problem"]'))
    .waitFor(withinSeconds);
  await editor.command("Problems: Focus on Problems View");
  const problems = editor.page.locator(".markers-panel .monaco-list-row", { hasText: "tell-weather" });
  await problems.first().waitFor(withinSeconds);
  git("checkout", "-q", "good");
  await (await rowOf("weather, asks for approval")).waitFor(withinSeconds);
  await problems.first().waitFor({ ...withinSeconds, state: "detached" });
});
