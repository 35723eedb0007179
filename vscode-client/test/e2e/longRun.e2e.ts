import { mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { innermost } from "../rig/accessibility.ts";
import { setMachineSettings } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON, KEPT } from "../rig/paths.ts";
import { sendPrompt } from "../rig/runView.ts";
import { Workspace } from "../rig/workspace.ts";

const server = inject("trusting");
const TOOLS = `\
def note(number: int) -> str:
    """Keeps a number.

    Args:
        number: Which.
    """
    return f"kept {number}\\nand said so in a second line"


CUSTOM_TOOLS = [{"function": note, "require_approval": False}]
`;
const TURNS = 17;
const CALLS = 150; // of four events each

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  setMachineSettings(server, {});
});

/** What the page of the view has, of which this side knows nothing. */
interface Page {
  document: { querySelector(selector: string): Scroller; querySelectorAll(selector: string): { length: number } };
  performance: { now(): number; memory: { usedJSHeapSize: number } };
  requestAnimationFrame(callback: () => void): void;
}

interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
}

test("a run of ten thousand events opens, scrolls and grows smoothly, and little of it is in the page", async () => {
  const turns = Array.from({ length: TURNS }, (_, turn) => ({
    text: `**Part ${turn}** of the work, with \`code\` and a list:\n\n- one\n- two\n`,
    calls: Array.from({ length: CALLS }, (_, call) => ({ name: "note", arguments: { number: turn * CALLS + call } })),
  }));
  using workspace = new Workspace({
    ".adal/tools.py": TOOLS,
    "turns.yaml": JSON.stringify([...turns, { text: "That was all." }, { text: "One more answer. ".repeat(200) }]),
  });
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON, "adal.model": "script:turns.yaml" });
  const editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  await editor.showSidebar();
  await editor.statusBar("AdaL: 1 tool").waitFor();
  const view = editor.webview();
  await view.locator(".pickModel", { hasText: "script" }).waitFor();
  const frame = await innermost(view);
  const session = await editor.page.context().newCDPSession(editor.page);
  /** MiB of the window's page, of which the view is a part, without what is only waiting to be thrown away. */
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return frame.evaluate(() => (globalThis as unknown as Page).performance.memory.usedJSHeapSize / 2 ** 20);
  };
  const before = await heap();

  const started = performance.now();
  await sendPrompt(editor, "keep them all");
  await view.locator(".text", { hasText: "That was all." }).waitFor({ timeout: 80_000 });
  const ran = performance.now() - started;

  await editor.command("AdaL: New Run");
  await view.locator(".welcome").waitFor();
  await editor.command("AdaL: Show Earlier Runs");
  await editor.runRows().first().waitFor();
  const clicked = performance.now();
  await editor.runRows().first().click();
  await view.locator(".text", { hasText: "That was all." }).waitFor();
  const opened = performance.now() - clicked;

  const scrolled = await frame.evaluate(async () => {
    const { document, performance, requestAnimationFrame } = globalThis as unknown as Page;
    const scroller = document.querySelector(".transcript");
    const frames: number[] = [];
    let elements = 0;
    let empty = 0;
    const pages = Math.ceil(scroller.scrollHeight / 400);
    for (let last = performance.now(), step = 0; step < Math.min(pages, 400); step++) {
      scroller.scrollTop -= 400;
      await new Promise<void>((next) => requestAnimationFrame(next));
      frames.push(performance.now() - last);
      last = performance.now();
      elements = Math.max(elements, document.querySelectorAll("*").length);
      empty = Math.max(empty, document.querySelectorAll(".chunk:empty").length);
    }
    frames.sort((a, b) => a - b);
    const at = (share: number) => frames[Math.floor((frames.length - 1) * share)] ?? 0;
    return { frames: frames.length, median: at(0.5), p95: at(0.95), worst: at(1), elements, empty };
  });
  // Scrolled far from the end, what is there is drawn.
  await view.locator(".call:visible").first().waitFor();
  await editor.picture("long-run");

  await frame.evaluate(() => {
    const { document } = globalThis as unknown as Page;
    const scroller = document.querySelector(".transcript");
    scroller.scrollTop = scroller.scrollHeight;
  });
  const said = performance.now();
  await sendPrompt(editor, "and one more");
  await view.locator(".text", { hasText: "One more answer." }).waitFor();
  const answered = performance.now() - said;
  const after = await heap();

  const figures = { events: TURNS * CALLS * 4, ran, opened, answered, heap: { before, after }, scrolled };
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(path.join(KEPT, "long-run.json"), JSON.stringify(figures, null, 2));
  await editor.close();

  expect(scrolled.elements).toBeLessThan(8000); // one call alone is a good twenty
  expect(scrolled.empty).toBeGreaterThan(40);
  expect(scrolled.median).toBeLessThan(50);
  expect(opened).toBeLessThan(10_000);
  expect(after - before).toBeLessThan(60);
});
