import { rmSync } from "node:fs";
import * as path from "node:path";
import type { TestProject } from "vitest/node";
import { type CodeServer, startCodeServer, stopCodeServer } from "./codeServer.ts";
import { KEPT, VSIX } from "./paths.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Every folder is trusted. */
    trusting: CodeServer;
    /** Folders open in Restricted Mode. */
    restricting: CodeServer;
  }
}

/** Two servers with the packed extension serve all end-to-end tests; their logs are kept. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  rmSync(KEPT, { recursive: true, force: true });
  const [trusting, restricting] = await Promise.all([
    startCodeServer({ extension: VSIX }),
    startCodeServer({ extension: VSIX, trust: true }),
  ]);
  project.provide("trusting", trusting);
  project.provide("restricting", restricting);
  return async () => {
    await stopCodeServer(trusting, path.join(KEPT, "logs", "trusting"));
    await stopCodeServer(restricting, path.join(KEPT, "logs", "restricting"));
  };
}
