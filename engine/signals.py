"""Ending well: SIGTERM and Ctrl-C end a block of work at once, and everything around it is cleaned up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Stopped(BaseException):
    """The process was asked to end; not an error, so no handler of errors takes it."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """A block that SIGTERM or Ctrl-C ends without an error.

    SIGINT is taken over as well: polars' own handler lets a wait for a child go on as if nothing had happened.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise Stopped

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with suppress(Stopped):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
