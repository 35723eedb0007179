import * as assert from "node:assert/strict";
import { commands, extensions, languages, type TextDocument, Uri, window, workspace } from "vscode";
import type { Client } from "../../src/client.ts";
import type { ServerState } from "../../src/connection.ts";
import type { Services } from "../../src/services.ts";

const extension = () => {
  const found = extensions.getExtension<Services>("adal-ls.adal-ls");
  assert.ok(found);
  return found;
};

async function services(): Promise<Services> {
  const found = await extension().activate();
  assert.ok(found, "the services are there in tests only");
  return found;
}

async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  const end = Date.now() + 10_000;
  while (Date.now() < end) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not seen within 10 s: ${what}`);
}

async function running(): Promise<Extract<ServerState, { kind: "running" }>> {
  const { connection } = await services();
  return until("the server runs", () => (connection.state.kind === "running" ? connection.state : undefined));
}

async function openTools(): Promise<TextDocument> {
  const [folder] = workspace.workspaceFolders ?? [];
  assert.ok(folder);
  const document = await workspace.openTextDocument(Uri.joinPath(folder.uri, ".adal", "tools.py"));
  await window.showTextDocument(document);
  return document;
}

const codes = (document: TextDocument) =>
  languages.getDiagnostics(document.uri).map(({ code }) => (typeof code === "object" ? code.value : code));

describe("the extension in its host", () => {
  it("runs the bundled server of its own version on a Python of 3.10 or newer", async () => {
    const state = await running();
    assert.equal(state.version, extension().packageJSON.version);
    assert.match(state.pythonVersion, /^3\.1\d\./);
  });

  it("registers every command of its manifest", async () => {
    await services();
    const registered = new Set(await commands.getCommands(true));
    const contributed: { command: string }[] = extension().packageJSON.contributes.commands;
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });

  it("shows each finding once", async () => {
    await running();
    const document = await openTools();
    await until("a finding", () => codes(document).length > 0);
    assert.deepEqual(codes(document), ["ADAL101"]);
  });

  it("keeps handlers across a restart of the server", async () => {
    const { connection } = await services();
    await running();
    let heard = 0;
    const subscription = connection.onNotification("adal/tools/changed", () => heard++);
    await commands.executeCommand("adal.restartServer");
    await until("a notification of the new server", () => heard > 0);
    subscription.dispose();
    const { projects } = await connection.request("adal/tools/list", {});
    assert.deepEqual(
      projects
        .flatMap((project) => project.tools ?? [])
        .filter((tool) => tool.kind !== "builtin")
        .map((tool) => tool.name)
        .sort(),
      ["bad-name", "f"],
    );
  });

  it("starts the server twice at most for a burst of restarts", async () => {
    const { connection } = await services();
    await running();
    let starts = 0;
    const subscription = connection.onDidChangeState((state) => {
      if (state.kind === "starting") starts++;
    });
    await Promise.all(Array.from({ length: 6 }, () => commands.executeCommand("adal.restartServer")));
    subscription.dispose();
    assert.equal(starts, 2);
    assert.equal(connection.state.kind, "running");
  });

  it("does not restart the server when a setting that it can be told changes", async () => {
    const { connection } = await services();
    await running();
    const document = await openTools();
    let starts = 0;
    const subscription = connection.onDidChangeState(() => starts++);
    const section = workspace.getConfiguration("adal", document.uri);
    await section.update("lint.severity", { ADAL301: "error" }, false);
    await section.update("lint.severity", undefined, false);
    await new Promise((resolve) => setTimeout(resolve, 500));
    subscription.dispose();
    assert.equal(starts, 0);
  });

  it("answers a request of the server once: a second answerer is refused", async () => {
    const client = (await services()).connection as Client;
    assert.throws(
      () => client.onRequest("adal/approval/request", () => Promise.reject(new Error("never called"))),
      /has an answerer already/,
    );
  });
});
