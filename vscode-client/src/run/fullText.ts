import { type Disposable, Uri, window, workspace } from "vscode";
import type { Connection } from "../connection.ts";
import { wholeText } from "./parts.ts";

/** Read-only documents of this scheme are what a call gave or was given, where its card has only a part. */
const SCHEME = "adal-full";

/** Opens in an editor what is too long for the transcript. */
export class FullTexts implements Disposable {
  readonly #texts = new Map<string, string>();
  readonly #provider = workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ path }) => this.#texts.get(path) ?? "",
  });

  constructor(private readonly connection: Pick<Connection, "request">) {}

  async show(runId: string, callId: string, of: "result" | "arguments"): Promise<void> {
    const path = `/${callId} ${of}${of === "arguments" ? ".json" : ".txt"}`;
    const text = await wholeText((offset) =>
      this.connection.request("adal/run/fullText", { runId, callId, of, offset }),
    );
    this.#texts.set(path, text);
    await window.showTextDocument(Uri.from({ scheme: SCHEME, path }), { preview: true });
  }

  dispose(): void {
    this.#provider.dispose();
  }
}
