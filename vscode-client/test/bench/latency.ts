// `node test/bench/latency.ts RUFF [ROUNDS]`: how long a person waits for marks in a real window, with our extension and
// with `ruff server` behind the least client there is. They take turns. Prints the table of docs/performance.md.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import * as path from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, setMachineSettings, startCodeServer, stopCodeServer } from "../rig/codeServer.ts";
import { Editor, launchBrowser } from "../rig/editor.ts";
import { HOST_PYTHON, VSIX } from "../rig/paths.ts";
import { Workspace } from "../rig/workspace.ts";
import { packRuffClient } from "./ruffClient/pack.ts";

const KEYSTROKES = 10;
const TOOLS = 20;

const TOOL = `def tool_{0}(text: str, count: int = 1) -> str:
    """Do number {0}.

    Args:
        text: A text.
        count: How often.
    """
    return text * count


`;

/** A tools file without findings. Both servers mark a bracket that closes nothing, where it stands. */
function toolsFile(): string {
  const numbers = Array.from({ length: TOOLS }, (_, number) => String(number));
  const functions = numbers.map((number) => TOOL.replaceAll("{0}", number)).join("");
  return `${functions}CUSTOM_TOOLS = [\n${numbers.map((number) => `    tool_${number},\n`).join("")}]\nx = 1\n`;
}

interface Times {
  readonly opened: number[];
  readonly typed: number[];
}

/** What the page has, of which this side knows nothing. */
interface Page {
  performance: { now(): number };
  document: {
    querySelector(selector: string): unknown;
    addEventListener(type: "keydown", listener: () => void, options: object): void;
  };
  MutationObserver: new (changed: () => void) => { observe(target: unknown, options: object): void };
  marks?: { key: number; mark: number };
}

async function round(browser: Browser, server: CodeServer, times: Times): Promise<void> {
  using workspace = new Workspace({ ".adal/tools.py": `)\n${toolsFile()}` });
  const begun = performance.now();
  const editor = await Editor.open(browser, server, workspace.folder, { file: ".adal/tools.py" });
  try {
    await editor.squiggles().first().waitFor();
    times.opened.push(performance.now() - begun);
    await editor.typeOver(`\n${toolsFile()}`);
    await editor.save();
    await editor.goTo(1, 1); // marks are drawn where somebody looks
    await editor.squiggles().waitFor({ state: "detached" });
    await editor.page.evaluate(watch);
    for (let stroke = 0; stroke < KEYSTROKES; stroke++) {
      await editor.page.keyboard.type(")");
      await editor.squiggles().first().waitFor();
      times.typed.push(
        await editor.page.evaluate(() => {
          const { marks } = globalThis as unknown as Page;
          return marks ? marks.mark - marks.key : Number.NaN;
        }),
      );
      await editor.page.keyboard.press("Backspace");
      await editor.squiggles().first().waitFor({ state: "detached" });
    }
  } catch (error) {
    await editor.picture("failed benchmark");
    throw error;
  } finally {
    await editor.close();
  }
}

/** Run in the page: notes when a key comes down, and when the next mark is drawn. */
function watch(): void {
  const page = globalThis as unknown as Page;
  page.document.addEventListener(
    "keydown",
    () => {
      page.marks = { key: page.performance.now(), mark: Number.NaN };
    },
    { capture: true },
  );
  const drawn = () => {
    if (page.marks && Number.isNaN(page.marks.mark) && page.document.querySelector(".squiggly-error")) {
      page.marks.mark = page.performance.now();
    }
  };
  new page.MutationObserver(drawn).observe(page.document, { subtree: true, childList: true, attributes: true });
}

function line(name: string, { opened, typed }: Times): string {
  const seconds = (opened.reduce((sum, one) => sum + one, 0) / opened.length / 1000).toFixed(1);
  return `| ${name} | ${(at(opened, 0.5) / 1000).toFixed(1)} (mean ${seconds}) | ${at(typed, 0.5).toFixed(0)} | ${at(typed, 0.95).toFixed(0)} |`;
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function main(ruff: string, rounds: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "adal-bench-"));
  const client = await packRuffClient(ruff, folder);
  const ours = await startCodeServer({ extension: VSIX });
  const theirs = await startCodeServer({ extension: client });
  const browser = await launchBrowser();
  setMachineSettings(ours, { "adal.hostInterpreter": HOST_PYTHON });
  const loads: number[] = [];
  const times = { ours: { opened: [], typed: [] }, theirs: { opened: [], typed: [] } };
  try {
    for (let number = 0; number < rounds; number++) {
      loads.push(loadavg()[0] ?? 0);
      await round(browser, ours, times.ours);
      await round(browser, theirs, times.theirs);
      console.error(`round ${number + 1} of ${rounds}`);
    }
  } finally {
    await browser.close();
    await stopCodeServer(ours);
    await stopCodeServer(theirs);
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `${rounds} rounds of ${KEYSTROKES} keystrokes; load average ${loads.map((one) => one.toFixed(1)).join(", ")}`,
  );
  console.log("| | address → first mark (s) | keystroke → mark, median (ms) | 95 % (ms) |\n|---|---|---|---|");
  console.log(line("adal-ls", times.ours));
  console.log(line("ruff server", times.theirs));
}

const [ruff, rounds = "5"] = process.argv.slice(2);
if (!ruff) throw new Error("Name the ruff to compare with: node test/bench/latency.ts /path/to/ruff");
await main(path.resolve(ruff), Number(rounds));
