import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame } from "playwright-core";
import type { Editor } from "./editor.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");

/** What axe-core, which is evaluated in the page, has there. */
interface Axe {
  axe: { run(context: unknown, options: object): Promise<{ violations: Violation[] }> };
  document: unknown;
}

interface Violation {
  readonly id: string;
  readonly impact?: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The serious and critical findings of axe-core in the innermost page of the webview that is shown, as texts. */
export async function seriousFindings(editor: Editor): Promise<string[]> {
  const frame = await innermost(editor);
  await frame.evaluate(AXE);
  const violations = await frame.evaluate(async () => {
    const page = globalThis as unknown as Axe;
    return (await page.axe.run(page.document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id} (${help}): ${node.html}\n${node.failureSummary ?? ""}`),
    );
}

export async function innermost(editor: Editor): Promise<Frame> {
  const handle = await editor.webview().owner().elementHandle();
  const frame = await handle?.contentFrame();
  if (!frame) throw new Error("The webview has no page.");
  return frame;
}
