"""mteb's task classes for local tasks: the same texts in the shape that each task type wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from datasets import Dataset, DatasetDict
from mteb.abstasks import (
    AbsTaskBitextMining,
    AbsTaskClassification,
    AbsTaskPairClassification,
    AbsTaskRetrieval,
    AbsTaskSTS,
)
from mteb.abstasks.abstask import AbsTask
from mteb.abstasks.task_metadata import TaskMetadata

from engine.sweep.local_task import SPLIT, TRAINING_TEXTS, Labelled, LabelledText, LocalTask, Pair, Search

CUTOFFS = (1, 3, 5, 10)
"""Ranks at which retrieval is judged; mteb's own tasks go on to 1,000, which is more documents than there are."""


def build_task(task: LocalTask) -> AbsTask:
    """A fresh mteb task."""
    base, shape = SHAPES[task.task_type]

    def load_data(self: Any, num_proc: int | None = None, **_: Any) -> None:
        if not self.data_loaded:
            self.dataset = {subset: shape(content) for subset, content in task.content.items()}
            self.data_loaded = True

    members = {
        "metadata": metadata_of(task),
        "load_data": load_data,
        "k_values": CUTOFFS,
        **_training(task),
        **_score_range(task),
    }
    made: AbsTask = type(task.name, (base,), members)()
    return made


def _training(task: LocalTask) -> dict[str, int]:
    """How training texts are drawn: once where all are used anyway, else by mteb's ten draws of eight a label."""
    parts = [content.train for content in task.content.values() if isinstance(content, Labelled)]
    counts = [n for part in parts for n in Counter(text.label for text in part).values()]
    return {"n_experiments": 1, "samples_per_label": TRAINING_TEXTS} if max(counts, default=0) <= TRAINING_TEXTS else {}


def _score_range(task: LocalTask) -> dict[str, float]:
    """The ends of the scale that pairs are graded on, which mteb asks for."""
    grades = [pair.label for content in task.content.values() if isinstance(content, list) for pair in content]
    return {"min_score": min(grades, default=0.0), "max_score": max(grades, default=1.0)}


def metadata_of(task: LocalTask) -> TaskMetadata:
    """The task's description as mteb checks it."""
    return TaskMetadata.model_validate(
        {
            "name": task.name,
            "type": task.task_type,
            "main_score": task.main_score,
            "category": task.category,
            "description": task.description,
            "eval_langs": {subset: list(languages) for subset, languages in task.languages.items()},
            "eval_splits": [SPLIT],
            "domains": list(task.domains),
            "sample_creation": task.sample_creation,
            "annotations_creators": task.annotations_creators,
            "license": task.license,
            "reference": task.reference,
            "dataset": {"path": f"scorelens-demo/{task.name}", "revision": task.dataset_revision},
        }
    )


def _search(content: Search) -> dict[str, dict[str, Any]]:
    documents = [{"id": name, "title": title, "text": text} for name, (title, text) in content.documents.items()]
    return {
        SPLIT: {
            "queries": Dataset.from_list([{"id": name, "text": text} for name, text in content.queries.items()]),
            "corpus": Dataset.from_list(documents),
            "relevant_docs": {
                query: dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, 1)
                for query, names in content.relevant.items()
            },
            "top_ranked": None,
        }
    }


def _labelled(content: Labelled) -> DatasetDict:
    def column(texts: list[LabelledText]) -> Dataset:
        return Dataset.from_list([{"text": text.text, "label": text.label} for text in texts])

    return DatasetDict({"train": column(list(content.train)), SPLIT: column(list(content.test))})


def _pairs(content: list[Pair]) -> DatasetDict:
    rows = [{"sentence1": pair.first, "sentence2": pair.second, "labels": int(pair.label)} for pair in content]
    return DatasetDict({SPLIT: Dataset.from_list(rows)})


def _graded(content: list[Pair]) -> DatasetDict:
    rows = [{"sentence1": pair.first, "sentence2": pair.second, "score": pair.label} for pair in content]
    return DatasetDict({SPLIT: Dataset.from_list(rows)})


def _bitext(content: list[Pair]) -> DatasetDict:
    rows = [{"sentence1": pair.first, "sentence2": pair.second} for pair in content]
    return DatasetDict({SPLIT: Dataset.from_list(rows)})


SHAPES: dict[str, tuple[type[AbsTask], Callable[[Any], Any]]] = {
    "Retrieval": (AbsTaskRetrieval, _search),
    "Classification": (AbsTaskClassification, _labelled),
    "PairClassification": (AbsTaskPairClassification, _pairs),
    "BitextMining": (AbsTaskBitextMining, _bitext),
    "STS": (AbsTaskSTS, _graded),
}
