import { t } from "@vscode/l10n";
import type { Disposable, Uri, WebviewView, WebviewViewProvider } from "vscode";
import { loadPage } from "../webviewPage.ts";
import { changeOf, type FromView, type ToView, type ViewState } from "./viewState.ts";

/** The id of the view in the manifest; VS Code makes the command `adal.run.focus` for it. */
export const RUN_VIEW = "adal.run";

/** Changes are sent together this often, so that a fast model does not flood the view. */
const SEND_AFTER_MS = 25;

/**
 * The webview that shows a `ViewState`. It may be made anew at any time (hiding the view destroys it): it asks for the
 * whole state with `ready`, then gets changes.
 */
export class RunView implements WebviewViewProvider, Disposable {
  #view: WebviewView | undefined;
  /** What the view shows; undefined until it is ready. */
  #sent: ViewState | undefined;
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;
  #focusWanted: Extract<ToView, { type: "focus" }> | undefined;

  constructor(
    private readonly extension: Uri,
    private readonly state: () => ViewState,
    private readonly heard: (message: FromView) => void,
    private readonly visibilityChanged: () => void,
  ) {}

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    this.#forget();
    view.webview.onDidReceiveMessage((message: FromView) => {
      if (message.type === "ready") {
        this.#ready();
      }
      this.heard(message);
    });
    view.onDidChangeVisibility(() => {
      this.#forget();
      this.visibilityChanged();
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#forget();
      this.visibilityChanged();
    });
    loadPage(view.webview, this.extension, "webview", t("AdaL Run"));
    this.visibilityChanged();
  }

  /** Sends what changed, soon. */
  update(): void {
    if (this.#isReady) {
      this.#timer ??= setTimeout(() => this.#send(), SEND_AFTER_MS);
    }
  }

  /** Shows how many approvals wait on the view and the activity bar. */
  badge(count: number, words: string): void {
    if (this.#view) {
      this.#view.badge = count > 0 ? { value: count, tooltip: words } : undefined;
    }
  }

  /**
   * Puts the focus on the prompt or on the heading of the approvals, now or when the view is ready. A draft is written
   * into the prompt where the person has nothing there; a mention is added to what is there.
   */
  focus(on: "prompt" | "approvals", more: { draft?: string; mention?: string } = {}): void {
    this.#focusWanted = { type: "focus", on, ...more };
    this.#giveFocus();
  }

  /** Answers what the view has asked. */
  tell(message: Extract<ToView, { type: "files" }>): void {
    this.#post(message);
  }

  dispose(): void {
    this.#forget();
  }

  #ready(): void {
    this.#isReady = true;
    this.#sent = undefined;
    this.#send();
    this.#giveFocus();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const state = this.state();
    this.#post(changeOf(this.#sent, state));
    this.#sent = state;
  }

  #giveFocus(): void {
    if (this.#isReady && this.#focusWanted) {
      this.#send();
      this.#post(this.#focusWanted);
      this.#focusWanted = undefined;
    }
  }

  #post(message: ToView): void {
    void this.#view?.webview.postMessage(message);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isReady = false;
    this.#sent = undefined;
  }
}
