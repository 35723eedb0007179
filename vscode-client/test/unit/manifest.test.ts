import { readFileSync } from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";
import { CLIENT } from "../rig/paths.ts";

interface Manifest {
  readonly main: string;
  readonly browser?: string;
  readonly extensionKind: readonly string[];
  readonly capabilities: Readonly<Record<string, { supported: boolean | string; description: string }>>;
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, { scope: string }>> };
    readonly commands: readonly { command: string; icon?: string }[];
    readonly tomlValidation?: unknown;
  };
}

const manifest = JSON.parse(readFileSync(path.join(CLIENT, "package.json"), "utf-8")) as Manifest;
const { properties } = manifest.contributes.configuration;

/** They name a program, choose who is told what, or let more run, or run longer: a folder's own files may not set them. */
const ONLY_THE_PERSON = [
  "adal.interpreter",
  "adal.hostInterpreter",
  "adal.model",
  "adal.permissionMode",
  "adal.enabledDefaultTools",
  "adal.disabledDefaultTools",
  "adal.allowUnsandboxedBash",
  "adal.loadSeconds",
  "adal.toolSeconds",
  "adal.logLevel",
];

test("settings that widen what may run are the person's alone; a folder may set what the lint says, and no more", () => {
  const byScope = (scope: string) => Object.keys(properties).filter((name) => properties[name]?.scope === scope);
  expect(byScope("machine").sort()).toEqual([...ONLY_THE_PERSON].sort());
  expect(byScope("resource").sort()).toEqual(["adal.lint.ignore", "adal.lint.select", "adal.lint.severity"]);
  expect(Object.keys(properties)).toHaveLength(ONLY_THE_PERSON.length + 3);
});

test("it runs where the files are, and not in a browser alone", () => {
  expect(manifest.extensionKind).toEqual(["workspace"]);
  expect(manifest.browser).toBeUndefined();
  expect(manifest.main).toBeDefined();
  const nls = JSON.parse(readFileSync(path.join(CLIENT, "package.nls.json"), "utf-8")) as Record<string, string>;
  const saying = (kind: string) => nls[manifest.capabilities[kind]?.description.slice(1, -1) ?? ""];
  expect(manifest.capabilities.virtualWorkspaces?.supported).toBe(false);
  expect(saying("virtualWorkspaces")).toMatch(/disk/);
  expect(manifest.capabilities.untrustedWorkspaces?.supported).toBe("limited");
  expect(saying("untrustedWorkspaces")).toMatch(/never imported/);
});

test("icons have the colours of the theme", () => {
  for (const { icon } of manifest.contributes.commands) if (icon) expect(icon).toMatch(/^\$\([a-z-]+\)$/);
  const svg = readFileSync(path.join(CLIENT, "media", "adal.svg"), "utf-8"); // the editor takes its shape as a mask
  expect(svg).not.toMatch(/(fill|stroke)="#/);
});
