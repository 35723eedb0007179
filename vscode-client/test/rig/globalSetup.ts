import { rmSync } from "node:fs";
import * as path from "node:path";
import type { TestProject } from "vitest/node";
import { type CodeServer, freePort, startCodeServer, stopCodeServer } from "./codeServer.ts";
import { KEPT, VSIX } from "./paths.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Every folder is trusted. */
    trusting: CodeServer;
    /** Where agents look for the server of `openai/…` models; nothing listens there until a test starts one. */
    modelPort: number;
    /** Folders open in Restricted Mode. */
    restricting: CodeServer;
  }
}

/** Two servers with the packed extension serve all end-to-end tests; their logs are kept. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  rmSync(KEPT, { recursive: true, force: true });
  const modelPort = await freePort();
  const env = {
    OPENAI_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    OPENAI_API_KEY: "none",
    OLLAMA_API_BASE: "http://127.0.0.1:9",
  };
  const [trusting, restricting] = await Promise.all([
    startCodeServer({ extension: VSIX, env }),
    startCodeServer({ extension: VSIX, trust: true }),
  ]);
  project.provide("modelPort", modelPort);
  project.provide("trusting", trusting);
  project.provide("restricting", restricting);
  return async () => {
    await stopCodeServer(trusting, path.join(KEPT, "logs", "trusting"));
    await stopCodeServer(restricting, path.join(KEPT, "logs", "restricting"));
  };
}
