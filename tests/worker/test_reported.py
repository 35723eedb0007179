"""Reports against other projects, as whole files in a real worker: what is told to the model, and what a call does."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from adal_ls.worker.client import LoadedProject
from tests.worker.conftest import Loaded, Project, Workers
from tests.worker.test_interpreters import has_pydantic, pythons


def properties(found: LoadedProject, index: int = 0) -> dict[str, Any]:
    assert found.error is None
    given: dict[str, Any] = found.tools[index].parameters["properties"]
    return given


async def test_stars_are_no_parameters_but_one_named_args_is(loaded: Loaded) -> None:
    # https://github.com/run-llama/llama_index/issues/22134
    worker, found = await loaded(
        """
        def find_pages(query: str, *tags: str, **opts) -> str:
            return query + "".join(tags)

        def plain(args: str, kwargs: str) -> str:
            return args + kwargs

        CUSTOM_TOOLS = [find_pages, plain]
        """
    )
    assert list(properties(found)) == found.tools[0].parameters["required"] == ["query"]
    assert [problem.left_out for problem in found.problems] == [False, False]
    assert (await worker.call("find_pages", {"query": "x"})).observation == "x"
    assert (await worker.call("plain", {"args": "a", "kwargs": "b"})).observation == "ab"


async def test_annotations_kept_as_text_are_read_and_called(loaded: Loaded) -> None:
    # https://github.com/crewAIInc/crewAI/issues/7623
    worker, found = await loaded(
        """
        from __future__ import annotations
        from pathlib import Path
        from typing import Literal, Optional

        def pick(mode: Literal["fast", "slow"], limit: Optional[int] = None, where: Path = Path(".")) -> str:
            return f"{mode} {limit} {where}"

        CUSTOM_TOOLS = [pick]
        """
    )
    assert properties(found)["mode"]["enum"] == ["fast", "slow"]
    assert found.tools[0].parameters["required"] == ["mode"]
    assert (await worker.call("pick", {"mode": "fast"})).observation == "fast None ."


async def test_enums_literals_and_unions_keep_their_members(loaded: Loaded) -> None:
    # https://github.com/openonion/connectonion/issues/373
    worker, found = await loaded(
        """
        from enum import Enum
        from typing import Literal, Union

        class Env(Enum):
            DEV = "dev"
            PROD = "prod"

        def scale(env: Env, level: Literal[1, 2, 3], key: Union[str, int]) -> str:
            return f"{env!r} {level!r} {key!r}"

        CUSTOM_TOOLS = [scale]
        """
    )
    given = properties(found)
    assert (given["env"]["enum"], given["level"]) == (["dev", "prod"], {"type": "integer", "enum": [1, 2, 3]})
    assert [member["type"] for member in given["key"]["anyOf"]] == ["string", "integer"]
    result = await worker.call("scale", {"env": "prod", "level": 2, "key": 5})
    assert result.observation == "<Env.PROD: 'prod'> 2 5"
    assert "'level'" in (await worker.call("scale", {"env": "prod", "level": 9, "key": "k"})).observation


async def test_docstrings_without_a_blank_line_and_texts_of_several_lines(loaded: Loaded) -> None:
    # https://github.com/openai/openai-agents-python/pull/3832, https://github.com/run-llama/llama_index/issues/22687
    _, found = await loaded(
        '''
        def next_train(station: str, lang: str = "en") -> str:
            """Find the next train.
            Args:
                station: Where it leaves.
                lang: One of:
                    - en: English
                    - de: German
            Returns:
                A short text.
            """
            return station

        def digest(mode: str) -> str:
            """Make a digest.

            Parameters
            ----------
            mode : str
                One of brief or full.
            """
            return mode

        CUSTOM_TOOLS = [next_train, digest]
        '''
    )
    assert [tool.description for tool in found.tools] == ["Find the next train.", "Make a digest."]
    assert properties(found)["station"]["description"] == "Where it leaves."
    assert "German" in properties(found)["lang"]["description"]
    assert properties(found, 1)["mode"]["description"] == "One of brief or full."


async def test_a_bare_list_has_items_and_costs_no_other_tool(loaded: Loaded) -> None:
    # https://github.com/pydantic/pydantic-ai/pull/5570
    worker, found = await loaded(
        "def price(items: list, opts: dict = None) -> int:\n    return len(items)\n\n"
        "def ping() -> str:\n    return 'pong'\n\nCUSTOM_TOOLS = [price, ping]\n"
    )
    assert properties(found)["items"] == {"type": "array", "items": {}}
    assert found.tools[0].parameters["required"] == ["items"]
    assert (await worker.call("price", {"items": [1, 2]})).observation == "2"
    assert (await worker.call("ping", {})).observation == "pong"


async def test_parameters_named_like_attributes_of_models_and_defaults_that_are_left_out(loaded: Loaded) -> None:
    # https://github.com/PrefectHQ/prefect/issues/6031, https://github.com/ollama/ollama-python/pull/666
    worker, found = await loaded(
        """
        def export(schema: str, copy: bool = False, json: str = "", validate: bool = True, model_config: str = "m"):
            return f"{schema}|{copy}|{json}|{validate}|{model_config}"

        CUSTOM_TOOLS = [export]
        """
    )
    assert list(properties(found)) == ["schema", "copy", "json", "validate", "model_config"]
    assert found.tools[0].parameters["required"] == ["schema"]
    assert properties(found)["model_config"]["default"] == "m"
    assert (await worker.call("export", {"schema": "s", "copy": True})).observation == "s|True||True|m"
    assert found.output == ""


async def test_a_bound_method_is_a_tool_and_an_unbound_one_is_left_out(loaded: Loaded) -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    worker, found = await loaded(
        """
        class Desk:
            def lookup(self, q: str) -> str:
                return q

            def find(self, q: str) -> str:
                return q

        CUSTOM_TOOLS = [Desk.lookup, Desk().find]
        """
    )
    assert [(tool.name, list(tool.parameters["properties"])) for tool in found.tools] == [("find", ["q"])]
    assert [(problem.entry, problem.left_out) for problem in found.problems] == [(0, True)]
    assert (await worker.call("find", {"q": "x"})).observation == "x"


async def test_partials_and_callable_objects_run_under_the_name_they_are_given(loaded: Loaded) -> None:
    worker, found = await loaded(
        """
        import functools

        class Count:
            def __call__(self, a: int) -> int:
                return a + 1

        class Later:
            async def __call__(self, a: int) -> int:
                return a + 2

        class Steps:
            async def __call__(self, a: int):
                yield "step"
                yield a + 3

        def add(a: int, b: int) -> int:
            return a + b

        async def late(a: int, b: int) -> int:
            return a + b

        CUSTOM_TOOLS = [
            {"function": Count(), "name": "count"},
            {"function": Later(), "name": "later"},
            {"function": Steps(), "name": "steps"},
            {"function": functools.partial(add, b=4), "name": "add_four"},
            {"function": functools.partial(late, b=5), "name": "late_five"},
            {"function": lambda a: a, "name": "same"},
            Count(),
            functools.partial(add, b=4),
        ]
        """
    )
    names = ["count", "later", "steps", "add_four", "late_five", "same"]
    assert [tool.name for tool in found.tools] == names
    assert [problem.entry for problem in found.problems if problem.left_out] == [6, 7]
    observed = [(await worker.call(name, {"a": 1})).observation for name in names]
    assert observed == ["2", "3", "4", "5", "6", "1"]


async def test_one_import_that_fails_is_told_and_the_next_load_is_fresh(loaded: Loaded, project: Project) -> None:
    # https://github.com/NousResearch/hermes-agent/pull/112444: a half-initialised module stayed after a failed load
    tools = "from helpers import word\n\ndef say() -> str:\n    return word()\n\nCUSTOM_TOOLS = [say]\n"
    helpers = "X = 1\nraise RuntimeError('not ready')\n\ndef word():\n    return 'w'\n"
    _, found = await loaded(tools, {"helpers.py": helpers})
    assert found.error is not None
    assert (Path(found.error.file).name, found.error.line) == ("helpers.py", 2)
    assert found.error.message == "RuntimeError: not ready"
    worker, found = await loaded(tools, {"helpers.py": helpers.replace("raise", "#")})
    assert found.error is None
    assert (await worker.call("say", {})).observation == "w"


async def test_files_in_the_project_folder_named_like_standard_modules_are_never_imported(
    project: Project, workers: Workers
) -> None:
    # https://github.com/spyder-ide/spyder/pull/12845
    root = project("import random, json, typing\n\ndef f() -> str:\n    return json.dumps(1)\n\nCUSTOM_TOOLS = [f]\n")
    for name in ["random", "json", "typing", "pydantic", "asyncio", "adal_ls", "sitecustomize", "usercustomize"]:
        (root / f"{name}.py").write_text(f"raise SystemExit('{name}.py of the project was imported')\n")
    worker = await workers(root)
    assert (await worker.load()).error is None
    assert (await worker.call("f", {})).observation == "1"


async def test_an_optional_import_and_one_in_a_tool_cost_no_other_tool(loaded: Loaded) -> None:
    worker, found = await loaded(
        """
        try:
            import not_installed_here as extra
        except ImportError:
            extra = None

        def with_it() -> str:
            return "yes" if extra else "no"

        def inside() -> str:
            import not_installed_here_either
            return "never"

        CUSTOM_TOOLS = [with_it, inside, undefined] if False else [with_it, inside]
        """
    )
    assert [tool.name for tool in found.tools] == ["with_it", "inside"]
    assert (await worker.call("with_it", {})).observation == "no"
    result = await worker.call("inside", {})
    assert result.observation == "ModuleNotFoundError: No module named 'not_installed_here_either'"
    assert result.trace is not None
    assert f"{sys.executable} -m pip install not_installed_here_either" in result.trace


NEW_SYNTAX = '''
type Name = str


def first[T](items: list[T]) -> T:
    """Give the first one."""
    return items[0]


def label(d: dict[str, str]) -> str:
    """Label."""
    return f"{d["a"]}"


CUSTOM_TOOLS = [first, label]
'''


@pytest.mark.parametrize("python", pythons())
async def test_syntax_is_judged_by_the_python_that_runs_it(project: Project, workers: Workers, python: str) -> None:
    tell = "import sys; print(*sys.version_info[:2])"
    version = [int(part) for part in subprocess.run([python, "-c", tell], capture_output=True).stdout.split()]
    if version < [3, 10] or not has_pydantic(python):
        python, version = sys.executable, list(sys.version_info[:2])
    worker = await workers(project(textwrap.dedent(NEW_SYNTAX)), interpreter=python)
    found = await worker.load()
    if version >= [3, 12]:
        assert found.error is None
        assert (await worker.call("label", {"d": {"a": "x"}})).observation == "x"
        assert (await worker.call("first", {"items": [1]})).observation == "1"
    else:
        assert found.error is not None
        assert (found.error.kind, found.error.line) == ("syntax", 2)


@pytest.mark.skipif(os.name != "posix", reason="a folder that is taken away is a POSIX matter")
async def test_a_project_folder_that_is_gone_is_told(project: Project, workers: Workers, tmp_path: Path) -> None:
    root = tmp_path / "gone"
    root.mkdir()
    worker = await workers(root)
    root.rmdir()
    found = await worker.load()
    assert found.error is not None
    assert "no way into the project" in found.error.message
    assert str(root) in found.error.message
