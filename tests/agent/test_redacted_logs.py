"""Logs of the host and the command line are without secrets, whoever writes them and how."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from adal_ls.agent.store.redacted_logs import redact_logs

KEY = "s3cr3t-canary-0123456789"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What a handler of somebody else's writes, as a library brings one."""
    monkeypatch.setenv("DEPLOY_TOKEN", KEY)
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger, before = logging.getLogger("tests.library"), logging.getLogRecordFactory()
    logger.addHandler(handler)
    redact_logs()
    yield written
    logging.setLogRecordFactory(before)
    logger.removeHandler(handler)


def test_neither_texts_nor_arguments_nor_tracebacks_hold_a_secret(log: io.StringIO) -> None:
    logger = logging.getLogger("tests.library")
    logger.error("with %s and %r", KEY, {"key": KEY})
    logger.warning(f"in the text {KEY}")
    try:
        int(KEY)
    except ValueError:
        logger.exception("it failed")
    logger.error("%d does not fit", KEY)
    text = log.getvalue()
    assert KEY not in text
    assert text.count("[redacted DEPLOY_TOKEN]") == 5
    assert "ValueError: invalid literal for int() with base 10: '[redacted DEPLOY_TOKEN]'" in text


@pytest.mark.parametrize(
    "begin", ["from adal_ls.cli import main; main(['rule', 'ADAL101'])", "import adal_ls.agent.__main__ as host"]
)
def test_every_command_and_the_host_log_so(begin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", KEY)
    started = "" if "cli" in begin else "host.asyncio.run = lambda serve: serve.close(); host.main();"
    code = f"{begin}; {started} import os, logging; logging.getLogger('x').error(os.environ['DEPLOY_TOKEN'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[redacted DEPLOY_TOKEN]\n"
