import { randomBytes } from "node:crypto";
import { env, l10n, Uri, type Webview } from "vscode";
import { pageHtml } from "./html.ts";

/** Lets `webview` load one bundle of `dist/` (`name.js`, `name.css`), and nothing else from anywhere. */
export function loadPage(webview: Webview, extension: Uri, name: string, title: string): void {
  const files = Uri.joinPath(extension, "dist");
  webview.options = { enableScripts: true, localResourceRoots: [files] };
  webview.html = pageHtml({
    title,
    language: env.language,
    words: l10n.bundle ?? {},
    cspSource: webview.cspSource,
    script: webview.asWebviewUri(Uri.joinPath(files, `${name}.js`)).toString(),
    style: webview.asWebviewUri(Uri.joinPath(files, `${name}.css`)).toString(),
    nonce: randomBytes(18).toString("base64"),
  });
}
