"""Takes item scores out of mteb while it scores: what it predicted for each item, next to what is right.

mteb hands predictions to a method that would write them to a file without the right answers. Here that method is
replaced on the one task object that is scored, so that the numbers are those that the main score was made of.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from engine.sweep.item_forms import Item, Remembered, as_given, form_of, short

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

TOP = 10
_CUTS = {"ndcg": "ndcg_cut_", "map": "map_cut_", "recall": "recall_", "precision": "P_", "hit_rate": "success_"}
"""What pytrec_eval calls mteb's metrics."""


class ItemWatch:
    """Watches one task object being scored; `items` holds what was seen.

    Args:
        task: A fresh task; give it to mteb with any prediction folder, which is not written to. Of a task that is
            made of others, each of them is watched, and its items say which one they are of.
    """

    def __init__(self, task: AbsTask) -> None:
        self.items: list[Item] = []
        self._metadata: Any = task.metadata
        parts: Sequence[Any] = getattr(task, "tasks", ())
        for each in parts or [task]:
            _watch(each, self.items, {"task": each.metadata.name} if parts else {})

    @property
    def head(self) -> dict[str, str]:
        """The first line of the file."""
        metadata = self._metadata
        return {"task_name": metadata.name, "task_type": metadata.type, "main_score": metadata.main_score}


def _watch(task: Any, items: list[Item], mark: Mapping[str, str]) -> None:
    """Put ears on a task object. What the class itself says is called, so that an earlier watch is not heard twice."""
    remembered = Remembered()
    is_search = hasattr(task, "task_specific_scores")
    form = form_of(task)

    def take(predictions: Any, model: Any, prediction_folder: Any, hf_split: str, hf_subset: str) -> None:
        if not is_search:
            rows = task.dataset.get(hf_subset, task.dataset)[hf_split]
            try:
                found = form(task, predictions, rows, remembered)
            except (LookupError, ValueError, TypeError, AttributeError) as error:
                # A task class of its own make: its score is worth more than the rows, and the file says what happened.
                found = [as_given(predictions, f"{type(error).__name__}: {error}")]
            items.extend({**mark, "split": hf_split, "subset": hf_subset, **item} for item in found)
        remembered.clear()

    task._save_task_predictions = take
    if is_search:
        _watch_search(task, items, mark)
    if hasattr(task, "max_document_to_embed"):
        task.rng_state = _Remembering(task.rng_state, remembered.draws)
    if hasattr(task, "max_eval_samples"):
        _watch_labels(task, remembered)


def _watch_search(task: Any, items: list[Item], mark: Mapping[str, str]) -> None:
    specific: Callable[..., Any] = type(task).task_specific_scores.__get__(task)
    main_score = task.metadata.main_score

    def take(scores: Any, qrels: Any, results: Any, hf_split: str, hf_subset: str) -> Any:
        place = {**mark, "split": hf_split, "subset": hf_subset, "kind": "query"}
        for query, measured in scores.items():
            found = _without_first(results[query]) if task.skip_first_result else results[query]
            items.append({**place, **_query(query, measured, found, qrels[query], main_score)})
        return specific(scores, qrels, results, hf_split=hf_split, hf_subset=hf_subset)

    task.task_specific_scores = take


def _watch_labels(task: Any, remembered: Remembered) -> None:
    calculate: Callable[..., Any] = type(task)._calculate_scores.__get__(task)

    def remember(y_test: Any, *more: Any) -> Any:
        remembered.truth = y_test
        return calculate(y_test, *more)

    task._calculate_scores = remember


def _query(
    query: str, measured: Mapping[str, float], found: Mapping[str, float], right: Mapping[str, int], main_score: str
) -> Item:
    """One query's part of the scores; documents of equal similarity in mteb's order, the last name first."""
    metric, _, cut = main_score.rpartition("_at_")
    deepest = max(TOP, int(cut)) if metric == "mrr" else TOP
    ranked = nlargest(deepest, found.items(), key=lambda each: (each[1], each[0]))
    names = [name for name, _ in ranked]
    similarities = short([similarity for _, similarity in ranked[:TOP]])
    main = _reciprocal_rank(names[: int(cut)], right) if metric == "mrr" else measured.get(f"{_CUTS.get(metric)}{cut}")
    return {
        "id": query,
        "ndcg_at_10": measured.get("ndcg_cut_10"),
        "recall_at_10": measured.get("recall_10"),
        "mrr_at_10": _reciprocal_rank(names[:TOP], right),
        "main": main,
        "top": [{"id": name, "similarity": each} for name, each in zip(names, similarities, strict=False)],
    }


def _without_first(found: Mapping[str, float]) -> dict[str, float]:
    """As mteb does it: the most similar document, of equals the one that was found first, is left out."""
    return dict(sorted(found.items(), key=lambda each: each[1], reverse=True)[1:])


def _reciprocal_rank(ranked: Sequence[str], right: Mapping[str, int]) -> float:
    return next((1 / (place + 1) for place, name in enumerate(ranked) if right.get(name, 0) > 0), 0.0)


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
