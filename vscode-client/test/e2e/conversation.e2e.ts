import { expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { hostProcesses, serverProcesses } from "../rig/processes.ts";
import { row, sendPrompt } from "../rig/runView.ts";
import { MACHINE, shareWindow } from "../rig/sharedWindow.ts";

const server = inject("trusting");
const TOOLS = `\
import time


def wait(seconds: float) -> str:
    """Waits.

    Args:
        seconds: How long.
    """
    print("waiting", flush=True)
    time.sleep(seconds)
    return "waited"


def echo(text: str) -> str:
    """Says it again.

    Args:
        text: What.
    """
    return f"heard {text}"


CUSTOM_TOOLS = [
    {"function": wait, "require_approval": False},
    {"function": echo, "require_approval": False},
]
`;

const at = shareWindow(
  {
    ".adal/tools.py": TOOLS,
    "src/report.py": "one = 1\ntwo = 2\nthree = 3\n",
    "my notes.md": "# Notes\n",
  },
  "src/report.py",
  "AdaL: 2 tools",
);

/** Answers from a file, one a request. */
async function script(...turns: object[]): Promise<void> {
  at.workspace.write("turns.yaml", JSON.stringify(turns));
  setMachineSettings(server, { ...MACHINE, "adal.model": "script:turns.yaml" });
  await at.editor.webview().locator(".pickModel", { hasText: "script:turns.yaml" }).waitFor();
}

test("a further prompt goes on in the same run, and New Run begins another", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="one")');
  await view.locator(".finished", { hasText: "Done" }).waitFor();
  expect(await view.locator(".run").textContent()).toContain("Send");
  await sendPrompt(editor, 'echo(text="two")');
  await view.locator(".call pre", { hasText: "heard two" }).waitFor();
  await view.locator(".finished").nth(1).waitFor();
  expect(await view.locator(".prompt").count()).toBe(2);
  await expect.poll(() => view.locator("#prompt textarea").inputValue()).toBe("");
  await editor.picture("follow-up");
  await editor.command("AdaL: New Run");
  await view.locator(".welcome").waitFor();
  expect(await view.locator(".run").textContent()).toContain("Run");
});

test("what is said while the agent works waits visibly and is heard at its next step", async () => {
  const { editor } = at;
  await script({ calls: [{ name: "wait", arguments: { seconds: 3 } }] }, { text: "I heard both." });
  const view = await sendPrompt(editor, "go");
  await view.locator(".call pre", { hasText: "waiting" }).waitFor();
  await sendPrompt(editor, "and mind the time");
  await view.locator(".unheard", { hasText: "and mind the time" }).waitFor();
  await editor.picture("steering");
  await view.locator(".finished", { hasText: "Done" }).waitFor();
  expect(await view.locator(".unheard").count()).toBe(0);
  const order = await view
    .locator(".prompt, .call, .text")
    .evaluateAll((items) => items.map((item) => item.className.split(" ")[0]));
  expect(order).toEqual(["prompt", "call", "prompt", "text"]);
});

test("an earlier prompt is sent again in other words, in a run of its own", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="on")');
  await view.locator(".finished").waitFor();
  await sendPrompt(editor, 'echo(text="wrong")');
  await view.locator(".finished").nth(1).waitFor();
  await view.locator(".prompt").nth(1).hover();
  await view.getByRole("button", { name: "Edit and send again" }).nth(1).click();
  const box = view.locator("#prompt textarea");
  await expect.poll(() => box.inputValue()).toBe('echo(text="wrong")');
  await editor.picture("edit-prompt");
  await sendPrompt(editor, 'echo(text="right")');
  await view.locator(".call pre", { hasText: "heard right" }).waitFor();
  await view.locator(".finished").nth(1).waitFor();
  expect(await view.locator(".said").allInnerTexts()).toEqual(['echo(text="on")', 'echo(text="right")']);
  // The run as it was is still there.
  await editor.command("AdaL: Show Earlier Runs");
  await expect.poll(() => editor.runRows().filter({ hasText: '"on"' }).count()).toBe(2);
});

test("a run is forked from its end and goes on as another", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="base")');
  await view.locator(".finished").waitFor();
  await view.getByRole("button", { name: /^Fork/ }).click();
  await view.locator("#prompt textarea:focus").waitFor();
  await sendPrompt(editor, 'echo(text="branch")');
  await view.locator(".call pre", { hasText: "heard branch" }).waitFor();
  await editor.command("AdaL: Show Earlier Runs");
  const rows = editor.runRows().filter({ hasText: '"base"' });
  await expect.poll(() => rows.count()).toBe(2);
  await rows.nth(1).click();
  await expect.poll(() => view.locator(".prompt").count()).toBe(1);
});

test("a run that ended with an error is tried again where it stands", async () => {
  const { editor } = at;
  await script({ calls: [{ name: "echo", arguments: { text: "a" } }] });
  const view = await sendPrompt(editor, "go");
  await view.locator(".error").waitFor();
  await editor.picture("retry");
  at.workspace.write(
    "turns.yaml",
    JSON.stringify([{ calls: [{ name: "echo", arguments: { text: "a" } }] }, { text: "There it is." }]),
  );
  await view.getByRole("button", { name: "Try again" }).click();
  await view.locator(".text", { hasText: "There it is." }).waitFor();
  expect(await view.locator(".prompt").count()).toBe(1);
});

test("a run whose agent was killed is shown as interrupted, and Resume takes it up", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, "wait(seconds=60)");
  await view.locator(".call pre", { hasText: "waiting" }).waitFor();
  for (const pid of hostProcesses(serverProcesses(server))) process.kill(pid, "SIGKILL");
  await view.locator(".interrupted").waitFor();
  await editor.picture("interrupted");
  await view.getByRole("button", { name: "Resume" }).click();
  await view.locator(".finished").waitFor();
  expect(await view.locator(".interrupted").count()).toBe(0);
});

test("the mode is switched while the run goes on, and the run says so", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, "wait(seconds=60)");
  await view.locator(".call pre", { hasText: "waiting" }).waitFor();
  await view.locator(".pickMode").click();
  await row(editor, "Accept edits").click();
  await view.locator(".pickMode", { hasText: "Accept edits" }).waitFor();
  await view.locator(".notice", { hasText: /edits/ }).waitFor();
  await view.locator(".stop").click();
  await view.locator(".finished", { hasText: "Stopped" }).waitFor();
});

test("another model is picked for the next prompt of the same run", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="one")');
  await view.locator(".finished").waitFor();
  // A script goes on behind the answers that there are: two by now.
  at.workspace.write("other.yaml", JSON.stringify([{ text: "" }, { text: "" }, { text: "Another model speaks." }]));
  await view.locator(".pickModel").click();
  await editor.page.locator(".quick-input-widget input.input:visible").fill("script:other.yaml");
  await row(editor, "Use this model").click();
  await sendPrompt(editor, "who are you?");
  await view.locator(".finished").nth(1).waitFor();
  await view.locator(".text", { hasText: "Another model speaks." }).waitFor();
});

test("prompts of before come back with the arrow, also after a reload of the window", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'echo(text="alpha")');
  await view.locator(".finished").waitFor();
  await sendPrompt(editor, 'echo(text="omega")');
  await view.locator(".finished").nth(1).waitFor();
  await editor.stored("omega");
  await editor.page.reload();
  await editor.showSidebar();
  const box = editor.webview().locator("#prompt textarea");
  await editor.webview().locator(".finished").nth(1).waitFor();
  // The prompts of before come to the page after the run does.
  const newest = async () => {
    if ((await box.inputValue()) === "") await box.press("ArrowUp");
    return box.inputValue();
  };
  await expect.poll(newest).toBe('echo(text="omega")');
  await box.press("ArrowUp");
  await expect.poll(() => box.inputValue()).toBe('echo(text="alpha")');
  await box.press("ArrowDown");
  await box.press("ArrowDown");
  await expect.poll(() => box.inputValue()).toBe("");
});

test("a file is named behind an @ and its text goes with the prompt", async () => {
  const { editor } = at;
  await script({ text: "I see." });
  const view = editor.webview();
  const box = view.locator("#prompt textarea");
  await box.pressSequentially("look at @rep");
  await view.locator(".completion li.active", { hasText: "report.py" }).waitFor();
  await editor.picture("mention");
  await box.press("Enter");
  await expect.poll(() => box.inputValue()).toBe("look at @src/report.py ");
  await box.press("Enter");
  await view.locator(".finished").waitFor();
  expect(await view.locator(".said").innerText()).toBe(
    "look at @src/report.py \n\nsrc/report.py:\n```python\none = 1\ntwo = 2\nthree = 3\n```",
  );
});

test("what is selected in the editor, and a file of the explorer, are added to the prompt", async () => {
  const { editor } = at;
  const view = editor.webview();
  await editor.goTo(2, 1);
  await editor.page.keyboard.press("Shift+ArrowDown");
  await editor.page.keyboard.press("F1"); // `command` clicks, which would take the selection away
  await editor.page.locator(".quick-input-widget input.input:visible").pressSequentially("AdaL: Add Selection");
  await row(editor, "Add Selection to Prompt").waitFor();
  await editor.page.keyboard.press("Enter");
  await view.locator("#prompt textarea:focus").waitFor();
  await expect.poll(() => view.locator("#prompt textarea").inputValue()).toBe("@src/report.py:2 ");
  await editor.page.keyboard.press("Control+Shift+E");
  await editor.menu(
    editor.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "my notes.md" }),
    "Add File to Prompt",
  );
  await view.locator("#prompt textarea:focus").waitFor();
  await expect.poll(() => view.locator("#prompt textarea").inputValue()).toBe('@src/report.py:2 @"my notes.md" ');
  await view.locator("#prompt textarea").press("Enter");
  await view.locator(".finished").waitFor();
  expect(await view.locator(".said").innerText()).toContain(
    "src/report.py, line 2:\n```python\ntwo = 2\n```\n\nmy notes.md:\n```markdown\n# Notes\n```",
  );
});

test("a result that is too long for the transcript is opened whole in an editor", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, `echo(text="${"x".repeat(150_000)}end")`);
  await view.locator(".full", { hasText: "Open the whole result" }).click();
  await editor.page.locator(".tab", { hasText: "result.txt" }).waitFor();
  await editor.page.locator(".editor-instance .view-line", { hasText: "heard xxx" }).first().waitFor();
});
