import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { HOST_PYTHON, ROOT } from "./paths.ts";

/** One answer of the model; tests/model_server says what it may hold. */
export type Turn = Readonly<Record<string, unknown>>;

/** Serves `turns` as the models `openai/…` until it is disposed of. `script` is a file that it may write. */
export async function serveModel(port: number, script: string, turns: readonly Turn[]): Promise<AsyncDisposable> {
  writeFileSync(script, JSON.stringify(turns));
  const child = spawn(HOST_PYTHON, ["-m", "tests.model_server", script, String(port)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data"); // its address, once it listens
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}
