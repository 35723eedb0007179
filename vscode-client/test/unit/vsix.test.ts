import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { HOST_PYTHON, VSIX } from "../rig/paths.ts";

const files = execFileSync(
  HOST_PYTHON,
  ["-I", "-c", `import zipfile; print(*zipfile.ZipFile(${JSON.stringify(VSIX)}).namelist(), sep="\\n")`],
  {
    encoding: "utf-8",
  },
).split("\n");

test("the .vsix has at most 4 MB", () => {
  expect(statSync(VSIX).size).toBeLessThanOrEqual(4 * 1024 * 1024);
});

test("it brings the extension, its view, the server with its libraries and the wheel for agent runs", () => {
  for (const wanted of [
    /^extension\/dist\/extension\.js$/,
    /^extension\/dist\/webview\.js$/,
    /^extension\/dist\/try\.js$/,
    /^extension\/bundled\/serve\.py$/,
    /^extension\/bundled\/libs\/adal_ls\/server\//,
    /^extension\/bundled\/libs\/pygls\//,
    /^extension\/bundled\/libs\/tomli\//,
    /^extension\/bundled\/wheels\/adal_ls-.*-py3-none-any\.whl$/,
  ]) {
    expect(files.filter((file) => wanted.test(file))).not.toEqual([]);
  }
});

test("it brings nothing that is native, made on this machine or only for development", () => {
  expect(files.filter((file) => /\.(so|pyd|dll|dylib|map|ts)$|__pycache__|node_modules|\/test\//.test(file))).toEqual(
    [],
  );
});
