/** The title, the language and the translated words of the editor, where the view's own files are, as the webview may load them, and what marks the one script that may run. */
export interface PageSource {
  readonly title: string;
  /** As the editor names its display language: `en`, `zh-cn`. */
  readonly language: string;
  /** What `t` says in the place of our English words; none in English. */
  readonly words: Readonly<Record<string, unknown>>;
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  readonly nonce: string;
}

/**
 * What the view may load: its script, its styles and its icon font. No image, no connection, no frame, no form, no
 * eval, so that no text in it can reach a server (CVE-2025-32711).
 */
export function contentSecurityPolicy(source: Pick<PageSource, "cspSource" | "nonce">): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${source.nonce}'`,
    `style-src ${source.cspSource}`,
    `font-src ${source.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function pageHtml(source: PageSource): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(source.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(source)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(source.title)}</title>
<link rel="stylesheet" href="${source.style}">
</head>
<body data-words="${escapeHtml(JSON.stringify(source.words))}">
<script nonce="${source.nonce}" src="${source.script}"></script>
</body>
</html>
`;
}

/** A translator wrote these words: they stay words. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
