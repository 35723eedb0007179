from __future__ import annotations

import dataclasses
import subprocess
import sys

from adal_ls import ToolOutput


def test_fields_order_and_defaults_are_upstreams() -> None:
    fields = [(field.name, field.default) for field in dataclasses.fields(ToolOutput)]
    assert fields == [
        ("output", None),
        ("observation", None),
        ("display", None),
        ("is_streaming", False),
        ("metadata", None),
        ("status", "success"),
    ]


def test_the_fourth_positional_argument_is_is_streaming_as_upstream() -> None:
    value = ToolOutput("a", "b", "c", "error")  # type: ignore[arg-type]
    assert dataclasses.astuple(value) == ("a", "b", "c", "error", None, "success")


def test_importing_the_package_imports_nothing_of_weight() -> None:
    program = (
        "import sys, adal_ls\n"
        "before = set(sys.modules)\n"
        "print(sorted(name for name in before if name.startswith('adal_ls')))\n"
        "print(before & {'pydantic', 'asyncio', 'dataclasses', 'inspect', 'pygls', 'litellm'})\n"
        "from adal_ls import ToolOutput\n"
        "print(ToolOutput.__name__, 'pydantic' in sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == ["['adal_ls', 'adal_ls.version']", "set()", "ToolOutput False"]


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    import adal_ls

    assert not hasattr(adal_ls, "NoSuchName")
