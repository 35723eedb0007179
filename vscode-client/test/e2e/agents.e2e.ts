import { expect, test } from "vitest";
import { seriousFindings } from "../rig/accessibility.ts";
import { row, sendPrompt } from "../rig/runView.ts";
import { shareWindow } from "../rig/sharedWindow.ts";

const TOOLS = `\
def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


CUSTOM_TOOLS = [{"function": add, "require_approval": False}]
`;
const AGENTS = `\
from adal_ls import create_runtime, create_tool_provider

SCHEMA = {
    "type": "object",
    "properties": {
        "root": {"type": "string", "description": "Folder of the notes."},
        "limit": {"type": "integer", "default": 3},
        "kind": {"enum": ["short", "long"]},
    },
    "required": ["root"],
}


def tools_for(ctx):
    given = ctx.tool_provider_context or {}

    def where() -> str:
        """Say where the notes are."""
        return f"{given.get('root')}, {given.get('limit')}, {given.get('kind')}"

    return [{"function": where, "require_approval": False}]


runtime = create_runtime(model="offline")
AGENTS = [
    runtime.create_agent("librarian", tools=create_tool_provider(get_tools=tools_for, context_schema=SCHEMA)),
]
`;

const at = shareWindow({ ".adal/tools.py": TOOLS, ".adal/agents.py": AGENTS }, ".adal/agents.py", /AdaL: \d tool/);

test("the default agent is there beside those of the project, and has the tools of every run", async () => {
  const { editor } = at;
  const view = editor.webview();
  await view.locator(".pickAgent", { hasText: "default" }).waitFor();
  expect(await view.locator(".context").count()).toBe(0);
  await sendPrompt(editor, "add(a=1, b=2)");
  await view.locator(".call pre", { hasText: "3" }).waitFor();
});

test("an agent is picked, its context is asked for in a form, checked, given to its tools, and remembered", async () => {
  const { editor } = at;
  const view = editor.webview();
  await view.locator(".pickAgent").click();
  await row(editor, "librarian").click();
  await view.locator(".pickAgent", { hasText: "librarian" }).waitFor();
  await view.locator(".context", { hasText: "Context of librarian" }).waitFor();
  await sendPrompt(editor, "where()");
  await view.locator('.context [data-field="root"] .problem', { hasText: "root is required" }).waitFor();
  expect(await view.locator(".prompt").count()).toBe(0);
  const kind = view.locator('.context [data-field="kind"]');
  expect(await kind.locator(".select-face .text").innerText()).toBe("Not set");
  await editor.picture("context-form");
  expect(await seriousFindings(view)).toEqual([]);
  await view.locator('.context [data-field="root"] textarea').fill("notes");
  await view.locator(".run").click();
  await view.locator(".call pre", { hasText: "notes, 3, None" }).waitFor();

  // The next prompt of the same run brings its own.
  await view.locator(".finished").waitFor();
  await view.locator('.context [data-field="root"] textarea').fill("docs");
  await kind.locator(".select-face").click();
  await kind.locator("li.option", { hasText: "long" }).click();
  expect(await kind.locator(".select-face .text").innerText()).toBe("long");
  await sendPrompt(editor, "where()");
  await view.locator(".call pre", { hasText: "docs, 3, long" }).waitFor();
  await view.locator(".finished").nth(1).waitFor();

  await editor.stored('"docs"');
  await editor.page.reload();
  await editor.showSidebar();
  // The last run is shown again, with its agent and what it was given last.
  await view.locator(".pickAgent", { hasText: "librarian" }).waitFor();
  await view.locator(".context summary").click();
  await expect.poll(() => view.locator('.context [data-field="root"] textarea').inputValue()).toBe("docs");
});

test("a slip in the agents file is marked as it is typed, and a save loads what is mended", async () => {
  const { editor } = at;
  const view = editor.webview();
  await editor.typeOver(AGENTS.replace('"librarian", tools', '"keeper", toolz'));
  await editor.squiggles("error").first().waitFor();
  await editor.picture("agents-squiggle");
  await editor.typeOver(AGENTS.replace('"librarian"', '"keeper"'));
  await editor.squiggles("error").waitFor({ state: "detached" });
  await editor.save();
  await view.locator(".pickAgent").click();
  await row(editor, "keeper").click();
  await view.locator(".pickAgent", { hasText: "keeper" }).waitFor();
});
