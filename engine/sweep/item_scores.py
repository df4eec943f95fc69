"""Takes item scores out of mteb while it scores: what it predicted for each item, next to what is right.

mteb hands predictions to a method that would write them to a file without the right answers. Here that method is
replaced on the one task object that is scored, so that the numbers are those that the main score was made of.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

TOP = 10
_CUTS = {"ndcg": "ndcg_cut_", "map": "map_cut_", "recall": "recall_", "precision": "P_", "hit_rate": "success_"}
"""What pytrec_eval calls mteb's metrics."""

Item = dict[str, Any]
Form = Callable[[Any, Any, Any, list[Sequence[int]]], list[Item]]


class ItemWatch:
    """Watches one task object being scored; `items` holds what was seen.

    Args:
        task: A fresh task; give it to mteb with any prediction folder, which is not written to.
    """

    def __init__(self, task: AbsTask) -> None:
        self.items: list[Item] = []
        self._task: Any = task
        self._draws: list[Sequence[int]] = []
        task._save_task_predictions = self._take  # type: ignore[method-assign]
        if hasattr(task, "task_specific_scores"):
            self._specific: Callable[..., Any] = task.task_specific_scores
            task.task_specific_scores = self._take_queries
        if hasattr(task, "max_document_to_embed"):
            task.rng_state = _Remembering(task.rng_state, self._draws)

    @property
    def head(self) -> dict[str, str]:
        """The first line of the file."""
        metadata = self._task.metadata
        return {"task_name": metadata.name, "task_type": metadata.type, "main_score": metadata.main_score}

    def _take(self, predictions: Any, model: Any, prediction_folder: Any, hf_split: str, hf_subset: str) -> None:
        kind = self._task.metadata.type
        form: Form = _FORMS.get(kind, _as_given)
        if not hasattr(self._task, "task_specific_scores"):
            rows = self._rows(hf_subset, hf_split)
            found: list[Item] = form(self._task, predictions, rows, list(self._draws))
            self.items += [{**item, "split": hf_split, "subset": hf_subset} for item in found]
        self._draws.clear()

    def _rows(self, subset: str, split: str) -> Any:
        dataset = self._task.dataset
        return dataset.get(subset, dataset)[split]

    def _take_queries(
        self, scores: dict[str, dict[str, float]], qrels: Any, results: Any, hf_split: str, hf_subset: str
    ) -> Any:
        main = _main_of_query(self._task.metadata.main_score)
        for query, measured in scores.items():
            ranked = sorted(results[query].items(), key=lambda found: (-found[1], found[0]))
            ranked = ranked[1:] if self._task.skip_first_result else ranked
            reciprocal = _reciprocal_rank([name for name, _ in ranked[:TOP]], qrels[query])
            self.items.append(
                {
                    "kind": "query",
                    "split": hf_split,
                    "subset": hf_subset,
                    "id": query,
                    "ndcg_at_10": measured.get("ndcg_cut_10"),
                    "recall_at_10": measured.get("recall_10"),
                    "mrr_at_10": reciprocal,
                    "main": main(measured, [name for name, _ in ranked], qrels[query]),
                    "top": [{"id": name, "similarity": float(similarity)} for name, similarity in ranked[:TOP]],
                }
            )
        return self._specific(scores, qrels, results, hf_split=hf_split, hf_subset=hf_subset)


class _Remembering(random.Random):
    """A generator that goes on where another stands, and remembers which rows it drew."""

    def __init__(self, like: random.Random, draws: list[Sequence[int]]) -> None:
        super().__init__()
        self.setstate(like.getstate())
        self._draws = draws

    def sample(self, population: Any, k: int, **options: Any) -> list[Any]:
        drawn = super().sample(population, k, **options)
        self._draws.append(drawn)
        return drawn

    def choices(self, population: Any, *more: Any, **options: Any) -> list[Any]:
        drawn = super().choices(population, *more, **options)
        self._draws.append(drawn)
        return drawn


def _main_of_query(main_score: str) -> Callable[[Mapping[str, float], Sequence[str], Mapping[str, int]], float | None]:
    metric, _, cut = main_score.rpartition("_at_")
    if metric == "mrr":
        return lambda _, ranked, right: _reciprocal_rank(ranked[: int(cut)], right)
    return lambda measured, *_: measured.get(f"{_CUTS.get(metric, metric)}{cut}")


def _reciprocal_rank(ranked: Sequence[str], right: Mapping[str, int]) -> float:
    return next((1 / (place + 1) for place, name in enumerate(ranked) if right.get(name, 0) > 0), 0.0)


def _pairs(task: Any, predictions: Mapping[str, Sequence[float]], rows: Any, _: Any) -> list[Item]:
    column = "score" if task.metadata.type == "STS" else task.label_column_name
    gold = rows[0][column] if len(rows) == 1 and isinstance(rows[0][column], list) else rows[column]
    return [
        {"kind": "pair", "position": at, "gold": right}
        | {name: float(values[at]) for name, values in predictions.items()}
        for at, right in enumerate(gold)
    ]


def _sentences(task: Any, predictions: Any, rows: Any, _: Any) -> list[Item]:
    if not isinstance(predictions, Mapping) or len(predictions) != 1:
        return _as_given(task, predictions, rows, _)
    (neighbours,) = predictions.values()
    return [
        {
            "kind": "sentence",
            "position": at,
            "gold": at,
            "found": int(found["corpus_id"]),
            "similarity": float(found["score"]),
        }
        for at, found in enumerate(neighbours)
    ]


def _texts(task: Any, predictions: Sequence[Sequence[Any]], rows: Any, _: Any) -> list[Item]:
    true = rows[task.label_column_name]
    if len(true) != len(predictions[0]):
        return _as_given(task, predictions, rows, _)
    return [
        {"kind": "text", "position": at, "true": right, "predicted": [experiment[at] for experiment in predictions]}
        for at, right in enumerate(true)
    ]


def _clusterings(task: Any, predictions: Any, rows: Any, draws: list[Sequence[int]]) -> list[Item]:
    experiments = [(level, number, labels) for level, runs in predictions.items() for number, labels in enumerate(runs)]
    embedded = list(draws[0]) if len(draws) == len(experiments) + 1 else list(range(len(rows)))
    if len(draws) - len(experiments) not in (0, 1):
        return _as_given(task, predictions, rows, draws)
    labels = rows[task.label_column_name]
    items = []
    for (level, number, predicted), drawn in zip(experiments, draws[len(draws) - len(experiments) :], strict=True):
        depth = int(level.removeprefix("Level "))
        true = [(at, path[depth]) for at in embedded if len(path := _path(labels[at])) > depth and path[depth] != -1]
        items.append(
            {
                "kind": "clustering",
                "level": level,
                "experiment": number,
                "positions": [true[at][0] for at in drawn],
                "true": [true[at][1] for at in drawn],
                "predicted": predicted,
            }
        )
    return items


def _path(label: Any) -> list[Any]:
    return label if isinstance(label, list) else [label]


def _as_given(task: Any, predictions: Any, rows: Any, _: Any) -> list[Item]:
    return [{"kind": "prediction", "predictions": predictions}]


_FORMS: dict[str, Form] = {
    "STS": _pairs,
    "PairClassification": _pairs,
    "BitextMining": _sentences,
    "Classification": _texts,
    "MultilabelClassification": _texts,
    "Clustering": _clusterings,
}
