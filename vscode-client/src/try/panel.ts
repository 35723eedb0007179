import { t } from "@vscode/l10n";
import { CancellationTokenSource, type Disposable, env, type Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { openPlace } from "../opening.ts";
import { loadPage } from "../webviewPage.ts";
import type { FromTry } from "./messages.ts";
import type { TrySession } from "./session.ts";

const SEND_AFTER_MS = 25; // what a tool prints comes in many pieces

/** What a panel needs done outside it. */
export interface Around {
  /** Saves the tools file and runs the tool; the outcome is in the session's state. */
  run(message: Extract<FromTry, { type: "run" }>, stop: CancellationTokenSource): Promise<void>;
  openDefinition(): Promise<void>;
  tell(error: unknown): void;
}

/** The tab in which a person tries one tool. */
export class TryPanel implements Disposable {
  readonly #panel: WebviewPanel;
  #stop: CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    extension: Uri,
    private readonly session: () => TrySession,
    private readonly around: Around,
    closed: () => void,
  ) {
    const { tool } = session().tried;
    this.#panel = window.createWebviewPanel("adal.try", t`Try ${tool}`, { viewColumn: ViewColumn.Beside });
    this.#panel.webview.onDidReceiveMessage((message: FromTry) => this.#heard(message).catch(around.tell));
    this.#panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      this.#stop?.cancel(); // nobody would see what comes of it
      closed();
    });
    loadPage(this.#panel.webview, extension, "try", t`Try ${tool}`);
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Sends the state, soon. */
  update(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#panel.webview.postMessage({ type: "state", state: this.session().state });
    }, SEND_AFTER_MS);
  }

  dispose(): void {
    this.#panel.dispose();
  }

  async #heard(message: FromTry): Promise<void> {
    switch (message.type) {
      case "ready":
        return this.update();
      case "run": {
        if (this.session().state.running) {
          return;
        }
        const stop = new CancellationTokenSource();
        this.#stop = stop;
        try {
          await this.around.run(message, stop);
        } finally {
          this.#stop = undefined;
          stop.dispose();
        }
        return;
      }
      case "stop":
        this.#stop?.cancel();
        return;
      case "openDefinition":
        return this.around.openDefinition();
      case "openPlace":
        return openPlace(message.path, message.line);
      case "copy":
        return env.clipboard.writeText(message.text);
    }
  }
}
