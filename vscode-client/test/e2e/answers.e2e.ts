import { expect, inject, test } from "vitest";
import { Editor } from "../rig/editor.ts";
import { button, card, row, sendPrompt } from "../rig/runView.ts";
import { shareWindow } from "../rig/sharedWindow.ts";

const server = inject("trusting");
const TOOLS = `\
from pathlib import Path


def bump(tag: str, times: int = 1) -> str:
    """Count something.

    Args:
        tag: What is counted.
        times: How often.
    """
    with Path("runs.txt").open("a") as runs:
        runs.write(f"{tag} {times}\\n")
    return f"ok {tag} {times}"


CUSTOM_TOOLS = [bump]
`;

const at = shareWindow(
  { ".adal/tools.py": TOOLS, "src/price.py": "price = 10\ntax = 0.2\ntotal = price\n" },
  ".adal/tools.py",
  "AdaL: 1 tool",
);

const counted = () => at.workspace.read("runs.txt");

test("an edit is looked at in the editor's own diff, which closes when it is answered", async () => {
  const { editor, workspace } = at;
  const view = await sendPrompt(
    editor,
    'edit_file(path="src/price.py", old_text="total = price", new_text="total = price * (1 + tax)")',
  );
  const approval = card(view, "edit_file");
  await approval.locator(".diff .added", { hasText: "total = price * (1 + tax)" }).waitFor();
  await approval.locator(".diff-editor").click();
  await editor.page.locator(".tab", { hasText: "what edit_file would change" }).waitFor();
  await editor.page.locator(".monaco-diff-editor .view-line", { hasText: "tax)" }).first().waitFor();
  await editor.picture("diff-editor");
  await button(approval, "allow_once").click();
  await view.locator(".finished").waitFor();
  expect(workspace.read("src/price.py")).toContain("total = price * (1 + tax)");
  await editor.page.locator(".tab", { hasText: "what edit_file would change" }).waitFor({ state: "detached" });
});

test("edited arguments are what runs; those that the tool cannot take come back with what is wrong", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'bump(tag="a", times=2)');
  const approval = card(view, "bump");
  await approval.locator(".edit-arguments").click();
  const times = approval.locator('[data-field="times"] input');
  await times.fill("many");
  await button(approval, "allow_once").click();
  await approval.locator('[data-field="times"] .problem', { hasText: "must be a whole number" }).waitFor();
  expect(counted()).toBe("");
  await editor.picture("edit-arguments");
  // What only the server can judge is judged there, and the question stays open.
  await approval.getByText("Write as JSON").click();
  const json = approval.locator('[data-field="json"] textarea');
  await json.fill('{"tag": "b", "times": "three"}');
  await button(approval, "allow_once").click();
  await approval.locator(".problem", { hasText: "'three' is not of type 'integer'" }).waitFor();
  await editor.picture("edited-refused");
  expect(counted()).toBe("");
  await json.fill('{"tag": "b", "times": 3}');
  await button(approval, "allow_once").click();
  await view.locator(".call pre", { hasText: "ok b 3" }).waitFor();
  expect(counted()).toBe("b 3\n");
});

test("an answer for the next calls too says its rule and how long; it counts, is listed, and can be revoked", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'bump(tag="a")');
  const approval = card(view, "bump");
  await approval.getByText("Answer for the next calls too").click();
  await approval.getByLabel("This workspace").check();
  const lasting = approval.locator('[data-id="always_arguments_workspace"]:not([disabled])');
  await lasting.scrollIntoViewIfNeeded();
  await editor.picture("remember");
  expect(await lasting.locator(".rule").innerText()).toContain("in this workspace, until you revoke it");
  expect(await approval.locator('[data-id$="_session"][data-option="allow_always"]').count()).toBe(0);
  await lasting.click();
  await view.locator(".finished").waitFor();
  await sendPrompt(editor, 'bump(tag="a")');
  await view.locator(".finished").nth(1).waitFor();
  expect(counted()).toBe("a 1\na 1\n");

  await editor.command("AdaL: Decision Log");
  await row(editor, "Allowed by grant").waitFor();
  await row(editor, "Allowed by you · rule").waitFor();
  await editor.picture("decision-log");
  await editor.page.keyboard.press("Escape");
  await editor.command("AdaL: Remembered Approvals");
  await row(editor, "bump").waitFor();
  await editor.picture("grants");
  await row(editor, "bump").hover();
  await row(editor, "bump").locator(".action-label").click();
  await row(editor, "Nothing is remembered").waitFor();
  await editor.page.keyboard.press("Escape");
  await sendPrompt(editor, 'bump(tag="a")');
  await card(view, "bump").waitFor();
});

test("J4: by keyboard alone, from the palette to the answer: a chord leads to the question, Tab to its answers, and nothing answers by itself", async () => {
  const { editor } = at;
  const { keyboard } = editor.page;
  await editor.command("AdaL: Run Agent");
  const view = editor.webview();
  await view.locator("#prompt textarea:focus").waitFor();
  await keyboard.type('bump(tag="k")');
  await keyboard.press("Enter");
  await button(card(view, "bump"), "allow_once").waitFor();
  await view.locator("#prompt textarea:focus").waitFor(); // the question takes no focus from what is being typed
  await keyboard.press("Control+K");
  await keyboard.press("Control+A");
  await view.locator("#approvals-title:focus").waitFor();
  for (const key of ["Enter", "Space", "Escape"]) await keyboard.press(key);
  const focused = () => view.locator(":focus").last();
  for (let presses = 0; (await focused().getAttribute("data-option")) !== "allow_once"; presses++) {
    expect(presses).toBeLessThan(10);
    await editor.page.keyboard.press("Tab");
  }
  expect(counted()).toBe("");
  await editor.page.keyboard.press("Enter");
  await view.locator(".call pre", { hasText: "ok k 1" }).waitFor();
  expect(counted()).toBe("k 1\n");
});

test("a question of a run that is not shown says so and leads there", async () => {
  const { editor } = at;
  const view = await sendPrompt(editor, 'bump(tag="back")');
  await card(view, "bump").waitFor();
  await editor.command("AdaL: New Run");
  await view.locator(".welcome").waitFor();
  await card(view, "bump").locator(".other-run button").click();
  await view.locator(".prompt", { hasText: "back" }).waitFor();
  expect(await view.locator(".other-run").count()).toBe(0);
  await button(card(view, "bump"), "allow_once").click();
  await view.locator(".call pre", { hasText: "ok back 1" }).waitFor();
});

test("a second window on the folder reads the run and cannot answer for it", async () => {
  const { browser, editor, workspace } = at;
  const view = await sendPrompt(editor, 'bump(tag="one")');
  await card(view, "bump").waitFor();
  const second = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  try {
    await second.showSidebar();
    const other = second.webview();
    await other.locator(".elsewhere").waitFor({ timeout: 60_000 });
    await other.locator(".call", { hasText: "bump" }).waitFor();
    expect(await other.locator(".approval, .stop").count()).toBe(0);
    await other.locator("#prompt textarea").fill("hi");
    expect(await other.locator(".run").getAttribute("disabled")).not.toBeNull();
    await second.picture("second-window");
    await button(card(view, "bump"), "allow_once").click();
    // What happened there is seen here.
    await other.locator(".finished").waitFor();
    await other.locator(".call pre", { hasText: "ok one 1" }).waitFor();
  } finally {
    await second.close();
  }
});
