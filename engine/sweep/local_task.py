"""A task of our own: its description in mteb's words, and the texts and labels that it is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from engine.errors import TaskUnavailable
from engine.sweep.plan import SweepTask

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

SPLIT = "test"

TRAINING_TEXTS = 4
"""Texts per label to train on."""


@dataclass(frozen=True)
class Pair:
    """Two texts, and whether they mean the same (1) or not (0), or how much."""

    first: str
    second: str
    label: float


@dataclass(frozen=True)
class LabelledText:
    """A text and the number of its label."""

    text: str
    label: int


@dataclass(frozen=True)
class Search:
    """Queries and documents by id, and the documents that answer each query."""

    queries: Mapping[str, str]
    documents: Mapping[str, tuple[str, str]]
    """Title and text by id."""
    relevant: Mapping[str, Sequence[str] | Mapping[str, int]]
    """Names of the documents that answer a query, or their grades."""


@dataclass(frozen=True)
class Labelled:
    """Texts to train on and texts to label."""

    train: Sequence[LabelledText]
    test: Sequence[LabelledText]


Content = Search | Labelled | Sequence[Pair]
"""What one subset holds: pairs serve both pair classification and bitext mining."""


@dataclass(frozen=True)
class Size:
    """How much a subset holds, under the names of the table of rows; None = the task type has no such thing."""

    n_queries: int | None = None
    n_documents: int | None = None
    n_samples: int | None = None


@dataclass(frozen=True)
class LocalTask:
    """A task that no benchmark has."""

    name: str
    task_type: str
    main_score: str
    category: str
    description: str
    languages: Mapping[str, tuple[str, ...]]
    """Languages by subset."""
    content: Mapping[str, Content]
    """Texts and labels by subset."""
    domains: tuple[str, ...]
    sample_creation: str
    annotations_creators: str | None
    license: str
    reference: str | None
    limit_mark: str = ""
    """Says that only a part of the texts is used; empty = all."""

    @property
    def dataset_revision(self) -> str:
        """A hash of the texts and labels as they are used: other texts make another revision."""
        parts = json.dumps(self.content, default=vars, sort_keys=True, ensure_ascii=False)
        return sha256(parts.encode("utf-8")).hexdigest()[:32] + self.limit_mark

    def sweep_task(self, notes: tuple[str, ...] = ()) -> SweepTask:
        """The task as a sweep takes it, with what there is to say about how it was read."""
        return SweepTask(self.name, self.task_type, self.dataset_revision, self.build, self.described(), notes)

    def build(self) -> AbsTask:
        """A fresh mteb task."""
        from engine.sweep.local_task_classes import build_task

        return build_task(self)

    def described(self) -> dict[str, Any]:
        """The task as `tasks.json` has it: columns of the tasks table, and its rows."""
        return {
            "task_name": self.name,
            "task_type": self.task_type,
            "main_score": self.main_score,
            "description": self.description,
            "domains": list(self.domains),
            "languages": sorted({language for languages in self.languages.values() for language in languages}),
            "eval_splits": [SPLIT],
            "category": self.category,
            "sample_creation": self.sample_creation,
            "annotations_creators": self.annotations_creators,
            "license": self.license,
            "dataset_revision": self.dataset_revision,
            "reference": self.reference,
            "is_public": True,
            "modalities": ["text"],
            "rows": [
                {
                    "split": SPLIT,
                    "subset": subset,
                    "languages": list(self.languages[subset]),
                    "is_eval_split": True,
                    **vars(size_of(content)),
                }
                for subset, content in self.content.items()
            ],
        }


def expect_spread(task: LocalTask) -> None:
    """Refuse what cannot tell models apart, or cannot be scored.

    That is pairs that are all judged alike, and texts to label that stand under just two of several labels: mteb takes
    those for a question of yes and no, and fails on a third answer.

    Raises:
        TaskUnavailable: A subset is so.
    """
    expected = {"PairClassification": "pairs labelled 1 and pairs labelled 0", "STS": "two different scores or more"}
    for subset, content in task.content.items():
        if isinstance(content, Labelled):
            _expect_more_than_two(task.name, content)
        if task.task_type not in expected or isinstance(content, Search | Labelled):
            continue
        judged = {pair.label for pair in content}
        if len(judged) < 2:
            seen = f"all {len(content)} pairs of {subset!r} are judged {', '.join(map(str, judged))}"
            raise TaskUnavailable(
                f"{task.name}: {seen}; expected {expected[task.task_type]}. Add pairs, or raise the limit."
            )


def _expect_more_than_two(name: str, content: Labelled) -> None:
    labels, scored = ({text.label for text in texts} for texts in (content.train, content.test))
    if len(scored) == 2 < len(labels):
        raise TaskUnavailable(
            f"{name}: the {len(content.test)} texts to label stand under 2 of {len(labels)} labels; expected 3 or more "
            "of them, since mteb scores two as yes and no. Add texts, or raise the limit."
        )


def size_of(content: Content) -> Size:
    """How many texts a subset's scores rest on."""
    if isinstance(content, Search):
        return Size(n_queries=len(content.queries), n_documents=len(content.documents))
    return Size(n_samples=len(content.test) if isinstance(content, Labelled) else len(content))
