from __future__ import annotations

import random
import string

import pytest

from adal_ls.lint import Severity
from tests.lint.marks import F, codes, marked, only

# Made here, so that no scanner takes this file for one that holds secrets.
_RANDOM = random.Random(7)
LETTERS = string.ascii_letters + string.digits


def secret(length: int, letters: str = LETTERS) -> str:
    return "".join(_RANDOM.choice(letters) for _ in range(length - 2)) + "k9"


SHAPES = [
    "sk-" + secret(40),
    "sk-proj-" + secret(40),
    "ghp_" + secret(36),
    "github_pat_" + secret(40),
    "AKIA" + secret(16, string.ascii_uppercase + string.digits).upper(),
    "xoxb-" + secret(24),
    "Bearer sk-" + secret(40),
    "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE",
]


@pytest.mark.parametrize("value", SHAPES)
def test_a_key_of_a_known_shape_is_a_warning_that_does_not_repeat_it(value: str) -> None:
    source = f"{F}headers = {{'x': {value!r}}}\nCUSTOM_TOOLS = [f]\n"
    finding = only(source, "ADAL606")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, repr(value))
    assert value[-10:] not in finding.message
    assert "os.environ" in finding.message


@pytest.mark.parametrize(
    "statement",
    [
        "API_KEY = {!r}",
        "db_password: str = {!r}",
        "client.secret = {!r}",
        "os.environ['JIRA_API_TOKEN'] = {!r}",
        "connect(user='me', password={!r})",
        "CONFIG = {{'access_key': {!r}}}",
        "def _get(token={!r}): ...",
        "async def _work():\n    api_key = {!r}",
    ],
)
def test_a_random_literal_under_a_telling_name_is_a_warning(statement: str) -> None:
    assert codes(f"{F}{statement.format(secret(20))}\nCUSTOM_TOOLS = [f]\n") == ["ADAL606"]


@pytest.mark.parametrize(
    "statement",
    [
        "API_KEY = os.environ['API_KEY']",
        "API_KEY = 'JIRA_API_TOKEN_2'",
        "auth = ('email', 'JIRA_API_TOKEN')",
        "API_KEY = 'your-api-key-here-1'",
        "API_KEY = 'sk-your-key-xxxxxxxxxxxxxxxxxxxx'",
        "API_KEY = '<insert 32 chars here>'",
        "KEY = 'AKIAIOSFODNN7EXAMPLE'",
        "password = 'hunter2'",
        "password = 'hunter2hunter2'",
        "token_url = 'https://auth.internal/oauth2/token99'",
        "token = f'{prefix}-a8Dk20fmQ'",
        "next_token = None",
        "max_tokens = 'a1B2c3D4e5F6g7H8'",
        "ids = ['a1B2c3D4e5F6g7H8']",
        "PATTERN = r'sk-[A-Za-z0-9]{20,}'",
        "def _g():\n    '''token: a1B2c3D4e5F6g7H8'''",
        "# API_KEY = 'q8Zr41LmX0vT9sWk'",
    ],
)
def test_placeholders_names_and_everything_else_are_quiet(statement: str) -> None:
    assert codes(f"import os\n{F}prefix = ''\n{statement}\nCUSTOM_TOOLS = [f]\n") == []
