from __future__ import annotations

import sys
from typing import Any

import pytest

from adal_ls.server.settings import Settings, host_python, read, trusted
from tests.server.client import Client


@pytest.mark.parametrize("options", [None, {}, {"trusted": False}, {"trusted": 1}, {"trusted": "true"}, [True], True])
def test_only_a_literal_true_is_trust(options: Any) -> None:
    assert not trusted(options)
    assert trusted({"trusted": True})


def test_settings_of_the_host_are_taken_over() -> None:
    given = {"model": "m", "permissionMode": "yolo", "enabledDefaultTools": ["Read"], "trusted": True}
    settings, complaints = read(given, Settings())
    assert settings.host == {"model": "m", "permissionMode": "yolo", "enabledDefaultTools": ["Read"]}
    assert complaints == []


@pytest.mark.parametrize(
    "given",
    [
        "text",
        {"model": 3},
        {"permissionMode": "all"},
        {"permissionMode": ["default"]},
        {"enabledDefaultTools": "Read"},
        {"disabledDefaultTools": [1]},
        {"lint": ["ADAL1"]},
        {"toolSeconds": "60"},
        {"toolSeconds": True},
        {"toolSeconds": -1},
        {"loadSeconds": 0},
        {"loadSeconds": 1e9},
    ],
)
def test_a_value_of_a_wrong_kind_is_named_and_left_out(given: Any) -> None:
    settings, complaints = read(given, Settings({"model": "kept"}))
    assert settings == Settings({"model": "kept"})
    assert len(complaints) == 1


def test_time_limits_of_tools_and_loads_are_the_hosts() -> None:
    settings, complaints = read({"toolSeconds": 600, "loadSeconds": 2.5}, Settings())
    assert (settings.host, complaints) == ({"toolSeconds": 600, "loadSeconds": 2.5}, [])


def test_null_and_empty_values_mean_not_set() -> None:
    before = Settings({"model": "m", "interpreter": "/py", "enabledDefaultTools": ["Read"]})
    settings, complaints = read({"model": None, "interpreter": "", "enabledDefaultTools": []}, before)
    assert (settings.host, complaints) == ({}, [])


def test_the_host_runs_on_the_servers_interpreter_unless_another_is_named() -> None:
    assert host_python(None) == sys.executable
    assert host_python({}) == sys.executable
    assert host_python({"hostPython": "/venv/bin/python"}) == "/venv/bin/python"
    assert host_python({"hostPython": None}) is None


def test_a_setting_that_does_not_exist_is_told_once(client: Client) -> None:
    client.initialize(options={"modle": "x", "logLevel": "info", "hostPython": None, "lint": {}})
    for number in range(3):
        settings = {"adal": {"modle": "x", "model": f"m{number}", "permissionMode": "never"}}
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
    client.tolerated.add("window/logMessage")
    client.shut_down()
    told = [message["params"]["message"] for message in client.unread]
    assert told[0] == "there is no setting modle"
    assert len(told) == 2
    assert "permissionMode" in told[1]
