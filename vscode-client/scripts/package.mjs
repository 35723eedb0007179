// Packs `.artifacts/vscode/adal-ls.vsix` from what build.mjs and bundle.py made, and refuses one that is too large.
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const LIMIT = 4 * 1024 * 1024; // bytes; a colleague installs it over a slow line

const client = fileURLToPath(new URL("..", import.meta.url));
const file = path.resolve(client, "..", ".artifacts", "vscode", "adal-ls.vsix");
mkdirSync(path.dirname(file), { recursive: true });
const vsce = path.join(client, "node_modules", "@vscode", "vsce", "vsce");
execFileSync(process.execPath, [vsce, "package", "--no-dependencies", "--skip-license", "--out", file], {
  cwd: client,
  stdio: ["ignore", "ignore", "inherit"],
});
const { size } = statSync(file);
if (size > LIMIT) throw new Error(`${file} has ${size} bytes; ${LIMIT} are allowed`);
console.log(`${file} (${(size / 1024).toFixed(0)} KB)`);
