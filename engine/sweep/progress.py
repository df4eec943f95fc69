"""How far a sweep is, how fast, and how long it will still take: measured, never guessed.

Encoding time goes with parameters × characters and scoring time with the number of runs, so a model
that has not started yet is estimated by what the models before it took for their share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.sweep.plan import PlannedRun, TextsBySide


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


Progress = Callable[[SweepProgress], None]


def work_of(runs: Iterable[PlannedRun], texts: Mapping[str, TextsBySide]) -> dict[Path, float]:
    """Parameters × characters to encode, by a run's result; strings of an earlier run of its model cost nothing."""
    seen: dict[str, set[str]] = {}
    work = {}
    for run in runs:
        strings = set(run.strings(texts[run.task.name])) - seen.setdefault(run.model.name, set())
        seen[run.model.name] |= strings
        work[run.result] = float(run.model.active_parameters * sum(map(len, strings)))
    return work


class Stopwatch:
    """Turns measured seconds into seconds still needed."""

    def __init__(self, work: Mapping[Path, float]) -> None:
        self._work = dict(work)
        self._worked = 0.0
        self._encoding = 0.0
        self._scoring = 0.0
        self._scored = 0

    def finish(self, run: PlannedRun, encode_seconds: float, score_seconds: float) -> None:
        """Note what a run took."""
        self._worked += self._work.pop(run.result)
        self._encoding += encode_seconds
        self._scoring += score_seconds
        self._scored += 1

    def give_up(self, run: PlannedRun) -> None:
        """Note that a run failed: nothing is left to do for it."""
        self._work.pop(run.result)

    @property
    def eta_seconds(self) -> float | None:
        """Seconds still needed at the pace so far; None until a run was finished."""
        if not self._scored:
            return None
        encoding = sum(self._work.values()) * self._encoding / self._worked if self._worked else 0.0
        return encoding + len(self._work) * self._scoring / self._scored
