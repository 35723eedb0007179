"""Work that can be stopped from another thread."""

from __future__ import annotations


class Cancelled(Exception):  # noqa: N818 - no fault: who asked does not want the answer any more
    """What is being worked on was taken back."""


class Cancellation:
    """Whether a request was taken back: set on the main thread, looked at by whatever works on the request."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False

    def cancel(self) -> None:
        self.is_set = True

    def check(self) -> None:
        """Stops work that nobody waits for.

        Raises:
            Cancelled: the request was taken back.
        """
        if self.is_set:
            raise Cancelled
