import { expect, test } from "vitest";
import { contentSecurityPolicy, pageHtml } from "../../src/html.ts";

const SOURCE = {
  title: "AdaL Run",
  cspSource: "https://files.example",
  script: "https://files.example/w.js",
  style: "w.css",
  nonce: "n0nce",
  language: "de",
  words: { Run: 'Los "jetzt" & <sofort>' },
};

test("the view loads its own script, styles and font, and nothing else from anywhere", () => {
  expect(contentSecurityPolicy(SOURCE)).toBe(
    "default-src 'none'; script-src 'nonce-n0nce'; style-src https://files.example; font-src https://files.example; " +
      "base-uri 'none'; form-action 'none'",
  );
});

test("the page states the policy before it loads anything, and has one script, with the nonce", () => {
  const page = pageHtml(SOURCE);
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<link"));
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain('<script nonce="n0nce" src="https://files.example/w.js">');
});

test("the page has the words of the editor's language with it, as text", () => {
  const page = pageHtml(SOURCE);
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('data-words="{&quot;Run&quot;:&quot;Los \\&quot;jetzt\\&quot; &amp; &lt;sofort&gt;&quot;}"');
});
