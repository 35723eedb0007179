from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from adal_ls.workspace import uris

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")


@pytest.mark.parametrize("name", ["plain", "my projekt ü", "100% #1?", "a+b&c=d", "😀"])
def test_paths_survive_the_way_to_a_uri_and_back(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    assert uris.to_path(uris.from_path(path)) == path
    assert uris.to_path((tmp_path / name).as_uri()) == path


@posix_only
def test_file_names_that_are_no_utf8_survive(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(str(tmp_path)) + b"/a\xff")
    assert uris.to_path(uris.from_path(path)) == path


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "git:/p/.adal/tools.py", "vscode-notebook-cell:/p", "file:///p%00q", "", "file:"]
)
def test_what_is_no_file_has_no_path(uri: str) -> None:
    assert uris.to_path(uri) is None


@posix_only
def test_a_uri_with_another_machine_as_its_host_has_no_path() -> None:
    assert uris.to_path("file://server/share/tools.py") is None
    assert uris.to_path("file://localhost/p") == "/p"


def test_a_file_and_a_link_to_it_are_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    one, other = ((tmp_path / name / "tools.py").as_uri() for name in ("real", "link"))
    assert uris.spelling(one) != uris.spelling(other)
    assert uris.identity(one) == uris.identity(other)
