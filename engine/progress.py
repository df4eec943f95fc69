"""How far a piece of work is: told by whoever works, shown by whoever watches."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told how far a piece of work is."""

    def __call__(self, stage: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """`done` of `total` steps of a stage are over; a total of 0 means that nobody knows."""


def silent(stage: str, done: int, total: int, seconds_left: float | None = None) -> None:
    """Progress that nobody looks at."""
