import { readdirSync } from "node:fs";
import * as path from "node:path";
import { format } from "node:util";
import Mocha from "mocha";

/** Called by VS Code in the extension host; rejects when a test failed. */
export async function run(): Promise<void> {
  // What reaches the driver is the format string alone, so it is filled in here.
  const write = console.log;
  console.log = (...args: unknown[]) => write(format(...args));
  const mocha = new Mocha({ ui: "bdd", timeout: 20_000, reporter: "spec", color: false });
  for (const name of readdirSync(__dirname)) {
    if (name.endsWith(".test.js")) mocha.addFile(path.join(__dirname, name));
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests failed in the extension host`);
}
