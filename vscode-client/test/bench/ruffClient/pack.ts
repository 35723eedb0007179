import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import * as path from "node:path";
import * as esbuild from "esbuild";
import { CLIENT } from "../../rig/paths.ts";

/** Packs the client for the `ruff` of that path as a .vsix in `folder`. */
export async function packRuffClient(ruff: string, folder: string): Promise<string> {
  const built = path.join(folder, "ruff-client");
  mkdirSync(built, { recursive: true });
  const source = path.join(CLIENT, "test", "bench", "ruffClient");
  cpSync(path.join(source, "package.json"), path.join(built, "package.json"));
  await esbuild.build({
    entryPoints: [path.join(source, "extension.ts")],
    outfile: path.join(built, "extension.js"),
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    define: { RUFF: JSON.stringify(ruff) },
    logLevel: "warning",
  });
  const file = path.join(folder, "ruff-client.vsix");
  const vsce = path.join(CLIENT, "node_modules", "@vscode", "vsce", "vsce");
  const options = ["--no-dependencies", "--skip-license", "--allow-missing-repository", "--out", file];
  execFileSync(process.execPath, [vsce, "package", ...options], { cwd: built, stdio: ["ignore", "ignore", "inherit"] });
  return file;
}
