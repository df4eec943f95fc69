"""The items of each task type: what mteb predicted, in rows, next to what is right.

A form takes the task, what mteb hands over as its predictions, the rows that were scored and what was remembered
while scoring, and gives one item a row, as the table in `engine.sweep.items` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

Item = dict[str, Any]


@dataclass
class Remembered:
    """What a task did while it was scored, beside its predictions."""

    draws: list[Sequence[int]] = field(default_factory=list)
    """rows that were drawn at random, in order"""
    truth: Any = None
    """what several labels a text were compared with: one column a label"""

    def clear(self) -> None:
        """Forget it, before the next subset."""
        self.draws.clear()
        self.truth = None


Form = Callable[[Any, Any, Any, Remembered], list[Item]]


def form_of(task: Any) -> Form:
    """The form for a task, by what it has and then by its type; predictions as they are where none fits."""
    if hasattr(task, "max_eval_samples"):
        return _multilabel
    if getattr(task, "is_cross_validation", False):
        return _folds
    if task.metadata.type == "Clustering":
        return _clustering if hasattr(task, "max_document_to_embed") else _cluster_sets
    return _FORMS.get(task.metadata.type, _as_given)


def short(values: Sequence[float]) -> list[float]:
    """The same 32-bit numbers in as few digits as tell them apart; others unchanged."""
    numbers = np.asarray(values, np.float64)
    narrow = numbers.astype(np.float32)
    if not np.array_equal(narrow.astype(np.float64), numbers, equal_nan=True):
        return [float(number) for number in numbers]
    return [float(number) for number in narrow.astype(str)]


def _pairs(task: Any, predictions: Mapping[str, Sequence[float]], rows: Any, _: Remembered) -> list[Item]:
    column = "score" if task.metadata.type == "STS" else task.label_column_name
    gold = rows[0][column] if len(rows) == 1 and isinstance(rows[0][column], list) else rows[column]
    measured = {name: short(values) for name, values in predictions.items()}
    return [
        {"kind": "pair", "position": at, "gold": right} | {name: values[at] for name, values in measured.items()}
        for at, right in enumerate(gold)
    ]


def _sentences(task: Any, predictions: Any, rows: Any, _: Remembered) -> list[Item]:
    is_parallel = bool(task.parallel_subsets)
    gold = [pair[1] for pair in rows["gold"]] if isinstance(rows, Mapping) and "gold" in rows else None
    return [
        {
            "kind": "sentence",
            **({"subset": pair} if is_parallel else {}),
            "position": at,
            "gold": at if gold is None else int(gold[at]),
            "found": int(found["corpus_id"]),
            "similarity": short([found["score"]])[0],
        }
        for pair, neighbours in predictions.items()
        for at, found in enumerate(neighbours)
    ]


def _texts(task: Any, predictions: Sequence[Sequence[Any]], rows: Any, _: Remembered) -> list[Item]:
    return [
        {"kind": "text", "position": at, "true": right, "predicted": [experiment[at] for experiment in predictions]}
        for at, right in enumerate(rows[task.label_column_name])
    ]


def _folds(task: Any, predictions: Sequence[Sequence[Any]], rows: Any, _: Remembered) -> list[Item]:
    """Texts of a task that trains on a part of the same rows each time: each text is predicted once."""
    from sklearn.model_selection import KFold  # type: ignore[import-untyped]

    true = list(rows[task.label_column_name])
    folds = KFold(n_splits=task.n_splits, shuffle=True, random_state=task.seed).split(range(len(true)))
    return [
        {"kind": "text", "position": int(at), "true": true[at], "predicted": [label], "fold": fold}
        for fold, ((_, tested), labels) in enumerate(zip(folds, predictions, strict=True))
        for at, label in zip(tested, labels, strict=True)
    ]


def _multilabel(task: Any, predictions: Any, rows: Any, remembered: Remembered) -> list[Item]:
    """Texts with several labels each; of a large split mteb scores a part, and positions count in that part."""
    truth = np.asarray(remembered.truth)
    names: Sequence[Any] = sorted(set(chain.from_iterable(rows[task.label_column_name])))
    if len(names) != truth.shape[1]:
        names = range(truth.shape[1])
    experiments = [np.asarray(experiment) for experiment in predictions]

    def labels(row: Any) -> list[Any]:
        return [names[int(at)] for at in np.flatnonzero(row)]

    return [
        {
            "kind": "text",
            "position": at,
            "true": labels(right),
            "predicted": [labels(experiment[at]) for experiment in experiments],
        }
        for at, right in enumerate(truth)
    ]


def _clustering(task: Any, predictions: Any, rows: Any, remembered: Remembered) -> list[Item]:
    """Texts with their cluster in each run, once for every time that the run drew them."""
    n_runs = sum(map(len, predictions.values()))
    drawn = remembered.draws[len(remembered.draws) - n_runs :]
    embedded = remembered.draws[0] if len(remembered.draws) > n_runs else range(len(rows))
    labels, at_run, items = list(rows[task.label_column_name]), 0, []
    for level, runs in predictions.items():
        depth = int(level.removeprefix("Level "))
        true = [(at, path[depth]) for at in embedded if len(path := _path(labels[at])) > depth and path[depth] != -1]
        clusters: list[list[list[int]]] = [[[] for _ in runs] for _ in true]
        for number, predicted in enumerate(runs):
            for at, cluster in zip(drawn[at_run], predicted, strict=True):
                clusters[at][number].append(cluster)
            at_run += 1
        items += [
            {"kind": "clustering", "level": level, "position": at, "true": label, "predicted": of_runs}
            for (at, label), of_runs in zip(true, clusters, strict=True)
        ]
    return items


def _path(label: Any) -> list[Any]:
    return label if isinstance(label, list) else [label]


def _cluster_sets(task: Any, predictions: Sequence[Sequence[int]], rows: Any, _: Remembered) -> list[Item]:
    """Sets of texts that are clustered apart; mteb does not cluster a set that has one label only."""
    found = iter(predictions)
    return [
        {
            "kind": "cluster_set",
            "set": number,
            "true": list(true),
            "predicted": list(next(found)) if len(set(true)) > 1 else None,
        }
        for number, true in enumerate(rows[task.label_column_name])
    ]


def _summaries(task: Any, predictions: Mapping[str, Sequence[Sequence[float]]], *_: Any) -> list[Item]:
    """Texts that mteb scored: those whose summaries are all graded alike are skipped, and do not count."""
    measured = {name: [short(each) for each in values] for name, values in predictions.items()}
    gold = measured.pop("human_scores")
    return [
        {"kind": "summaries", "position": at, "gold": grades} | {name: values[at] for name, values in measured.items()}
        for at, grades in enumerate(gold)
    ]


def _as_given(task: Any, predictions: Any, *_: Any) -> list[Item]:
    return [as_given(predictions, f"{task.metadata.type} tasks have no form of their own")]


def as_given(predictions: Any, reason: str) -> Item:
    """Predictions as mteb handed them over, and why they are not in rows."""
    return {"kind": "prediction", "predictions": predictions, "reason": reason}


_FORMS: dict[str, Form] = {
    "STS": _pairs,
    "PairClassification": _pairs,
    "BitextMining": _sentences,
    "Classification": _texts,
    "Regression": _texts,
    "Summarization": _summaries,
}
