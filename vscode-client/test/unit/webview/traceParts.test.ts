import { expect, test } from "vitest";
import { traceParts } from "../../../webview/traceParts.ts";

const places = (trace: string, folders: string[]) =>
  traceParts(trace, folders).flatMap((part) => (part.place ? [`${part.place.path}:${part.place.line}`] : []));

test("the pieces are the traceback, with the places in it", () => {
  const trace = 'Traceback\n  File "/w/a.py", line 3, in f\n    g()\n  File "/w/b.py", line 12, in g\nKeyError\n';
  const parts = traceParts(trace, ["/w"]);
  expect(parts.map((part) => part.text).join("")).toBe(trace);
  expect(places(trace, ["/w"])).toEqual(["/w/a.py:3", "/w/b.py:12"]);
});

test.each(["/etc/passwd", "/work/a.py", "/w/../etc/passwd", "<string>", "/w"])("%s is no place in /w", (path) => {
  expect(places(`File "${path}", line 1`, ["/w"])).toEqual([]);
});

test("places in a folder of Windows are found, and a line that cannot be is none", () => {
  expect(places('File "C:\\w\\a.py", line 2', ["C:\\w"])).toEqual(["C:\\w\\a.py:2"]);
  expect(places('File "/w/a.py", line 0', ["/w"])).toEqual([]);
});
