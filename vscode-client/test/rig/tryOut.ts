// Opens a workspace in VS Code in the browser: `node test/rig/tryOut.ts [FOLDER]`. Ctrl+C ends it.
import { existsSync } from "node:fs";
import * as path from "node:path";
import { setMachineSettings, startCodeServer, stopCodeServer } from "./codeServer.ts";
import { HOST_PYTHON, ROOT, VSIX } from "./paths.ts";

const folder = path.resolve(process.argv[2] ?? path.join(ROOT, "examples", "workspace"));
if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
const port = process.env.PORT ? Number(process.env.PORT) : undefined;

const server = await startCodeServer({ extension: VSIX, trust: true, ...(port && { port }) });
// Agents run from this repository's own environment, so that nothing is downloaded.
if (existsSync(HOST_PYTHON)) setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
const address = `http://127.0.0.1:${server.port}/?folder=${encodeURIComponent(folder)}`;
console.log(
  `VS Code with the extension: ${address}\nThe folder opens in Restricted Mode; trust it to run agents. Ctrl+C ends.`,
);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopCodeServer(server).then(() => process.exit(0)));
}
