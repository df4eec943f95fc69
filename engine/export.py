"""Results of our own, laid out for a pull request to MTEB's results repository.

Only what that repository takes goes along: whole tasks and models that mteb registers, without our records and item
scores. What is left out is listed with its reason.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.atomic import write_atomically
from engine.errors import SourceError, UsageError
from engine.ingest.scan import result_roots
from engine.sweep.record import read_record

META = "model_meta.json"
SETTINGS = "run_settings.jsonl"
EXPERIMENTS = "experiments"


@dataclass(frozen=True)
class LeftOut:
    """A result that was not exported, and why."""

    path: str
    """below the source's folder"""
    reason: str


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote."""

    folder: Path
    exported: tuple[str, ...]
    """paths below the folder"""
    left_out: tuple[LeftOut, ...]


def export_mteb(source: Path, folder: Path, *, experiments: bool = False) -> ExportReport:
    """What was written to a folder, and what was not.

    Args:
        source: A results folder of ours or of mteb's: what contains `results/`.
        folder: Where to write `results/<model>/<revision>/<Task>.json`; empty or not there yet.
        experiments: Take runs under other prompts along, in `experiments/`, too.

    Raises:
        UsageError: The folder is not empty.
        SourceError: The source has no results.
        CheckFailed: mteb does not read the written tree as it was written.
    """
    from engine.sweep.submission import check_tree

    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; expected an empty folder or none. Name another one.")
    roots = result_roots(source)
    if not roots:
        raise SourceError(f"{source} holds no results; expected results/<model>/<revision>/<Task>.json below it.")
    exported: list[str] = []
    left_out: list[LeftOut] = []
    counted: Counter[tuple[str, str]] = Counter()
    for root in roots:
        for place in _places(source / root):
            model = _Model.of(place)
            for result in sorted(place.glob("*.json")):
                if result.name == META:
                    continue
                reason = _reason(result, model, experiments=experiments)
                if reason is not None:
                    left_out.append(LeftOut(result.relative_to(source).as_posix(), reason))
                    continue
                target = folder / "results" / place.relative_to(source / root) / result.name
                _copy(result, target, model)
                exported.append(target.relative_to(folder).as_posix())
                counted[model.name, model.revision] += 1
    if exported:
        check_tree(folder, counted)
    return ExportReport(folder, tuple(exported), tuple(left_out))


@dataclass(frozen=True)
class _Model:
    """Whose results a folder holds, and under which settings."""

    name: str
    revision: str
    settings: dict[str, Any] | None

    @classmethod
    def of(cls, place: Path) -> _Model:
        """The model of a folder by its `model_meta.json`, else by its path."""
        top = place.parent.parent if place.parent.name == EXPERIMENTS else place
        try:
            meta = json.loads((place / META).read_bytes())
            return cls(str(meta["name"]), str(meta["revision"]), _with_recorded(place, meta.get("experiment_kwargs")))
        except (OSError, ValueError, KeyError, TypeError):
            return cls(top.parent.name.replace("__", "/"), top.name, None)


def _with_recorded(place: Path, settings: dict[str, Any] | None) -> dict[str, Any] | None:
    """An experiment's settings with the prompts of every task in its folder, whichever machines they ran on."""
    if settings is None:
        return None
    records = [read_record(path) for path in sorted(place.glob("*.record.jsonl"))]
    recorded = {key: text for record in records for key, text in (record.prompts or {}).items()}
    return {**settings, "prompts": {**(settings.get("prompts") or {}), **recorded}} if recorded else settings


def _places(root: Path) -> Iterator[Path]:
    """Folders that results lie in: of each model's revision, and of the experiments below."""
    for revision in sorted(root.glob("*/*")):
        if revision.is_dir():
            yield revision
            yield from sorted(each for each in revision.glob(f"{EXPERIMENTS}/*") if each.is_dir())


def _reason(result: Path, model: _Model, *, experiments: bool) -> str | None:
    """Why a result is left out; None = it is not."""
    from engine.sweep.submission import fault_of_model, judge_result

    is_experiment = result.parent.parent.name == EXPERIMENTS
    if is_experiment and not experiments:
        return "a run under a prompt of one's own; --experiments takes it along"
    if is_experiment and model.settings is None:
        return "an experiment without its settings in model_meta.json"
    return fault_of_model(model.name, model.revision) or judge_result(result).fault


def _copy(result: Path, target: Path, model: _Model) -> None:
    """Put a result in place, and beside it the model's description and the settings of this task."""
    from engine.sweep.submission import registered_meta

    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(result, target)
    if not (target.parent / META).exists():
        write_atomically(target.parent / META, registered_meta(model.name, model.revision, model.settings))
    written = target.parent / SETTINGS
    lines = written.read_text("utf-8").splitlines() if written.exists() else []
    lines += _settings_of(result)
    if lines:
        write_atomically(written, "\n".join([*lines, ""]))


def _settings_of(result: Path) -> list[str]:
    """The lines of mteb's run settings that are about one task."""
    beside = result.with_name(SETTINGS)
    if not beside.exists():
        return []
    lines = [line for line in beside.read_text("utf-8").splitlines() if line.strip()]
    return [line for line in lines if json.loads(line).get("task") == result.stem]
