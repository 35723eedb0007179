import { expect, inject, test } from "vitest";
import { setMachineSettings } from "../rig/codeServer.ts";
import { serveModel } from "../rig/modelServer.ts";
import { button, card, sendPrompt } from "../rig/runView.ts";
import { MACHINE, shareWindow } from "../rig/sharedWindow.ts";

const server = inject("trusting");
const modelPort = inject("modelPort");
const TOOLS = `from pathlib import Path


def bump(tag: str) -> str:
    """Count one run.

    Args:
        tag: What is counted.
    """
    runs = Path("runs.txt")
    runs.write_text((runs.read_text() if runs.exists() else "") + tag + "\\n")
    return "ok " + tag


def look(place: str) -> str:
    """Look somewhere.

    Args:
        place: Where.
    """
    return "nothing at " + place


CUSTOM_TOOLS = [bump, {"function": look, "require_approval": False}]
`;

const at = shareWindow({ ".adal/tools.py": TOOLS }, ".adal/tools.py", "AdaL: 2 tools");

async function use(model: string): Promise<void> {
  setMachineSettings(server, { ...MACHINE, "adal.model": model });
  await at.editor.webview().locator(`.pickModel[aria-label*="${model}"]`).waitFor();
}

async function script(...turns: object[]): Promise<void> {
  at.workspace.write("turns.yaml", JSON.stringify(turns));
  await use("script:turns.yaml");
}

const call = (id: string, name: string, values: object) => ({ id, name, arguments: values });

test("J4: what a run used and cost stands at the end of each answer, and unknown is called unknown", async () => {
  const { editor, workspace } = at;
  await using _model = await serveModel(modelPort, workspace.path("../turns.json"), [
    { text: "Hello.", usage: [1200, 30] },
    { text: "And again.", quirks: ["no-usage"] },
  ]);
  await use("openai/gpt-4o");
  const view = await sendPrompt(editor, "hi");
  await view.locator(".text", { hasText: "Hello." }).waitFor({ timeout: 60_000 }); // the model layer is loaded first
  expect(await view.locator(".finished span").first().innerText()).toMatch(
    /^Done · 1,200 tokens in, 30 out · \$0\.00\d\d$/,
  );
  await editor.picture("usage");
  await sendPrompt(editor, "and?");
  await view.locator(".text", { hasText: "And again." }).waitFor();
  await view.locator(".finished", { hasText: "Done · usage unknown" }).waitFor();
  await editor.command("AdaL: New Run");
  await use("openai/scripted");
  await sendPrompt(editor, "hi");
  await view.locator(".finished", { hasText: "1,200 tokens in, 30 out · cost unknown" }).waitFor();
});

// https://github.com/openai/codex/issues/10930: the answer to one of several approvals was applied to another
test("J4: of three calls at once each gets its own answer, also when they waited long, and the run goes on", async () => {
  const { editor, workspace } = at;
  const asked = ["a", "b", "c"].map((tag) => call(`call-${tag}`, "bump", { tag }));
  await script({ calls: asked }, { text: "all done" });
  const view = await sendPrompt(editor, "go");
  await view.getByText("3 calls wait for your approval").waitFor();
  await editor.page.waitForTimeout(10_000); // after this time notifications hide, and what waits for them with them
  const one = (tag: string) =>
    card(view, "bump").filter({ has: view.locator(".value", { hasText: new RegExp(`^${tag}$`) }) });
  await button(one("a"), "allow_once").click();
  await view.getByText("2 calls wait for your approval").waitFor();
  await button(one("b"), "reject_once").click();
  await button(one("c"), "allow_once").click();
  await view.locator(".text", { hasText: "all done" }).waitFor();
  await view.locator(".finished", { hasText: "Done" }).waitFor();
  expect(workspace.read("runs.txt").split("\n").sort()).toEqual(["", "a", "c"]);
  expect(await view.locator('[data-call="call-a"] pre').innerText()).toBe("ok a");
  expect(await view.locator('[data-call="call-b"] pre').innerText()).toContain("denied by the user");
  expect(await view.locator('[data-call="call-c"] pre').innerText()).toBe("ok c");
});

test("J6: a call that the tool cannot take shows its arguments, why it was refused, and leads to the schema", async () => {
  const { editor } = at;
  await script({ calls: [call("c1", "look", { where: 1 })] }, { text: "I see." });
  const view = await sendPrompt(editor, "go");
  const refused = view.locator(".call", { hasText: "look" });
  await refused.getByLabel(/Failed|Denied/).waitFor();
  await refused.locator("pre", { hasText: "place" }).waitFor();
  await refused.locator("summary").first().click();
  expect(await refused.locator(".argument").first().innerText()).toMatch(/where\s+1/);
  await editor.picture("wrong-call");
  await refused.locator(".schema").click();
  await editor.tab("look.jsonc").waitFor();
  await expect.poll(() => editor.text()).toContain('"place"');
  await editor.command("View: Close Editor");
});

test("J7: a local server that does not answer is named with its address, and the interface without tool calls is advised against", async () => {
  const { editor } = at;
  await use("ollama/qwen3");
  const view = await sendPrompt(editor, "hi");
  await view.locator(".notice", { hasText: "Choose ollama_chat/qwen3" }).waitFor({ timeout: 60_000 });
  await view.locator(".error", { hasText: "http://127.0.0.1:9" }).waitFor({ timeout: 60_000 });
  expect(await view.locator(".error").count()).toBe(1);
  expect(await view.getByRole("button", { name: "Try again" }).count()).toBe(1);
  await editor.picture("local-model");
});

test("J7: a call that the model prints as text is shown with a hint and not run", async () => {
  const { editor, workspace } = at;
  await script({ text: '{"name": "bump", "arguments": {"tag": "printed"}}' });
  const view = await sendPrompt(editor, "go");
  await view.locator(".notice", { hasText: "looks like a call of bump that was written as text" }).waitFor();
  await view.locator(".finished", { hasText: "Done" }).waitFor();
  expect(await view.locator(".call, .approval").count()).toBe(0);
  expect(workspace.read("runs.txt")).toBe("");
});

test("J7: a weak model that repeats its calls is stopped, with the reason", async () => {
  const { editor } = at;
  const again = Array.from({ length: 12 }, (_, turn) => ({ calls: [call(`c${turn}`, "look", { place: "home" })] }));
  await script(...again);
  const view = await sendPrompt(editor, "go");
  await view.locator(".notice", { hasText: "made the same calls 8 times in a row" }).waitFor();
  await view.locator(".finished", { hasText: "Stopped at a limit" }).waitFor();
  expect(await view.locator(".call").count()).toBe(8);
});
