"""Loading `.adal/tools.py`: what works, and how each way to fail is told."""

from __future__ import annotations

import asyncio
import hashlib
import py_compile
import sys
import textwrap
import time
from pathlib import Path

import psutil

from adal_ls.worker.client import Limits, LoadedProject, LoadError
from tests.worker.conftest import Loaded, Project, Workers

TOOL = """
def f(x: str) -> str:
    '''Do f.'''
    return x


CUSTOM_TOOLS = [f]
"""


def failed(found: LoadedProject) -> LoadError:
    assert found.tools == ()
    assert found.error is not None
    return found.error


async def test_s1_a_project_without_a_tools_file_has_no_tools_and_no_error(tmp_path: Path, workers: Workers) -> None:
    found = await (await workers(tmp_path)).load()
    assert (found.tools, found.problems, found.error) == ((), (), None)


async def test_s3_s6_s13_a_tool_comes_with_name_text_schema_approval_and_place(loaded: Loaded) -> None:
    _, found = await loaded(
        """
        from typing import Optional

        def create_ticket(title: str, points: Optional[int] = None) -> str:
            '''Create a ticket.

            Args:
                title: Short summary.
            '''
            return title

        CUSTOM_TOOLS = [create_ticket]
        """
    )
    (tool,) = found.tools
    assert (tool.name, tool.description, tool.require_approval) == ("create_ticket", "Create a ticket.", True)
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Short summary."},
            "points": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "required": ["title"],
    }
    assert (Path(tool.file).name, tool.line, tool.function) == ("tools.py", 4, "create_ticket")
    assert found.error is None


async def test_s14_a_missing_package_is_told_with_module_interpreter_and_line(loaded: Loaded) -> None:
    worker, found = await loaded("import os\nimport jira_sdk_that_is_not_installed\n" + TOOL)
    error = failed(found)
    assert (error.kind, error.module, error.line) == ("missing-module", "jira_sdk_that_is_not_installed", 2)
    assert "jira_sdk_that_is_not_installed" in error.message
    assert sys.executable in error.message
    assert not worker.closed


async def test_a_syntax_error_is_told_at_its_line(loaded: Loaded) -> None:
    error = failed((await loaded("x = 1\ndef f(:\n    pass\n"))[1])
    assert (error.kind, error.line) == ("syntax", 2)


async def test_an_error_in_a_local_module_is_told_where_it_is(loaded: Loaded) -> None:
    _, found = await loaded("import helpers\n" + TOOL, {"helpers.py": "a = 1\nb = a / 0\n"})
    error = failed(found)
    assert (Path(error.file).name, error.line) == ("helpers.py", 2)
    assert "ZeroDivisionError" in error.message
    assert "importlib" not in error.trace


async def test_an_error_inside_a_library_is_told_at_the_line_that_called_it(loaded: Loaded) -> None:
    error = failed((await loaded("import json\n\njson.loads('{')\n" + TOOL))[1])
    assert (Path(error.file).name, error.line) == ("tools.py", 3)


async def test_leaving_the_program_at_import_names_line_and_exit_code(loaded: Loaded) -> None:
    # https://github.com/devdanzin/fusil/pull/166
    worker, found = await loaded("import argparse\n\nARGS = argparse.ArgumentParser().parse_args(['--nope'])\n" + TOOL)
    error = failed(found)
    assert error.line == 3
    assert "ends the program while being loaded (exit code 2)" in error.message
    assert error.exit_code == 2
    assert "unrecognized arguments: --nope" in found.output
    assert not worker.closed


async def test_ending_the_process_at_import_is_told_and_the_next_worker_works(
    loaded: Loaded, project: Project, workers: Workers
) -> None:
    worker, found = await loaded("import os\nprint('so far', flush=True)\nos._exit(7)\n")
    assert "ends the program while being loaded (exit code 7)" in failed(found).message
    assert found.output == "so far\n"
    assert worker.closed
    again = await (await workers(project(TOOL))).load()
    assert [tool.name for tool in again.tools] == ["f"]


async def test_what_a_file_says_when_it_ends_the_program_is_told(loaded: Loaded) -> None:
    _, found = await loaded("import sys\n\nsys.exit('set API_KEY\\nfirst')\n")
    assert failed(found).message == "the file ends the program while being loaded (exit code 1: set API_KEY first)"
    assert failed(found).line == 3


async def test_a_crash_at_import_names_the_signal(loaded: Loaded) -> None:
    error = failed((await loaded("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"))[1])
    assert error.kind == "crash"
    assert "SIGSEGV" in error.message


async def test_a_crash_in_c_code_at_import_is_told_at_its_line(tmp_path: Path, workers: Workers) -> None:
    # https://github.com/microsoft/vscode-python/issues/16075
    root = tmp_path / "pröjekt"  # such names stand escaped in what a crash leaves behind
    (root / ".adal").mkdir(parents=True)
    (root / ".adal" / "tools.py").write_text("import deep\n")
    (root / ".adal" / "deep.py").write_text("import ctypes\n\n\ndef f():\n    ctypes.string_at(0)\n\n\nf()\n")
    error = failed(await (await workers(root)).load())
    assert (error.kind, error.file, error.line) == ("crash", str(root / ".adal" / "deep.py"), 5)


async def test_an_endless_import_is_ended_at_the_time_limit_and_its_line_told(loaded: Loaded) -> None:
    # https://github.com/bugy/script-server/issues/260
    started = time.monotonic()
    worker, found = await loaded("x = 1\nwhile True:\n    pass\n", limits=Limits(load=0.6))
    error = failed(found)
    assert error.kind == "timeout"
    assert "0.6 s" in error.message
    assert error.line in (2, 3)
    assert time.monotonic() - started < 5
    assert not psutil.pid_exists(worker.pid)


async def test_keyboard_interrupt_and_endless_recursion_at_import_are_errors_like_others(
    project: Project, workers: Workers
) -> None:
    for source, name in [
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("def f():\n    f()\nf()\n", "RecursionError"),
        ("class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E\n", "cannot be shown"),
    ]:
        error = failed(await (await workers(project(source))).load())
        assert name in error.message
        assert error.line > 0
        assert len(error.trace) < 10_000


async def test_a_relative_import_is_explained(loaded: Loaded) -> None:
    error = failed((await loaded("from . import helpers\n" + TOOL, {"helpers.py": ""}))[1])
    assert error.line == 1
    assert "plain name" in error.message


async def test_a_module_in_the_project_folder_itself_is_explained(project: Project, workers: Workers) -> None:
    root = project("import billing\n" + TOOL)
    (root / "billing.py").write_text("")
    assert "only .adal is searched" in failed(await (await workers(root)).load()).message


async def test_files_named_like_the_standard_library_shadow_nothing(loaded: Loaded) -> None:
    bad = "raise RuntimeError('the wrong module was imported')\n"
    names = ["types.py", "json.py", "logging.py", "asyncio.py", "typing.py", "pydantic.py", "adal_ls.py"]
    worker, found = await loaded("import types, json, logging\n" + TOOL, dict.fromkeys(names, bad))
    assert found.error is None
    assert (await worker.call("f", {"x": "ok"})).observation == "ok"


async def test_a_stale_pyc_does_not_win_and_none_is_written(project: Project, workers: Workers) -> None:
    root = project("import helpers\n\ndef f():\n    return helpers.VALUE\n\nCUSTOM_TOOLS = [f]\n")
    module = root / ".adal" / "helpers.py"
    module.write_text("VALUE = 'old'\n")
    py_compile.compile(str(module), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    module.write_text("VALUE = 'new'\n")
    cached = {path: path.read_bytes() for path in root.rglob("*.pyc")}
    worker = await workers(root)
    await worker.load()
    assert (await worker.call("f", {})).observation == "new"
    assert {path: path.read_bytes() for path in root.rglob("*.pyc")} == cached


async def test_the_digests_of_all_project_files_that_ran_are_given(loaded: Loaded, tmp_path: Path) -> None:
    _, found = await loaded(
        "import helpers\nimport pkg.deep\nimport json\n" + TOOL,
        {"helpers.py": "A = 1\n", "pkg/__init__.py": "", "pkg/deep.py": "B = 'é'\n", "unused.py": ""},
    )
    names = [".adal/helpers.py", ".adal/pkg/__init__.py", ".adal/pkg/deep.py", ".adal/tools.py"]
    assert found.sources == {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}


async def test_the_digest_is_of_the_bytes_that_ran_not_of_the_file_afterwards(loaded: Loaded) -> None:
    source = "import pathlib\npathlib.Path(__file__).write_text('CUSTOM_TOOLS = []')\n" + TOOL
    _, found = await loaded(source)
    assert found.sources == {".adal/tools.py": hashlib.sha256(source.encode()).hexdigest()}


async def test_tools_run_in_the_project_folder_with_input_at_its_end(loaded: Loaded, tmp_path: Path) -> None:
    worker, found = await loaded(
        """
        import os, sys
        HERE = os.getcwd()
        try:
            input()
        except EOFError:
            print("no input")

        def where() -> list:
            return [HERE, os.getcwd(), sys.stdin.read(), __file__, __name__, sys.path[-1]]

        CUSTOM_TOOLS = [where]
        """
    )
    assert found.output == "no input\n"
    folder = str(tmp_path)
    assert (await worker.call("where", {})).output == [
        folder,
        folder,
        "",
        f"{folder}/.adal/tools.py",
        "adal_tools_1",
        f"{folder}/.adal",
    ]


async def test_text_printed_while_loading_is_load_output_and_breaks_nothing(loaded: Loaded) -> None:
    # https://github.com/actonlang/acton/pull/2629
    worker, found = await loaded(
        """
        import os, sys
        print("loading tools ...")
        sys.stdout.write("Content-Length: 5\\r\\n\\r\\nhello")
        os.system("echo from a child")
        """
        + "\n        ".join(TOOL.splitlines())
    )
    assert found.output == "loading tools ...\nContent-Length: 5\r\n\r\nhellofrom a child\n"
    assert (await worker.call("f", {"x": "a"})).observation == "a"


async def test_files_may_run_loops_and_set_signal_handlers_when_imported(loaded: Loaded) -> None:
    _, found = await loaded(
        "import asyncio, signal\nasyncio.run(asyncio.sleep(0))\nsignal.signal(signal.SIGTERM, signal.SIG_DFL)\n" + TOOL
    )
    assert found.error is None


async def test_no_custom_tools_is_a_problem_not_an_error(loaded: Loaded) -> None:
    _, found = await loaded("def f(): ...\n")
    assert found.error is None
    assert "CUSTOM_TOOLS" in found.problems[0].message


async def test_an_encoding_line_and_a_byte_order_mark_are_honoured(tmp_path: Path, workers: Workers) -> None:
    (tmp_path / ".adal").mkdir()
    text = "# -*- coding: latin-1 -*-\ndef f():\n    return 'é'\nCUSTOM_TOOLS = [f]\n"
    (tmp_path / ".adal" / "tools.py").write_bytes(text.encode("latin-1"))
    worker = await workers(tmp_path)
    await worker.load()
    assert (await worker.call("f", {})).observation == "é"


LATE = '''
    def late() -> str:
        """Import a module when called."""
        import helper
        return helper.VALUE

    CUSTOM_TOOLS = [late]
'''


async def test_a_module_imported_in_a_call_is_the_one_of_the_load(loaded: Loaded) -> None:
    worker, _ = await loaded(LATE, {"helper.py": "VALUE = 'as approved'\n"})
    assert (await worker.call("late", {})).observation == "as approved"


async def test_a_module_changed_after_the_load_is_not_imported_by_a_call(loaded: Loaded, project: Project) -> None:
    worker, _ = await loaded(LATE, {"helper.py": "VALUE = 'as approved'\n"})
    await asyncio.sleep(0.05)  # the clock of file systems is a coarse one
    project(LATE, {"helper.py": "open('canary', 'w').close()\nVALUE = 'changed'\n"})
    result = await worker.call("late", {})
    assert result.status == "error"
    assert "helper.py has changed since the tools were loaded" in result.observation


async def test_a_module_that_is_removed_and_imported_again_is_still_checked(loaded: Loaded, project: Project) -> None:
    text = LATE.replace("import helper\n", "import sys; sys.modules.pop('helper', None); import helper\n", 1)
    worker, _ = await loaded("import helper\n" + textwrap.dedent(text), {"helper.py": "VALUE = 'as approved'\n"})
    assert (await worker.call("late", {})).observation == "as approved"
    project("import helper\n" + textwrap.dedent(text), {"helper.py": "VALUE = 'changed'\n"})
    assert "has changed" in (await worker.call("late", {})).observation
