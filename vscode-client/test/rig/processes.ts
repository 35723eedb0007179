import { spawnSync } from "node:child_process";
import type { CodeServer } from "./codeServer.ts";

/** Language servers of the extension that is installed there, oldest first. */
export function serverProcesses(server: CodeServer): number[] {
  return matching(`${server.state}/ext/.*/bundled/serve\\.py`);
}

/** Agent hosts below these processes. */
export function hostProcesses(parents: readonly number[]): number[] {
  const hosts = matching("-I -m adal_ls\\.agent");
  const { stdout } = spawnSync("ps", ["-o", "pid=,ppid=", "-p", hosts.join(",") || "0"], { encoding: "utf-8" });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent !== undefined && parents.includes(parent))
    .map(([pid]) => Number(pid));
}

function matching(pattern: string): number[] {
  const { stdout } = spawnSync("pgrep", ["-f", "--", pattern], { encoding: "utf-8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}
