"""Pieces of work that end in a published snapshot: the command line and the worker call the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import RunFailed
from engine.pipeline import BuildReport
from engine.progress import Progress, silent
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.sweep.progress import SweepProgress


@dataclass(frozen=True)
class Demonstration:
    """How the demo ended."""

    built: BuildReport
    note: str | None
    """What is amiss beside the runs; None = nothing."""


def demonstrate(settings: Settings, *, quick: bool, progress: Progress = silent) -> Demonstration:
    """Score the bundled models on the local tasks, where that is not done yet, and publish.

    Raises:
        WeightsError: The bundled models are not installed, or not the pinned ones.
        RunFailed: Some runs failed; the others are published.
        Busy: Another process sweeps on the CPU, or another one goes on writing.
    """
    # Loads torch and mteb: only whoever runs the demo pays for that.
    from engine.demo import SOURCE_NAME, demo_folder, run_demo
    from engine.study.publishing import publish
    from engine.study.run import device_lock

    def tell(moment: SweepProgress) -> None:
        progress(f"{moment.model} on {moment.task}", moment.done, moment.total, moment.eta_seconds)

    with device_lock(settings, "cpu"):
        progress("loading models", 0, 0)
        swept = run_demo(settings, quick=quick, progress=tell)
    built = publish(settings, SOURCE_NAME, demo_folder(settings), progress)
    if swept.failed:
        first = swept.failed[0]
        raise RunFailed(
            f"{len(swept.failed)} of {swept.done + len(swept.failed)} runs failed, such as {first.model_name} on "
            f"{first.task_name}: {first.cause}. The others are in snapshot {built.snapshot_id}; run it again to retry."
        )
    return Demonstration(built, swept.note)
