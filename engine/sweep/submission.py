"""What mteb says about results that are to be sent to its results repository: known or not, whole or not, loadable."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import CheckFailed
from engine.schema import LIMIT_SIGN
from engine.sweep.libraries import prepare_libraries

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Judged:
    """A result file as mteb reads it, and why mteb would not want it."""

    task_name: str
    fault: str | None
    """None = fit to be sent"""


def judge_result(path: Path) -> Judged:
    """What mteb makes of a result file: its task must be registered, its data those that are, all rows there."""
    prepare_libraries()
    import mteb
    from mteb.get_tasks import _TASKS_REGISTRY
    from mteb.results import TaskResult

    try:
        result = TaskResult.from_disk(path)
    except Exception as error:
        # mteb's reader raises whatever its validators do; any of it means that the file is not its own.
        return Judged(path.stem, f"mteb cannot read it: {' '.join(str(error).split())[:200]}")
    name = result.task_name
    if name not in _TASKS_REGISTRY:
        return Judged(name, "mteb registers no task of that name")
    task = mteb.get_task(name)
    registered = str(task.metadata.dataset["revision"])
    if LIMIT_SIGN in result.dataset_revision:
        return Judged(name, f"a part of the task's texts only ({result.dataset_revision}); run it without a limit")
    if result.dataset_revision != registered:
        return Judged(name, f"scored on data revision {result.dataset_revision}; mteb registers {registered}")
    missing = [
        f"{split}/{subset}" for split, subsets in result.get_missing_evaluations(task).items() for subset in subsets
    ]
    if missing:
        return Judged(name, f"{len(missing)} of its rows are missing, such as {missing[0]}")
    scores = [row["main_score"] for split in task.eval_splits for row in result.scores[split]]
    if any(score is None or score != score for score in scores):
        return Judged(name, "a row has no score")
    return Judged(name, None)


@cache
def fault_of_model(name: str, revision: str) -> str | None:
    """Why mteb would not want a model's results; None = it would."""
    prepare_libraries()
    from mteb.models.model_implementations import MODEL_REGISTRY

    meta = MODEL_REGISTRY.get(name)
    if meta is None:
        return "mteb registers no model of that name"
    if revision != meta.revision and not _COMMIT.fullmatch(revision):
        return f"revision {revision}; expected {meta.revision}, which mteb registers, or the hash of a commit"
    return None


def registered_meta(name: str, revision: str, settings: Mapping[str, Any] | None) -> str:
    """The text of `model_meta.json` as mteb itself writes it for a registered model.

    Args:
        name: A model that `fault_of_model` has nothing against.
        revision: Its revision.
        settings: `experiment_kwargs` of a run under a prompt; None for default settings.
    """
    from mteb.models.model_implementations import MODEL_REGISTRY

    meta = MODEL_REGISTRY[name].model_copy(update={"revision": revision, "experiment_kwargs": settings})
    return json.dumps(meta.to_dict(), default=str, indent=4)


def check_tree(folder: Path, expected: Mapping[tuple[str, str], int]) -> None:
    """Have mteb's own loader read a tree.

    Args:
        folder: What contains `results/`.
        expected: How many results there must be, by model and revision.

    Raises:
        CheckFailed: mteb finds more, fewer or others.
    """
    prepare_libraries()
    import mteb

    results = mteb.ResultCache(cache_path=folder).load_results(
        load_experiments="match_name", include_remote=False, require_model_meta=True
    )
    found: dict[tuple[str, str], int] = {}
    for each in results.model_results:
        key = (each.model_name, str(each.model_revision))
        found[key] = found.get(key, 0) + len(each.task_results)
    if found != dict(expected):
        raise CheckFailed(f"mteb reads {found} from {folder}; expected {dict(expected)}. Export into an empty folder.")
