import { config } from "@vscode/l10n";

// The editor's translations come with the page, since a page may not fetch anything. Pages import this first.
config({ contents: document.body.dataset.words ?? "{}" });
