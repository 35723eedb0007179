import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Editor } from "./editor.ts";
import { KEPT, ROOT } from "./paths.ts";
import type { Workspace } from "./workspace.ts";

const IMAGES = path.join(ROOT, "docs", "images");
const THEMES = ["light", "dark", "contrast"] as const;
type Theme = (typeof THEMES)[number];

const GROUND: Readonly<Record<Theme, string>> = {
  light: ".monaco-workbench.vs",
  dark: ".monaco-workbench.vs-dark",
  contrast: ".monaco-workbench.hc-black",
};

/** A window of the size that the guides show. */
export function pictureContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1120, height: 780 }, reducedMotion: "reduce", colorScheme: "dark" });
}

/** The parts of a window that a picture can be of. */
export const PARTS = {
  sidebar: ".part.sidebar",
  editor: ".part.editor",
  window: ".monaco-workbench",
} as const;

/**
 * Takes one part of the window in three themes, as `docs/images/NAME.webp`: the sidebar three times side by side, a
 * larger part once large and dark, with the other two small below.
 */
export async function takeThemes(
  editor: Editor,
  workspace: Workspace,
  name: string,
  part: keyof typeof PARTS,
): Promise<void> {
  const shots: Buffer[] = [];
  for (const theme of THEMES) {
    await wear(editor.page, workspace, theme);
    shots.push(await shot(editor.page, part));
  }
  await wear(editor.page, workspace, "dark");
  const [light, dark, contrast] = shots as [Buffer, Buffer, Buffer];
  if (part === "sidebar") return compose(editor.page, name, [[light, dark, contrast]], 1);
  return compose(editor.page, name, [[dark], [light, contrast]], 840);
}

/** Takes one part of the window as it is. */
export async function take(editor: Editor, name: string, part: keyof typeof PARTS, width = 840): Promise<void> {
  await compose(editor.page, name, [[await shot(editor.page, part)]], width);
}

async function wear(page: Page, workspace: Workspace, theme: Theme): Promise<void> {
  if (theme === "contrast") {
    workspace.write(".vscode/settings.json", '{"workbench.preferredDarkColorTheme": "Default High Contrast"}');
  } else {
    rmSync(workspace.path(".vscode"), { recursive: true, force: true });
  }
  await page.emulateMedia({ colorScheme: theme === "light" ? "light" : "dark" });
  await page.locator(GROUND[theme]).waitFor();
  await page.waitForTimeout(700); // views take the colours over one after the other
}

async function shot(page: Page, part: keyof typeof PARTS): Promise<Buffer> {
  await page.mouse.move(560, 778); // where nothing has a hover
  await page.waitForTimeout(200);
  return page.locator(PARTS[part]).first().screenshot({ caret: "hide" });
}

/**
 * Puts pictures into rows of one width (in pixels; 1: as wide as they are). Without loss: words in a picture stay
 * sharp, and plain grounds cost little.
 */
async function compose(window: Page, name: string, rows: readonly Buffer[][], width: number): Promise<void> {
  const page = await window.context().newPage();
  try {
    const draw = `async ([rows, wanted]) => {
      const gap = 8;
      const load = async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        return image;
      };
      const placed = [];
      let top = 0;
      let right = 0;
      for (const sources of rows) {
        const images = await Promise.all(sources.map(load));
        const natural = images.reduce((sum, image) => sum + image.width, 0);
        const scale = wanted === 1 ? 1 : (wanted - gap * (images.length - 1)) / natural;
        let left = 0;
        let bottom = top;
        for (const image of images) {
          const [width, height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
          placed.push([image, left, top, width, height]);
          left += width + gap;
          bottom = Math.max(bottom, top + height);
        }
        right = Math.max(right, left - gap);
        top = bottom + gap;
      }
      const canvas = document.createElement("canvas");
      canvas.width = right;
      canvas.height = top - gap;
      const pen = canvas.getContext("2d");
      pen.imageSmoothingQuality = "high";
      for (const [image, ...box] of placed) pen.drawImage(image, ...box);
      return [canvas.toDataURL("image/webp", 1), canvas.toDataURL("image/png")];
    }`;
    const sources = rows.map((row) => row.map((each) => `data:image/png;base64,${each.toString("base64")}`));
    const [webp = "", png = ""] = (await page.evaluate(`(${draw})(${JSON.stringify([sources, width])})`)) as string[];
    for (const [folder, file, data] of [
      [IMAGES, `${name}.webp`, webp],
      [KEPT, `${name}.png`, png],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, file), Buffer.from(data.split(",")[1] ?? "", "base64"));
    }
  } finally {
    await page.close();
  }
}
