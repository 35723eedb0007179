from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from adal_ls.agent.models.model_faults import retry_after, said


class LimitedError(Exception):
    """As litellm raises it: headers of the response, the provider's error object, its words."""

    def __init__(self, message: str = "", *, header: str | None = None, body: object = None) -> None:
        super().__init__(message)
        self.litellm_response_headers = {} if header is None else {"retry-after": header}
        self.body = body


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (LimitedError(header="2"), 2.0),
        (LimitedError(header="0.5"), 0.5),
        (LimitedError(header="-3"), 0.0),
        (LimitedError(header="soon"), None),
        (LimitedError(header="soon", body={"retry_after": 4}), 4.0),
        (LimitedError("Rate limit reached for gpt-4o. Please try again in 1.5s."), 1.5),
        (LimitedError("Please try again in 20ms."), 0.02),
        (LimitedError("Please try again in 1m30s"), 90.0),
        (LimitedError("Please retry after 6 seconds."), 6.0),
        (LimitedError("slow down"), None),
    ],
)
def test_how_long_to_wait_is_read_as_providers_say_it(fault: LimitedError, seconds: float | None) -> None:
    assert retry_after(fault) == seconds


def test_a_date_is_counted_from_now_and_one_in_the_past_is_no_wait() -> None:
    wait = retry_after(LimitedError(header=formatdate(time.time() + 30, usegmt=True)))
    assert wait is not None
    assert 27 < wait <= 30
    assert retry_after(LimitedError(header="Wed, 21 Oct 2015 07:28:00 GMT")) == 0.0


def test_what_a_connection_says_of_its_own_insides_is_left_out() -> None:
    fault = OSError(
        "Cannot connect to host localhost:11434 ssl:<ssl.SSLContext object at 0x7f> "
        "[Connect call failed ('127.0.0.1', 11434)]"
    )
    assert said(fault) == "Cannot connect to host localhost:11434"
    assert said(OSError("Cannot connect to host a:1 ssl:default [Name or service not known]")) == (
        "Cannot connect to host a:1 [Name or service not known]"
    )
