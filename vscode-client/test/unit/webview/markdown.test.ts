// @vitest-environment jsdom
import { expect, test } from "vitest";
import { markdownBlocks } from "../../../webview/markdown.ts";

function shown(text: string): HTMLElement {
  const root = document.createElement("div");
  root.append(...markdownBlocks(text).map((block) => block.nodes()));
  return root;
}

test("Markdown of a model is formatted", () => {
  const root = shown("# Title\n\n- **bold** and `code`\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |");
  expect([...root.querySelectorAll("h1, strong, code, pre, td")].map((node) => node.textContent?.trim())).toEqual([
    "Title",
    "bold",
    "code",
    "x = 1",
    "x = 1",
    "1",
    "2",
  ]);
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<button class="approval">Allow once</button>',
  '<vscode-button data-option="allow_once">Allow once</vscode-button>',
  "<style>body { display: none }</style>",
  "<svg><a href='javascript:alert(1)'>x</a></svg>",
])("HTML stays text: %s", (text) => {
  const root = shown(text);
  expect(root.querySelectorAll("script, img, button, vscode-button, style, svg, [class], [onerror]")).toHaveLength(0);
  expect(root.textContent).toContain(text);
});

test("an image is not loaded: its description stands in its place", () => {
  const root = shown("![a cat](https://evil.example/?secret=1)");
  expect(root.querySelector("img")).toBeNull();
  expect(root.innerHTML).not.toContain("evil.example");
  expect(root.textContent).toContain("a cat");
});

test("a link says which host it leads to, in the form that cannot be mistaken", () => {
  expect(shown("[your bank](https://bank.example.evil.test/login)").textContent).toContain("(bank.example.evil.test)");
  expect(shown("[аpple.com](https://аpple.com)").textContent).toContain("(xn--pple-43d.com)");
  expect(shown("https://example.com/").textContent?.trim()).toBe("https://example.com/");
});

test.each([
  "javascript:alert(1)",
  "command:workbench.action.quit",
  "file:///etc/passwd",
  "data:text/html,x",
  "vscode:x",
])("a link to %s leads nowhere", (url) => {
  expect(shown(`[click](${url})`).querySelector("a[href]")).toBeNull();
});

test("characters that reorder or hide text are written out", () => {
  expect(shown("evil\u202etxt.exe").textContent).toContain("evil\\u{202e}txt.exe");
});

test("while a text grows the blocks before its end stay the same, so that they are not made anew", () => {
  const before = markdownBlocks("# One\n\nTwo and\n\n- a\n- b");
  const after = markdownBlocks("# One\n\nTwo and\n\n- a\n- b\n- c\n\nThree");
  expect(after.slice(0, 2).map(({ key }) => key)).toEqual(before.slice(0, 2).map(({ key }) => key));
  expect(after[2]?.key).not.toBe(before[2]?.key);
  expect(after).toHaveLength(4);
});

test("a link that is defined behind its use leads where it should, and the block is another than before", () => {
  const text = "See [the page][p].";
  const defined = `${text}\n\n[p]: https://example.org/a`;
  expect(shown(defined).querySelector("a")?.href).toBe("https://example.org/a");
  expect(markdownBlocks(defined)[0]?.key).not.toBe(markdownBlocks(text)[0]?.key);
});
