"""Doing what a plan says: each model loaded once, each run committed by itself, failures listed at the end.

A run is committed when its result file appears: the record is written first, the result last, each by
a rename. A kill at any moment costs at most the run in flight, and the next sweep does what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from engine.atomic import replace_content, sync_file, sync_folder
from engine.errors import SourceError, cause_of
from engine.sweep.encoders import Compute
from engine.sweep.items import items_path
from engine.sweep.libraries import prepare_libraries
from engine.sweep.plan import Plan, PlannedRun, SweepModel
from engine.sweep.progress import Progress, RunEvent, Stopwatch, SweepProgress
from engine.sweep.record import RunRecord, encode_record, record_path
from engine.sweep.vectors import Tally, VectorFile, VectorSource

if TYPE_CHECKING:
    from mteb.results import TaskResult

    from engine.sweep.scoring import Scored

PACKAGES = ("mteb", "torch", "sentence-transformers", "transformers", "numpy")


@dataclass(frozen=True)
class RunFailure:
    """A run that was given up, and why."""

    model_name: str
    task_name: str
    prompt_text: str | None
    cause: str


@dataclass(frozen=True)
class SweepReport:
    """How a sweep ended."""

    done: int
    skipped: int
    """Runs that were there already."""
    failed: tuple[RunFailure, ...]
    seconds: float
    note: str | None = None
    """What is amiss beside the runs, as that vectors can no longer be kept."""


def run_sweep(plan: Plan, vectors: VectorFile, progress: Progress, compute: Compute | None = None) -> SweepReport:
    """The report of a sweep after all that is missing was tried.

    One run's failure, or one model's, is listed and the rest goes on; so is a task that cannot be built.
    """
    started = monotonic()
    if not plan.missing:
        return SweepReport(0, plan.n_existing, (), monotonic() - started)
    prepare_libraries()
    sweep = _Sweep(plan, vectors, progress, compute or Compute())
    for _, runs in groupby(plan.missing, key=lambda run: run.model.name):
        sweep.run_model(list(runs))
    return SweepReport(sweep.done, plan.n_existing, tuple(sweep.failed), monotonic() - started, vectors.problem)


class _Sweep:
    """The state of one sweep under way."""

    def __init__(self, plan: Plan, vectors: VectorFile, progress: Progress, compute: Compute) -> None:
        self.done = 0
        self.failed: list[RunFailure] = []
        self._total = len(plan.missing)
        self._vectors = vectors
        self._progress = progress
        self._compute = compute
        self._stopwatch = Stopwatch(plan.missing)

    def run_model(self, runs: Sequence[PlannedRun]) -> None:
        """Do all runs of one model, one after the other."""
        self._report(RunEvent.BEGUN, runs[0])
        try:
            model = _LoadedModel(runs[0].model, self._vectors, self._compute)
        except Exception as error:
            for run in runs:
                self._give_up(run, error)
            return
        for run in runs:
            if run is not runs[0]:
                self._report(RunEvent.BEGUN, run, model)
            self._try(run, model)

    def _try(self, run: PlannedRun, model: _LoadedModel) -> None:
        try:
            seconds = model.run(run)
        except Exception as error:
            self._give_up(run, error, model)
        else:
            self._stopwatch.finish(run, seconds)
            self.done += 1
            self._report(RunEvent.DONE, run, model)

    def _give_up(self, run: PlannedRun, error: Exception, model: _LoadedModel | None = None) -> None:
        cause = cause_of(error)
        self.failed.append(RunFailure(run.model.name, run.task.name, run.prompt_text, cause))
        self._stopwatch.give_up(run)
        self._report(RunEvent.FAILED, run, model, cause)

    def _report(
        self, event: RunEvent, run: PlannedRun, model: _LoadedModel | None = None, cause: str | None = None
    ) -> None:
        tally = model.tally if model and event is RunEvent.DONE else Tally()
        self._progress(
            SweepProgress(
                event=event,
                done=self.done + len(self.failed),
                total=self._total,
                model=run.model.name,
                task=run.task.name,
                prompt=run.prompt_text,
                texts_per_second=model.texts_per_second if model else None,
                eta_seconds=self._stopwatch.eta_seconds,
                texts=tally.texts,
                texts_encoded=tally.texts_encoded,
                cause=cause,
                note=self._vectors.problem,
            )
        )


class _LoadedModel:
    """A model in memory, with what mteb wants to know of it."""

    def __init__(self, model: SweepModel, vectors: VectorFile, compute: Compute) -> None:
        from engine.sweep.scoring import model_meta

        self._source = VectorSource(model.load(compute), vectors)
        self._meta = model_meta({**model.describe(), "name": model.name, "revision": model.revision})
        self._encoded = 0
        self._seconds = 0.0

    @property
    def tally(self) -> Tally:
        """What the latest run asked for."""
        return self._source.tally

    @property
    def texts_per_second(self) -> float | None:
        """Texts encoded per second so far."""
        return self._encoded / self._seconds if self._encoded else None

    def run(self, run: PlannedRun) -> float:
        """Encode, score, commit; the seconds that took."""
        from engine.sweep.scoring import score, with_prefixes

        begun = monotonic()
        tally = self._source.tally = Tally()
        meta = self._meta.model_copy(update={"experiment_kwargs": run.setting.experiment_kwargs})
        task = run.task.build()
        scored = score(task, with_prefixes(run.setting, self._source.fetch), meta)
        seconds = monotonic() - begun
        commit(run, scored, meta.to_dict(), self._record(run, tally, seconds, task.seed))
        self._encoded += tally.texts_encoded
        self._seconds += tally.seconds
        return seconds

    def _record(self, run: PlannedRun, tally: Tally, seconds: float, seed: int) -> RunRecord:
        encoder = self._source.encoder
        return RunRecord(
            task_name=run.task.name,
            prompt_id=run.setting.prompt.prompt_id if run.setting.prompt else None,
            strings={side: prefix.text for side, prefix in run.setting.prefixes.items()},
            origins={side: prefix.origin for side, prefix in run.setting.prefixes.items()},
            template_used=run.setting.template_used,
            versions=versions(),
            device=encoder.device,
            dtype=encoder.identity.dtype,
            seconds=seconds,
            texts=tally.texts,
            texts_encoded=tally.texts_encoded,
            tokens=tally.tokens,
            seed=seed,
            prompts=run.setting.keyed_prompts,
        )


def commit(run: PlannedRun, scored: Scored, meta: Mapping[str, Any], record: RunRecord) -> None:
    """Put a run's files in place, the result last: it is there when the run is complete, and not before.

    Two processes may commit into one folder (two tasks under the same prompt): one after the other, since the files
    that all its runs share are read, added to and written.
    """
    folder = run.result.parent
    folder.mkdir(parents=True, exist_ok=True)
    results = next(each for each in folder.parents if each.name == "results")
    with FileLock(results / ".commit.lock"):
        _put_in_place(folder, run, scored, meta, record)


def _put_in_place(folder: Path, run: PlannedRun, scored: Scored, meta: Mapping[str, Any], record: RunRecord) -> None:
    replace_content(folder / "model_meta.json", _merged_meta(folder / "model_meta.json", meta))
    settings = folder / "run_settings.jsonl"
    replace_content(settings, _merged_settings(settings, scored.result, record.versions))
    replace_content(record_path(run.result), encode_record(record))
    replace_content(items_path(run.result), scored.items)
    # mteb writes to a path only, and rounds scores on the way: the file is made beside its place and moved.
    part = run.result.with_name(f"{run.result.name}.part")
    scored.result.to_disk(part)
    sync_file(part)
    part.replace(run.result)
    sync_folder(folder)


def _merged_meta(path: Path, meta: Mapping[str, Any]) -> str:
    """The text of `model_meta.json` with the prompt keys of every task that ran in this folder."""
    settings = meta.get("experiment_kwargs")
    if settings is None or not path.exists():
        return json.dumps(meta, default=str, indent=4)
    with _written_by_a_sweep(path):
        known = json.loads(path.read_text("utf-8"))["experiment_kwargs"]["prompts"]
        prompts = dict(sorted({**known, **settings["prompts"]}.items()))
    return json.dumps({**meta, "experiment_kwargs": {**settings, "prompts": prompts}}, default=str, indent=4)


def _merged_settings(path: Path, result: TaskResult, versions: Mapping[str, str | None]) -> str:
    """The lines of mteb's `run_settings.jsonl` with this run's lines in place of the task's earlier ones."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    with _written_by_a_sweep(path):
        kept = [line for line in lines if json.loads(line).get("task") != result.task_name]
    fresh = [
        json.dumps(
            {
                "task": result.task_name,
                "splits": [split],
                "version": dict(versions),
                "encode_kwargs": {},
                "subsets": sorted(str(row["hf_subset"]) for row in rows),
            }
        )
        for split, rows in result.scores.items()
    ]
    return "\n".join([*kept, *fresh, ""])


@contextmanager
def _written_by_a_sweep(path: Path) -> Iterator[None]:
    """Name the file where what is read in the block is not what an earlier run has left."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SourceError(
            f"{path} is not as an earlier run left it ({type(error).__name__}: {error}). Restore it; or remove its "
            "folder, and the runs in it are done anew."
        ) from error


@cache
def versions() -> dict[str, str | None]:
    """The installed versions of what made a run's numbers."""
    found: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
