// Runs `dist/test/host` inside a real extension host. Exit code 0 when every test passed.
import * as path from "node:path";
import { setMachineSettings, startCodeServer, stopCodeServer } from "./codeServer.ts";
import { launchBrowser } from "./editor.ts";
import { CLIENT, HOST_PYTHON, KEPT } from "./paths.ts";
import { Workspace } from "./workspace.ts";

const LIMIT_MS = 90_000;

const TOOLS = `def f(x: str) -> str:
    """Do f."""
    return x


CUSTOM_TOOLS = [{"function": f, "name": "bad-name"}, {"function": f, "require_approval": False}]
`;

// The workbench's own reports; none of them is about the extension.
const NOISE =
  /gallery|open-vsx|socket|grace-time|Agent|Account|Service Worker|builtin ext|onnection token|authentication provider|vsda/;

async function main(): Promise<number> {
  using workspace = new Workspace({ ".adal/tools.py": TOOLS });
  // A built VS Code takes the place of the tests from its address only with this driver.
  const server = await startCodeServer({ vscodeOptions: ["enable-smoke-test-driver"] });
  setMachineSettings(server, { "adal.hostInterpreter": HOST_PYTHON });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    let timer: NodeJS.Timeout | undefined;
    const code = new Promise<number>((resolve) => {
      void page.exposeFunction("codeAutomationExit", resolve);
      timer = setTimeout(() => {
        console.error(`The tests in the extension host did not end within ${LIMIT_MS / 1000} s.`);
        resolve(1);
      }, LIMIT_MS);
    });
    await page.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) => {
      if (!NOISE.test(String(args[0]))) console.log(...args);
    });
    const authority = `127.0.0.1:${server.port}`;
    const payload = JSON.stringify([
      ["extensionDevelopmentPath", `vscode-remote://${authority}${CLIENT}`],
      ["extensionTestsPath", `vscode-remote://${authority}${CLIENT}/dist/test/host/index.js`],
    ]);
    const query = `?folder=${encodeURIComponent(workspace.folder)}&payload=${encodeURIComponent(payload)}`;
    await page.goto(`http://${authority}/${query}`);
    const result = await code;
    clearTimeout(timer);
    if (result !== 0) await page.screenshot({ path: path.join(KEPT, "failed host tests.png") });
    return result;
  } finally {
    await browser.close();
    await stopCodeServer(server, path.join(KEPT, "logs", "host"));
  }
}

process.exitCode = await main();
