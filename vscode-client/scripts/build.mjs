// Bundles the extension, the webview and the in-host tests. `--production` minifies, `--watch` rebuilds on change.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const production = process.argv.includes("--production");

/** @type {import("esbuild").BuildOptions} */
const common = { absWorkingDir: root, bundle: true, minify: production, sourcemap: !production, logLevel: "warning" };

/** @type {import("esbuild").BuildOptions[]} */
const bundles = [
  {
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
];

/** @type {[string, string][]} */
const pages = [
  ["webview/main.ts", "dist/webview.js"],
  ["webview/try/main.ts", "dist/try.js"],
];
for (const [entry, outfile] of pages) {
  bundles.push({
    ...common,
    entryPoints: [entry],
    outfile,
    platform: "browser",
    format: "iife",
    target: "chrome122",
    loader: { ".ttf": "file" },
    assetNames: "[name]",
  });
}

const hostTests = existsSync(`${root}/test/host`)
  ? readdirSync(`${root}/test/host`).filter((name) => name.endsWith(".ts"))
  : [];
if (!production && hostTests.length > 0) {
  bundles.push({
    ...common,
    entryPoints: hostTests.map((name) => `test/host/${name}`),
    outdir: "dist/test/host",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode", "mocha"], // mocha loads its own files at run time
  });
}

if (process.argv.includes("--watch")) {
  for (const bundle of bundles) await (await esbuild.context(bundle)).watch();
} else {
  await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
}
