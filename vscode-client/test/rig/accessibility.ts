import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, FrameLocator } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");

/** What axe-core, which is evaluated in the page, has there. */
interface Axe {
  axe: { run(context: unknown, options: object): Promise<{ violations: Violation[] }> };
  document: { body: { style: { background: string } } };
}

interface Violation {
  readonly id: string;
  readonly impact?: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The serious and critical findings of axe-core in the page of a webview, as texts. */
export async function seriousFindings(page: FrameLocator): Promise<string[]> {
  const frame = await innermost(page);
  await frame.evaluate(AXE);
  const violations = await frame.evaluate(async () => {
    const page = globalThis as unknown as Axe;
    // The page lets the editor's side bar show through, which axe takes for white.
    page.document.body.style.background = "var(--vscode-sideBar-background)";
    return (await page.axe.run(page.document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id} (${help}): ${node.html}\n${node.failureSummary ?? ""}`),
    );
}

export async function innermost(page: FrameLocator): Promise<Frame> {
  const handle = await page.owner().elementHandle();
  const frame = await handle?.contentFrame();
  if (!frame) throw new Error("The webview has no page.");
  return frame;
}
