"""The one place where mteb scores: an encoder of literal strings, and a fresh task per run.

mteb's own prompt lookup and embedding cache stay out of it: the lookup reaches further than a study
wants (a query prompt on documents, a lost document prefix), and the cache's key knows no prompt.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets
import mteb
import numpy as np
from mteb.abstasks import AbsTaskClassification, AbsTaskMultilabelClassification
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ModelMeta

from engine.schema import PromptType
from engine.sweep.encoders import Vectors
from engine.sweep.item_scores import ItemWatch
from engine.sweep.items import encode_items
from engine.sweep.prompting import Setting

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask
    from mteb.results import TaskResult

Embed = Callable[[PromptType, list[str]], Vectors]
"""One row per text of a side."""

TEXTS_AT_ONCE = 512
"""Texts that mteb hands over at a time; batches for the model are cut elsewhere."""

NOWHERE = Path("predictions")
PLACEHOLDER_WIDTH = 8


class LiteralEncoder(AbsEncoder):
    """What mteb sees: a function from a side and its texts to vectors. Nothing is looked up or added."""

    mteb_model_meta: ModelMeta

    def __init__(self, embed: Embed, meta: ModelMeta) -> None:
        self.mteb_model_meta = meta
        self._embed = embed

    def encode(self, inputs: Any, *, prompt_type: Any = None, **_: Any) -> Vectors:
        """The vectors of all texts that mteb asks for, in order."""
        side = PromptType.NONE if prompt_type is None else PromptType(prompt_type.value)
        return self._embed(side, [text for batch in inputs for text in batch["text"]])


@dataclass(frozen=True)
class Scored:
    """What mteb made of a task."""

    result: TaskResult
    items: bytes
    """The items' file."""


def score(task: AbsTask, embed: Embed, meta: ModelMeta) -> Scored:
    """The result that mteb gives a task. Give a fresh one each time: scoring moves its random state on."""
    datasets.disable_progress_bars()
    _hand_over_plain_labels(task)
    watch = ItemWatch(task)
    with warnings.catch_warnings():
        # mteb's bitext evaluator copies a tensor in a way that torch advises against.
        warnings.filterwarnings("ignore", "To copy construct from a tensor", UserWarning)
        # mteb's classification computes side metrics that are undefined for labels nobody predicted.
        warnings.filterwarnings("ignore", ".* is ill-defined and being set to 0.0")
        results = mteb.evaluate(
            LiteralEncoder(embed, meta),
            task,
            cache=None,
            co2_tracker=False,
            encode_kwargs={"batch_size": TEXTS_AT_ONCE, "show_progress_bar": False},
            # Only where this is set does mteb hand predictions over; nothing is written there.
            prediction_folder=NOWHERE,
            show_progress_bar=False,
        )
    return Scored(results.task_results[0], encode_items(watch.head, watch.items))


def _hand_over_plain_labels(task: Any) -> None:
    """Give a classification's metrics their labels as a list.

    mteb hands over a column of the data set, which each of ten metrics reads row by row: at 20,000 texts that took
    13 of 16 seconds of scoring. The numbers are the same.
    """
    if isinstance(task, AbsTaskClassification) and not isinstance(task, AbsTaskMultilabelClassification):
        calculate = task._calculate_scores
        task._calculate_scores = lambda y_test, y_pred: calculate(y_test[:], y_pred)  # type: ignore[method-assign]


def with_prefixes(setting: Setting, fetch: Callable[[Sequence[str]], Vectors]) -> Embed:
    """The function that puts each side's exact string before its texts and fetches the vectors."""

    def embed(side: PromptType, texts: list[str]) -> Vectors:
        prefix = setting.prefixes[side]
        return fetch([prefix.before(text) for text in texts])

    return embed


def texts_of(task: AbsTask) -> dict[PromptType, tuple[str, ...]]:
    """The distinct texts that mteb embeds for a task, by side, in order of first use: found by watching it.

    The task is scored once with made-up vectors, so whatever mteb does to texts on the way (titles
    before documents, training samples drawn at random) is what it will do later.
    """
    seen: dict[PromptType, dict[str, None]] = {}
    generator = np.random.default_rng(0)

    def watch(side: PromptType, texts: list[str]) -> Vectors:
        seen.setdefault(side, {}).update(dict.fromkeys(texts))
        return generator.standard_normal((len(texts), PLACEHOLDER_WIDTH), dtype=np.float32)

    score(task, watch, model_meta({}))
    return {side: tuple(texts) for side, texts in seen.items()}


def model_meta(fields: Mapping[str, Any]) -> ModelMeta:
    """A model's description in mteb's form, checked by mteb; what is not given is empty."""
    return ModelMeta.model_validate({**ModelMeta.create_empty().model_dump(), **fields})
