from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
from tests.lint.marks import check as check_marked
from tests.lint.marks import codes, fixed, marked, only

HEAD = """\
import asyncio
import os
import pathlib
import shutil
import subprocess
import subprocess as sp
import sys
import time
import urllib.request
from os import remove as rm
from pathlib import Path

import httpx
import requests

ROOT = Path(__file__).parent


"""


def tool(body: str, parameters: str = "x: str", keyword: str = "def", entry: str = "f") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f'{HEAD}{keyword} f({parameters}):\n    """Do f."""\n{lines}\n\nCUSTOM_TOOLS = [{entry}]\n'


UNASKED = '{"function": f, "require_approval": False}'

DANGERS = [
    "subprocess.run(['ls', x])",
    "sp.Popen(x)",
    "os.system(x)",
    "rm(x)",
    "os.rename(x, x)",
    "shutil.rmtree(x)",
    "shutil.move(x, x)",
    "open(x, 'w')",
    "open(x, mode='ab')",
    "open(x, 'r+')",
    "Path(x).write_text(x)",
    "pathlib.Path(x).unlink()",
    "(ROOT / x).write_bytes(b'')",
    "Path.cwd().joinpath(x).unlink()",
    "p = Path(x) / 'a'\np.open('w')",
    "requests.post(x)",
    "requests.Session().delete(x)",
    "with httpx.Client() as client:\n    client.put(x)",
    "eval(x)",
    "exec(x)",
    "def inner():\n    os.remove(x)\ninner()",
    "from os import unlink\nunlink(x)",
]


@pytest.mark.parametrize("body", DANGERS)
def test_a_tool_that_writes_or_executes_unasked_is_a_warning(body: str) -> None:
    source = tool(body, entry=UNASKED)
    finding = only(source, "ADAL601")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, "False")
    [(place, words)] = finding.related
    assert place.start.line > source[: source.index("def f")].count("\n")
    assert words.rpartition(".")[2].split()[1:] == finding.message.partition(",")[0].split()[1:]
    assert '"require_approval": True' in fixed(source, finding.fixes[0])
    assert "ADAL601" not in codes(tool(body)), "asking is the default"


@pytest.mark.parametrize(
    "body",
    [
        "return open(x).read()",
        "return open(x, 'rb').read()",
        "return Path(x).read_text()",
        "return requests.get(x).text",
        "return 'subprocess.run'  # os.system(x)",
        "return x.replace('a', 'b')",
        "return {}.post(x)",
        "remove = [].remove\nremove(x)",
        "os = x\nos.remove(x)",
        "...",
    ],
)
def test_reading_and_what_cannot_be_told_is_quiet(body: str) -> None:
    assert "ADAL601" not in codes(tool(body, entry=UNASKED))


def test_a_parameter_of_the_same_name_hides_the_module() -> None:
    assert codes(tool("return os.remove(x)", "x: str, os: str", entry=UNASKED)) == []


def test_a_path_as_a_parameter_is_known_by_its_type() -> None:
    assert "ADAL601" in codes(tool("x.unlink()", "x: Path", entry=UNASKED))
    assert "ADAL601" not in codes(tool("x.unlink()", "x: str", entry=UNASKED))


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(1)",
        "requests.get(x)",
        "requests.Session().get(x)",
        "subprocess.run(x)",
        "sp.check_output(x)",
        "urllib.request.urlopen(x)",
        "httpx.get(x)",
        "if x:\n    for y in x:\n        time.sleep(1)",
    ],
)
def test_a_blocking_call_in_an_async_tool_is_a_warning(body: str) -> None:
    assert only(tool(body, keyword="async def"), "ADAL602").severity is Severity.WARNING
    assert "ADAL602" not in codes(tool(body)), "a plain function runs in a thread of its own"


@pytest.mark.parametrize(
    "body",
    [
        "await asyncio.sleep(1)",
        "await asyncio.to_thread(time.sleep, 1)",
        "await asyncio.to_thread(lambda: requests.get(x))",
        "def work():\n    time.sleep(1)\nawait asyncio.to_thread(work)",
        "async with httpx.AsyncClient() as client:\n    await client.get(x)",
    ],
)
def test_what_does_not_block_the_loop_is_fine(body: str) -> None:
    assert codes(tool(body, keyword="async def")) == []


def test_a_sleep_can_be_awaited_where_asyncio_is_imported() -> None:
    source = tool("time.sleep(0.5)", keyword="async def")
    mended = fixed(source, only(source, "ADAL602").fixes[0])
    assert "    await asyncio.sleep(0.5)\n" in mended
    assert codes(mended) == []
    assert only(source.replace("import asyncio\n", ""), "ADAL602").fixes == ()


def test_printing_is_one_hint_for_a_tool_and_none_elsewhere() -> None:
    finding = only(tool("print(x)\nprint(x)"), "ADAL603")
    assert finding.severity is Severity.HINT
    assert codes("print('loading')\n\n\ndef _log(x):\n    print(x)\n\n\n" + tool("return x")) == []


def test_asking_at_a_terminal_is_a_warning_in_a_tool_and_at_import() -> None:
    check_marked(
        """
name = input("Who are you?")
#      ^^^^^ ADAL604


def f(x: str) -> str:
    'Do f.'
    return input(x)
#          ^^^^^ ADAL604


def main():
    f(input())


CUSTOM_TOOLS = [f]
"""
    )


@pytest.mark.parametrize("call", ["sys.exit(1)", "exit()", "quit()", "os._exit(1)", "os.abort()", "os.execv(x, [x])"])
def test_ending_the_process_is_a_warning_in_a_tool_and_at_import(call: str) -> None:
    source = tool(f"if not x:\n    {call}")
    finding = only(source, "ADAL605")
    assert finding.severity is Severity.WARNING
    assert marked(source, finding) == call.partition("(")[0]
    assert "exception" in finding.message
    at_import = tool("return x") + f"\nif len(sys.argv) < 2:\n    {call}\n"
    assert "from loading" in only(at_import, "ADAL605").message


def test_a_raised_system_exit_is_an_exit() -> None:
    assert codes(tool("raise SystemExit")) == ["ADAL605"]
    assert codes(tool("raise SystemExit(2)")) == ["ADAL605"]
    assert codes("try:\n    import pack\nexcept ImportError:\n    raise SystemExit('no pack')\n" + tool("...")) == [
        "ADAL605"
    ]


def test_running_the_file_as_a_program_may_end_it() -> None:
    ends = 'def main():\n    sys.exit(0)\n\n\nif __name__ == "__main__":\n    name = input()\n    sys.exit(main())\n'
    assert codes(tool("return x") + ends) == []


def test_names_of_the_file_s_own_are_not_the_builtins() -> None:
    own = "def exit(code):\n    return code\n\n\nfrom prompts import input, print\n\n\n"
    assert codes(own + tool("exit(1)\nprint(x)\nreturn input(x)")) == []


def test_a_conditional_tool_is_looked_at_once() -> None:
    body = "    def f(x: str) -> str:\n        'Do f.'\n        exit()\n"
    source = f"try:\n    import pack\n\n{body}except ImportError:\n    pass\n\nCUSTOM_TOOLS = [f]\n"
    assert [finding.code for finding in check(read(source))] == ["ADAL605"]


@pytest.mark.parametrize("file", ["buffer", "sys.stderr", "log"])
def test_text_that_is_printed_somewhere_else_is_no_output(file: str) -> None:
    source = f"import sys\n\n\ndef f(x: str) -> str:\n    'Do f.'\n    print(x, file={file})\n    return x\n"
    assert "ADAL603" not in codes(f"{source}\n\nCUSTOM_TOOLS = [f]\n")
    assert "ADAL603" in codes(f"{source.replace(f', file={file}', '')}\n\nCUSTOM_TOOLS = [f]\n")
