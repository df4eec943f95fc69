"""Runs a resolved study on this machine's devices, and says at every step how it stands."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from filelock import FileLock

from engine.atomic import write_atomically
from engine.errors import UsageError
from engine.lock import engine_lock
from engine.settings import Settings
from engine.study.board import Board, Fault
from engine.study.parts import run_parts
from engine.study.progress_board import BoardKeeper
from engine.study.resolve import Resolved
from engine.study.shards import Shard, spread
from engine.sweep.devices import choose_devices, compute_on, count_gpus
from engine.sweep.progress import SweepProgress
from engine.sweep.prompting import encode_prompts, read_prompts
from engine.sweep.record import PROMPTS_FILE, TASKS_FILE
from engine.sweep.runner import run_sweep
from engine.sweep.vectors import VectorFile

Watch = Callable[[Board], None]


@dataclass(frozen=True)
class StudyReport:
    """How the run of a study ended."""

    board: Board
    faults: tuple[Fault, ...]
    seconds: float

    @property
    def is_partial(self) -> bool:
        """Something of the study is not there: a run failed, or an entry could not be had."""
        return bool(self.faults or self.board.refused)


def devices_of(asked: str) -> tuple[str, ...]:
    """The devices that a study runs on here; torch is loaded only where a GPU may be meant.

    Raises:
        UsageError: A GPU was asked for that is not there.
    """
    return choose_devices(asked, 0 if asked == "cpu" else count_gpus())


def run_study(
    settings: Settings,
    resolved: Resolved,
    devices: tuple[str, ...],
    watch: Watch,
    shard: Shard | None = None,
) -> StudyReport:
    """How a study ended, after all that is missing was tried on these devices.

    Args:
        settings: Whose data folder.
        resolved: What to run.
        devices: Where; with several, each gets a process, and `cpu#1`, `cpu#2` are two on one.
        watch: Called with the board after whatever happened to a run.
        shard: The part of the study that this is: another part may use the same device name on the same disk.

    Raises:
        Busy: Another process sweeps on one of the devices.
    """
    started = monotonic()
    keeper = BoardKeeper(resolved.plan, resolved.refused, devices)
    with ExitStack() as held:
        for device in devices:
            held.enter_context(device_lock(settings, device, shard))
        watch(keeper.board)
        if resolved.plan.runs:
            describe_sweep(resolved)
        if resolved.plan.missing:
            run = _run_here if len(devices) == 1 else _run_apart
            run(settings, resolved, devices, keeper, watch)
        watch(keeper.board)
    return StudyReport(keeper.board, tuple(keeper.faults), monotonic() - started)


@contextmanager
def device_lock(settings: Settings, device: str, shard: Shard | None = None) -> Iterator[None]:
    """Be the one sweep on a device of this machine.

    Raises:
        Busy: Another process is; the message names it.
    """
    part = f"-{shard.number}of{shard.of}" if shard and shard.of > 1 else ""
    name = f"device-{device.replace(':', '')}-{socket.gethostname()}{part}"
    with engine_lock(settings, name):
        yield


def describe_sweep(resolved: Resolved) -> None:
    """Say in the sweep's folder what its own tasks and its prompts are, beside what earlier sweeps said there."""
    folder = resolved.plan.folder
    (folder / "results").mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "results" / ".commit.lock"):
        described = [task.described for task in resolved.tasks.values() if task.described]
        known = _read_tasks(folder / TASKS_FILE)
        tasks = {**known, **{str(each["task_name"]): each for each in described}}
        if tasks:
            text = json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"
            write_atomically(folder / TASKS_FILE, text)
        earlier = read_prompts(folder / PROMPTS_FILE) if (folder / PROMPTS_FILE).exists() else ()
        of_study = (prompt for texts in resolved.prompts.values() for prompt in texts)
        prompts = tuple({(each.task_name, each.prompt_id): each for each in (*earlier, *of_study)}.values())
        if prompts:
            write_atomically(folder / PROMPTS_FILE, encode_prompts(prompts))


def _read_tasks(path: Path) -> dict[str, Mapping[str, Any]]:
    if not path.exists():
        return {}
    try:
        return {str(each["task_name"]): each for each in json.loads(path.read_text("utf-8"))}
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{path} does not describe tasks ({type(error).__name__}: {error}); expected what an earlier sweep wrote. "
            "Restore it, or remove it: then it describes the tasks of this sweep alone."
        ) from error


def _run_here(
    settings: Settings, resolved: Resolved, devices: tuple[str, ...], keeper: BoardKeeper, watch: Watch
) -> None:
    def tell(moment: SweepProgress) -> None:
        keeper.note(moment, devices[0])
        watch(keeper.board)

    with VectorFile(settings.vectors / "vectors.sqlite") as vectors:
        run_sweep(resolved.plan, vectors, tell, compute_on(devices[0].partition("#")[0], resolved.study.dtype))


def _run_apart(
    settings: Settings, resolved: Resolved, devices: tuple[str, ...], keeper: BoardKeeper, watch: Watch
) -> None:
    def tell(device: str, moment: SweepProgress) -> None:
        keeper.note(moment, device)
        watch(keeper.board)

    shares = dict(zip(devices, spread(resolved.plan.missing, len(devices)), strict=False))
    pins = {name: model.revision for name, model in resolved.models.items()}
    for device, (code, left) in run_parts(settings, resolved.study, shares, pins, tell).items():
        cause = f"The process on {device} ended with code {code} before it came to this run; expected 0. Run it again."
        keeper.lose(left, device, cause)
