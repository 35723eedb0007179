import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

export const CLIENT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const ROOT = path.dirname(CLIENT);
/** Filled by `setup.py`. */
export const CACHE = path.join(ROOT, ".artifacts", "vscode");
export const VSIX = path.join(CACHE, "adal-ls.vsix");
/** Screenshots and logs of the last run; kept when tests fail and when they pass. */
export const KEPT = path.join(ROOT, ".artifacts", "e2e");
/** Interpreter with the full package, as `make` sets it up. */
export const HOST_PYTHON = path.join(ROOT, ".venv", "bin", "python");

/** The interpreter that `HOST_PYTHON`'s environment was made from: it has no packages of ours. */
export function barePython(): string {
  const program = "import sys; print(sys._base_executable)";
  return execFileSync(HOST_PYTHON, ["-I", "-c", program], { encoding: "utf-8" }).trim();
}

export function chromiumPath(): string {
  const named = process.env.ADAL_CHROMIUM;
  if (named) return named;
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const found = (process.env.PATH ?? "")
    .split(path.delimiter)
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (!found) throw new Error("No Chromium found: run `make vscode-setup`, or set ADAL_CHROMIUM.");
  return found;
}
