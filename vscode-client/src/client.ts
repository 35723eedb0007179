import { t } from "@vscode/l10n";
import { type CancellationToken, Disposable, EventEmitter, type LogOutputChannel, languages, workspace } from "vscode";
import {
  CloseAction,
  CodeLensRequest,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Connection, ServerState } from "./connection.ts";
import type { EditorNotifications, EditorRequests, ServerNotifications, ServerRequests } from "./protocol.ts";
import { CrashWindow, coalesced } from "./restart.ts";
import { type Launch, sameLaunch } from "./server.ts";

/** Documents that the server looks at. Other schemes (a diff's left side, an unsaved buffer) are not on disk. */
export const TOOLS_FILES = [{ scheme: "file", language: "python", pattern: "**/.adal/tools.py" }];

/** Those, and agents files: their text is checked, and a save of one is a person's, so that it is loaded at once. */
const PROJECT_FILES = [...TOOLS_FILES, { scheme: "file", language: "python", pattern: "**/.adal/agents.py" }];

/** Handlers as the client library takes them; `Connection` types them by method. */
// biome-ignore lint/suspicious/noExplicitAny: what arrives is typed by the generated protocol, not checked here.
type Hear = (params: any) => void;
// biome-ignore lint/suspicious/noExplicitAny: as above.
type Answer = (params: any, token: CancellationToken) => Promise<any>;

type Resolve = () => Promise<Launch | Extract<ServerState, { kind: "noPython" | "oldPython" }>>;

/** Owns the language client: one process at a time, started anew when it ends by itself. */
export class Client implements Connection, Disposable {
  private readonly states = new EventEmitter<ServerState>();
  private readonly crashes = new CrashWindow();
  private readonly notificationHandlers = new Map<string, Set<Hear>>();
  private readonly requestHandlers = new Map<string, Answer>();
  private readonly closed = new WeakSet<LanguageClient>();
  private client: LanguageClient | undefined;
  private launch: Launch | undefined;
  private disposed = false;
  private current: ServerState = { kind: "starting" };

  readonly onDidChangeState = this.states.event;

  constructor(
    private readonly resolve: Resolve,
    private readonly log: LogOutputChannel,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  /** What the running server was started with. */
  get launched(): Launch | undefined {
    return this.launch;
  }

  /** Starts the server, or starts it anew. Never rejects: the outcome is the state. */
  readonly restart = coalesced(() => this.startAnew());

  /** By a person's command: earlier crashes no longer count. */
  restartByHand(): Promise<void> {
    this.crashes.reset();
    return this.restart();
  }

  /** Restarts only if the server would be another one than the one that runs. */
  readonly reconcile = coalesced(async () => {
    const wanted = await this.resolve();
    const alive = this.isRunning() || this.current.kind === "starting";
    if (alive && wanted.kind === "launch" && this.launch && sameLaunch(wanted, this.launch)) return;
    await this.restart();
  });

  async request<M extends keyof EditorRequests>(
    method: M,
    params: EditorRequests[M]["params"],
    token?: CancellationToken,
  ): Promise<EditorRequests[M]["result"]> {
    const client = this.running();
    // An argument that is undefined would count as a second positional parameter.
    return token ? client.sendRequest(method, params, token) : client.sendRequest(method, params);
  }

  async notify<M extends keyof EditorNotifications>(method: M, params: EditorNotifications[M]): Promise<void> {
    await this.running().sendNotification(method, params);
  }

  onNotification<M extends keyof ServerNotifications>(
    method: M,
    handler: (params: ServerNotifications[M]) => void,
  ): Disposable {
    const handlers = this.notificationHandlers.get(method) ?? new Set<Hear>();
    this.notificationHandlers.set(method, handlers);
    handlers.add(handler);
    if (handlers.size === 1 && this.client) this.listen(this.client, method);
    return new Disposable(() => handlers.delete(handler));
  }

  onRequest<M extends keyof ServerRequests>(
    method: M,
    handler: (params: ServerRequests[M]["params"], token: CancellationToken) => Promise<ServerRequests[M]["result"]>,
  ): Disposable {
    if (this.requestHandlers.has(method)) throw new Error(`${method} has an answerer already.`);
    const answer: Answer = handler;
    this.requestHandlers.set(method, answer);
    this.client?.onRequest(method, answer);
    return new Disposable(() => this.requestHandlers.delete(method));
  }

  /** Has the editor ask for the lenses of the open tools files again: what it asked while all starts may have been lost. */
  refreshLenses(): void {
    const feature = this.client?.getFeature(CodeLensRequest.method);
    for (const document of workspace.textDocuments) {
      if (languages.match(TOOLS_FILES, document) > 0) feature?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (!client?.needsStop()) return;
    try {
      await client.stop(); // ends a process that does not answer after two seconds
    } catch (error) {
      this.log.warn(`The language server did not stop in good order: ${String(error)}`);
    }
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    await this.stop();
    this.states.dispose();
  }

  private async startAnew(): Promise<void> {
    await this.stop();
    if (this.disposed) return;
    this.enter({ kind: "starting" });
    const launch = await this.resolve();
    if (launch.kind !== "launch") {
      this.log.error(launch.reason);
      this.launch = undefined;
      this.enter(launch);
      return;
    }
    this.launch = launch;
    this.log.info(`Starting ${[launch.command, ...launch.args].join(" ")} (Python ${launch.pythonVersion})`);
    const client = this.create(launch);
    this.client = client;
    for (const method of this.notificationHandlers.keys()) this.listen(client, method);
    for (const [method, handler] of this.requestHandlers) client.onRequest(method, handler);
    try {
      await client.start();
    } catch (error) {
      this.log.error(String(error));
      if (client !== this.client) return;
      this.client = undefined;
      this.fail(t("The AdaL language server could not be started. The log says why."));
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? "unknown";
    if (this.closed.has(client)) {
      this.ended(client); // it answered, and was gone before this side took note of the answer
      return;
    }
    this.enter({ kind: "running", python: launch.command, pythonVersion: launch.pythonVersion, version });
  }

  private create(launch: Launch): LanguageClient {
    let client: LanguageClient | undefined;
    const errorHandler: ErrorHandler = {
      error: (_error, _message, count) => ({
        action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => {
        // While it starts, `startAnew` tells: one that ends before it answered would end again.
        if (client && this.isRunning()) this.ended(client);
        else if (client) this.closed.add(client);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
    const options: LanguageClientOptions = {
      documentSelector: PROJECT_FILES,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: launch.initializationOptions,
      synchronize: { configurationSection: "adal" }, // a change makes the server ask, and the middleware answers
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const sections = await next(params, token);
            if (!Array.isArray(sections)) return sections;
            // The setting is what the person wrote; the server gets the program it led to, as at the start.
            const { interpreter = "" } = launch.initializationOptions;
            return sections.map((section: unknown) => (isObject(section) ? { ...section, interpreter } : section));
          },
        },
      },
      errorHandler,
      initializationFailedHandler: () => false,
    };
    // Without a transport nothing is added to the arguments: standard input and output are the server's default.
    const executable = { command: launch.command, args: [...launch.args], options: { cwd: launch.cwd } };
    client = new QuietClient("adal", "AdaL", executable, options);
    client.registerFeature(new AdalCapability());
    return client;
  }

  /** A server that ended by itself is started again, until it does so too often. */
  private ended(client: LanguageClient): void {
    if (client !== this.client || this.disposed) return; // stopped on purpose
    this.client = undefined;
    const count = this.crashes.ended(Date.now());
    if (count !== undefined) {
      this.log.warn(`The language server ended. Starting it again (${count}).`);
      this.enter({ kind: "starting" });
      void this.restart();
      return;
    }
    this.fail(t("The AdaL language server ended five times within three minutes and was not started again."));
  }

  private fail(reason: string): void {
    this.log.error(reason);
    this.enter({ kind: "stopped", reason });
  }

  private listen(client: LanguageClient, method: string): void {
    client.onNotification(method, (params: unknown) => {
      for (const handler of this.notificationHandlers.get(method) ?? []) handler(params);
    });
  }

  private isRunning(): boolean {
    return this.current.kind === "running";
  }

  private running(): LanguageClient {
    if (!this.client?.isRunning()) {
      const why = "reason" in this.current ? this.current.reason : t("It is starting.");
      throw new Error(t`The AdaL language server does not run. ${why}`);
    }
    return this.client;
  }

  private enter(state: ServerState): void {
    this.current = state;
    if (!this.disposed) this.states.fire(state);
  }
}

/** Logs its troubles and leaves it to `Client` to tell the person, once and with the way out. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Tells the server that this client shows approvals and run updates itself, and has commands for prompts and tries. */
class AdalCapability implements StaticFeature {
  fillClientCapabilities(capabilities: { experimental?: unknown }): void {
    const others = capabilities.experimental as object | undefined;
    capabilities.experimental = {
      ...others,
      adal: { approval: 1, runUpdates: 1, commands: ["adal.runAgent", "adal.tryTool"] },
    };
  }

  initialize(): void {}

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
