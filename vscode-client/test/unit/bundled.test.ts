import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { CLIENT } from "../rig/paths.ts";

const SERVE = path.join(CLIENT, "bundled", "serve.py");

/** Every CPython of this machine, by its minor version; the one of PATH at least. */
function pythons(): [version: string, file: string][] {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), `${homedir()}/.pyenv/versions/*/bin`];
  const found = new Map<string, string>();
  for (const file of folders.flatMap((folder) => globSync(`${folder}/python3*`))) {
    if (!/python3(\.\d+)?$/.test(file)) continue;
    const { stdout } = spawnSync(file, ["-I", "-c", "import sys; print('3.%d' % sys.version_info[1])"], {
      encoding: "utf-8",
      timeout: 10_000,
    });
    if (stdout?.startsWith("3.")) found.set(stdout.trim(), file);
  }
  return [...found].sort(([a], [b]) => Number(a.slice(2)) - Number(b.slice(2)));
}

const all = pythons();
const supported = all.filter(([version]) => Number(version.slice(2)) >= 10);
const old = all.filter(([version]) => Number(version.slice(2)) < 10);

test("there is a Python to try", () => {
  expect(supported.length).toBeGreaterThan(0);
});

test.each(supported)(
  "Python %s runs the bundled server without any installed package",
  async (_version, file) => {
    const folder = mkdtempSync(path.join(tmpdir(), "adal-bundled-"));
    const tools = path.join(folder, ".adal", "tools.py");
    mkdirSync(path.dirname(tools));
    const text = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\nCUSTOM_TOOLS = [f]\n';
    writeFileSync(tools, text);
    const child = spawn(file, ["-I", SERVE], { cwd: tmpdir() });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    try {
      connection.listen();
      const uri = pathToFileURL(tools).href;
      const initialized = await connection.sendRequest("initialize", {
        processId: process.pid,
        rootUri: pathToFileURL(folder).href,
        capabilities: {},
        initializationOptions: { trusted: false, hostPython: null },
      });
      expect(initialized).toMatchObject({ serverInfo: { name: "adal-ls", version: "0.1.0" } });
      await connection.sendNotification("initialized", {});
      const textDocument = { uri, languageId: "python", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
      // A hover is answered by the bundled pygls, lsprotocol and cattrs.
      const hover = await connection.sendRequest("textDocument/hover", {
        textDocument: { uri },
        position: { line: 0, character: 4 },
      });
      expect(JSON.stringify(hover)).toContain("Do f.");
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      expect(await ended).toBe(0);
    } finally {
      child.kill("SIGKILL");
      connection.dispose();
      rmSync(folder, { recursive: true });
    }
  },
  20_000,
);

test.each(old)("Python %s says that it is too old", (version, file) => {
  const { status, stderr } = spawnSync(file, ["-I", SERVE], { encoding: "utf-8", input: "" });
  expect(status).toBe(1);
  expect(stderr).toContain(`AdaL needs Python 3.10 or newer; this is Python ${version}`);
});
