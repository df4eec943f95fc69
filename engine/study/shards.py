"""How a plan is cut: over machines by the study alone, over the devices of one machine by what is left to do.

A shard is the same whatever a machine has on disk and whichever models it cannot get, because it goes by places
in the study. Devices share one disk and one resolved plan, so there the heaviest work goes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import UsageError
from engine.sweep.plan import PlannedRun


@dataclass(frozen=True)
class Shard:
    """One of several parts of a plan."""

    number: int = 1
    of: int = 1

    def holds(self, model_at: int, task_at: int, n_models: int, n_tasks: int) -> bool:
        """This part has the runs of a model on a task, named by their places in the study.

        Whole models go round where there are enough of them, so that each is loaded on one machine only; else
        single cells do.
        """
        place = model_at if n_models >= self.of else model_at * n_tasks + task_at
        return place % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_shard(text: str) -> Shard:
    """The shard in a text such as `2/8`.

    Raises:
        UsageError: It is none.
    """
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"Shard {text!r}; expected i/n with 1 ≤ i ≤ n, such as 2/8.")
    return Shard(int(number), int(of))


def spread(missing: Sequence[PlannedRun], n_devices: int) -> list[list[PlannedRun]]:
    """The runs of each device: the heaviest piece first, each to the device with least to do.

    A piece is a whole model, or, with fewer models than devices, a model on one task. What it weighs is active
    parameters × runs: a study runs all its models on the same texts, so texts need not be counted.
    """
    whole = len({run.model.name for run in missing}) >= n_devices
    pieces: dict[tuple[str, str], list[PlannedRun]] = defaultdict(list)
    for run in missing:
        pieces[run.model.name, "" if whole else run.task.name].append(run)
    shares: list[list[PlannedRun]] = [[] for _ in range(n_devices)]
    weights = [0] * n_devices
    for key, runs in sorted(pieces.items(), key=lambda piece: (-_weight(piece[1]), piece[0])):
        lightest = weights.index(min(weights))
        shares[lightest] += pieces[key]
        weights[lightest] += _weight(runs)
    order = {run.result: place for place, run in enumerate(missing)}
    return [sorted(share, key=lambda run: order[run.result]) for share in shares if share]


def _weight(runs: Sequence[PlannedRun]) -> int:
    return sum(run.model.active_parameters for run in runs)
