"""One process per device: each does its share of a plan, and tells what happens to its runs line by line.

`python -m engine.study.parts JOB` does the share that a job file describes. A process that dies takes only its
own runs with it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread

import msgspec

from engine.leash import start_leashed, stop
from engine.settings import Settings, from_environment
from engine.signals import ended_by_signals
from engine.study.file import Study
from engine.study.resolve import resolve
from engine.sweep.devices import compute_on
from engine.sweep.plan import Plan, PlannedRun
from engine.sweep.progress import SweepProgress
from engine.sweep.runner import run_sweep
from engine.sweep.vectors import VectorFile

_READ_SECONDS = 10.0
"""How long a process that was asked to end may still talk."""

Told = Callable[[str, SweepProgress], None]


class Job(msgspec.Struct, frozen=True):
    """The share of one process."""

    study: Study
    device: str
    results: tuple[str, ...]
    """paths of the runs to do"""
    pins: dict[str, str]
    """revisions of models, as the parent resolved them"""


def run_parts(
    settings: Settings, study: Study, shares: Mapping[str, Sequence[PlannedRun]], pins: Mapping[str, str], told: Told
) -> dict[str, tuple[int, list[PlannedRun]]]:
    """Exit code and unsettled runs by device, once all processes have ended.

    Args:
        settings: Whose data folder.
        study: What the shares belong to.
        shares: Runs by device; each gets a process.
        pins: Revisions of models by the study's entries.
        told: Called with a device and what has just happened there.
    """
    lines: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
    children: dict[str, subprocess.Popen[bytes]] = {}
    readers: list[Thread] = []
    left = {device: {str(run.result): run for run in runs} for device, runs in shares.items()}
    places = {(str(run.model.name), run.task.name, run.prompt_text): run for runs in shares.values() for run in runs}
    with TemporaryDirectory(prefix="scorelens-") as folder:
        try:
            for number, (device, runs) in enumerate(shares.items()):
                job = Path(folder) / f"{number}.json"
                paths = tuple(str(run.result) for run in runs)
                job.write_bytes(msgspec.json.encode(Job(study, _device(device), paths, dict(pins))))
                child = start_leashed(settings, "engine.study.parts", str(job), stdout=subprocess.PIPE)
                children[device] = child
                readers.append(Thread(target=_read, args=(device, child, lines), daemon=True))
                readers[-1].start()
            open_lines = len(children)
            while open_lines:
                device, line = lines.get()
                open_lines -= not line
                if line:
                    moment = msgspec.json.decode(line, type=SweepProgress)
                    if moment.event != "begun":
                        left[device].pop(str(places[moment.model, moment.task, moment.prompt].result), None)
                    told(device, moment)
            return {device: (child.wait(), list(left[device].values())) for device, child in children.items()}
        finally:
            for child in children.values():
                child.terminate()
            for reader in readers:
                reader.join(_READ_SECONDS)
            for child in children.values():
                stop(child)


def _device(name: str) -> str:
    """A device without the number that tells two processes on it apart: `cpu#2` is `cpu`."""
    return name.partition("#")[0]


def _read(device: str, child: subprocess.Popen[bytes], lines: SimpleQueue[tuple[str, bytes]]) -> None:
    """Hand on the lines of a child; an empty one says that there will be no more."""
    if child.stdout is None:
        return
    for line in child.stdout:
        if line.startswith(b"{"):  # a library may print as well
            lines.put((device, line))
    lines.put((device, b""))


def do_job(settings: Settings, path: Path) -> None:
    """Do one share, and print what happens to its runs."""
    job = msgspec.json.decode(path.read_bytes(), type=Job)
    resolved = resolve(settings, job.study, pins=job.pins)
    wanted = set(job.results)
    plan = Plan(resolved.plan.folder, tuple(run for run in resolved.plan.runs if str(run.result) in wanted))

    def tell(moment: SweepProgress) -> None:
        sys.stdout.buffer.write(msgspec.json.encode(moment) + b"\n")
        sys.stdout.buffer.flush()

    with VectorFile(settings.vectors / "vectors.sqlite") as vectors:
        run_sweep(plan, vectors, tell, compute_on(job.device, job.study.dtype))


if __name__ == "__main__":
    with ended_by_signals():
        do_job(from_environment(), Path(sys.argv[1]))
