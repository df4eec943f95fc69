"""Pieces of work that end in a published snapshot: the command line and the worker call the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.lock import engine_lock
from engine.pipeline import BuildReport, build
from engine.progress import Progress, silent
from engine.settings import Settings
from engine.sources import add_source

if TYPE_CHECKING:
    from engine.sweep.progress import SweepProgress

DEMO = "demo"
"""Name of the demo's source, and of its folder among the results."""


def demonstrate(settings: Settings, *, quick: bool, progress: Progress = silent) -> BuildReport:
    """Score the bundled models on the local tasks, where that is not done yet, and publish.

    Raises:
        WeightsError: The bundled models are not installed, or not the pinned ones.
        Busy: Another engine process is writing.
    """
    # Loads torch and mteb: only whoever runs the demo pays for that.
    from engine.demo import run_demo

    def tell(moment: SweepProgress) -> None:
        progress(f"{moment.model} on {moment.task}", moment.done, moment.total, moment.eta_seconds)

    with engine_lock(settings):
        run_demo(settings, quick=quick, progress=tell)
        add_source(settings, settings.results / DEMO, DEMO)
        return build(settings, progress)
