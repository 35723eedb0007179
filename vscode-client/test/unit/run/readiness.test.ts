import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readinessOf, runtimeMissing } from "../../../src/run/readiness.ts";

const RUNNING = { kind: "running", python: "python3", pythonVersion: "3.11", version: "0.1.0" } as const;

test("runs are offered only by a running server in a trusted folder", () => {
  expect(readinessOf(RUNNING, true).kind).toBe("ready");
  expect(readinessOf(RUNNING, false).kind).toBe("untrusted");
  expect(readinessOf({ kind: "starting" }, true).kind).toBe("starting");
});

test("every state that blocks runs offers a command that the extension has", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  const known = manifest.contributes.commands.map(({ command }: { command: string }) => command);
  for (const state of [
    readinessOf({ kind: "noPython", reason: "none found" }, true),
    readinessOf({ kind: "oldPython", reason: "3.8" }, true),
    readinessOf({ kind: "stopped", reason: "crashed" }, true),
    runtimeMissing(),
  ]) {
    expect(state.kind === "blocked" && known).toContain(state.kind === "blocked" && state.action?.command);
  }
});
