import type { CancellationToken, Disposable, Event } from "vscode";
import type { EditorNotifications, EditorRequests, ServerNotifications, ServerRequests } from "./protocol.ts";

/** Why the language server answers or does not. `reason` is a sentence for the person. */
export type ServerState =
  | { kind: "starting" }
  | { kind: "running"; python: string; pythonVersion: string; version: string }
  | { kind: "noPython"; reason: string }
  | { kind: "oldPython"; reason: string }
  | { kind: "stopped"; reason: string };

/**
 * The typed way to the language server. Handlers stay registered across restarts of the server; requests made while
 * it does not run fail with an error that says so.
 */
export interface Connection {
  readonly state: ServerState;
  readonly onDidChangeState: Event<ServerState>;

  request<M extends keyof EditorRequests>(
    method: M,
    params: EditorRequests[M]["params"],
    token?: CancellationToken,
  ): Promise<EditorRequests[M]["result"]>;

  notify<M extends keyof EditorNotifications>(method: M, params: EditorNotifications[M]): Promise<void>;

  onNotification<M extends keyof ServerNotifications>(
    method: M,
    handler: (params: ServerNotifications[M]) => void,
  ): Disposable;

  /** One handler per method: a request has exactly one answer. */
  onRequest<M extends keyof ServerRequests>(
    method: M,
    handler: (params: ServerRequests[M]["params"], token: CancellationToken) => Promise<ServerRequests[M]["result"]>,
  ): Disposable;
}
