import DOMPurify from "dompurify";
import { Marked } from "marked";
import { revealProse } from "../src/run/reveal.ts";

const TAGS = ["p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a"];
const TABLE = ["table", "thead", "tbody", "tr", "th", "td"];
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

// HTML in the text is text. An image would tell its server that the text was read: its description stays, no more.
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text, href }) => escapeHtml(text || href),
    checkbox: ({ checked }) => (checked ? "[x] " : "[ ] "),
  },
});

/** A paragraph, a list, a block of code: what stays as it is while the text behind it grows. */
export interface MarkdownBlock {
  /** The text that it was made of; blocks of the same key are alike. */
  readonly key: string;
  nodes(): DocumentFragment;
}

/**
 * A model's Markdown as harmless nodes, block by block: no HTML of its own, no images, no styles, only http(s) links,
 * each with the host that it really leads to.
 */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const tokens = marked.lexer(revealProse(text));
  const links = JSON.stringify(tokens.links); // a link may be defined behind its use
  return tokens
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => ({
      key: `${token.raw}\u{0}${links}`,
      nodes: () => harmless(marked.parser([token])),
    }));
}

function harmless(unsafe: string): DocumentFragment {
  const nodes = DOMPurify.sanitize(unsafe, {
    ALLOWED_TAGS: [...TAGS, ...TABLE, ...HEADINGS],
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: /^https?:\/\//i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of nodes.querySelectorAll("a")) {
    showHost(link);
  }
  return nodes;
}

function showHost(link: HTMLAnchorElement): void {
  const href = link.getAttribute("href") ?? "";
  const target = URL.canParse(href) ? new URL(href) : undefined;
  if (!target) {
    link.removeAttribute("href");
    return;
  }
  link.title = target.href;
  if (link.textContent !== target.href && link.textContent !== target.host) {
    const host = link.ownerDocument.createElement("span");
    host.className = "host";
    host.textContent = ` (${target.host})`;
    link.append(host);
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
