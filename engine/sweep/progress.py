"""How far a sweep is, how fast, and how long it will still take: measured, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.sweep.plan import PlannedRun


class RunEvent(StrEnum):
    """What has just happened to a run."""

    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class SweepProgress:
    """One moment of a sweep: something has just happened to the run of `model`, `task` and `prompt`."""

    event: RunEvent

    done: int
    total: int
    model: str
    task: str
    prompt: str | None
    """Text of the study's prompt; None for default settings."""
    texts_per_second: float | None
    """Texts encoded per second by this model; None before the first."""
    eta_seconds: float | None
    """Seconds still needed; None until something was measured."""
    texts: int = 0
    """Texts that the run asked for, repeats included, once it is done."""
    texts_encoded: int = 0
    """Of those, encoded anew."""
    cause: str | None = None
    """Why the run failed."""
    note: str | None = None
    """What is amiss beside the run, as that vectors can no longer be kept; said again with every run from then on."""


Progress = Callable[[SweepProgress], None]


class Stopwatch:
    """Turns measured seconds into seconds still needed.

    A model's first run on a task encodes all of its texts, the later ones little more than the side that the prompt is
    put before: the two are timed apart, each by second and parameter. Where one of them was not timed yet, the other
    stands in.
    """

    def __init__(self, runs: Sequence[PlannedRun]) -> None:
        seen: set[tuple[str, str]] = set()
        self._left: dict[Path, tuple[bool, int]] = {}
        for run in runs:
            cell = (run.model.name, run.task.name)
            self._left[run.result] = (cell not in seen, run.model.active_parameters)
            seen.add(cell)
        self._seconds = {True: 0.0, False: 0.0}
        self._parameters = {True: 0, False: 0}

    def finish(self, run: PlannedRun, seconds: float) -> None:
        """Note what a run took."""
        is_first, parameters = self._left.pop(run.result)
        self._seconds[is_first] += seconds
        self._parameters[is_first] += parameters

    def give_up(self, run: PlannedRun) -> None:
        """Note that a run failed: nothing is left to do for it."""
        self._left.pop(run.result)

    @property
    def eta_seconds(self) -> float | None:
        """Seconds still needed at the pace so far; None until a run was finished."""
        paces = {first: self._seconds[first] / timed for first, timed in self._parameters.items() if timed}
        if not paces:
            return None
        some = next(iter(paces.values()))
        return sum(paces.get(first, some) * parameters for first, parameters in self._left.values())
