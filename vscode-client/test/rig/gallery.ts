import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
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
  return browser.newContext({ viewport: { width: 1120, height: 740 }, reducedMotion: "reduce", colorScheme: "dark" });
}

/** The parts of a window that a picture can be of. */
export const PARTS = {
  sidebar: ".part.sidebar",
  editor: ".part.editor",
  window: ".monaco-workbench",
} as const;

/** Takes one part of the window in the light, the dark and the high contrast theme, side by side, as `docs/images/NAME.webp`. */
export async function takeThemes(
  editor: Editor,
  workspace: Workspace,
  name: string,
  part: keyof typeof PARTS | Locator,
  scale = 1,
): Promise<void> {
  const shots: Buffer[] = [];
  for (const theme of THEMES) {
    await wear(editor.page, workspace, theme);
    shots.push(await shot(editor.page, part));
  }
  await wear(editor.page, workspace, "dark");
  await compose(editor.page, name, shots, scale);
}

/** Takes one part of the window as it is. */
export async function take(editor: Editor, name: string, part: keyof typeof PARTS | Locator, scale = 1): Promise<void> {
  await compose(editor.page, name, [await shot(editor.page, part)], scale);
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

async function shot(page: Page, part: keyof typeof PARTS | Locator): Promise<Buffer> {
  const place = typeof part === "string" ? page.locator(PARTS[part]).first() : part;
  return place.screenshot({ caret: "hide" });
}

/** Puts pictures side by side. Without loss: words in a picture stay sharp, and plain grounds cost little. */
async function compose(window: Page, name: string, shots: readonly Buffer[], scale: number): Promise<void> {
  const page = await window.context().newPage();
  try {
    const draw = `async ([sources, scale]) => {
      const images = await Promise.all(sources.map(async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        return image;
      }));
      const gap = images.length > 1 ? 8 : 0;
      const canvas = document.createElement("canvas");
      canvas.width = images.reduce((width, image) => width + Math.round(image.width * scale) + gap, -gap);
      canvas.height = Math.round(Math.max(...images.map((image) => image.height)) * scale);
      const pen = canvas.getContext("2d");
      pen.imageSmoothingQuality = "high";
      let left = 0;
      for (const image of images) {
        const width = Math.round(image.width * scale);
        pen.drawImage(image, left, 0, width, Math.round(image.height * scale));
        left += width + gap;
      }
      return [canvas.toDataURL("image/webp", 1), canvas.toDataURL("image/png")];
    }`;
    const sources = shots.map((each) => `data:image/png;base64,${each.toString("base64")}`);
    const [webp = "", png = ""] = (await page.evaluate(`(${draw})(${JSON.stringify([sources, scale])})`)) as string[];
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
