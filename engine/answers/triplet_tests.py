"""Triplet tests of a set: its items as they are written now, and what models made of them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.triplet_tests import TripletTests, build_tests
from engine.errors import UsageError
from engine.settings import Settings
from engine.triplets.files import read_set, set_names
from engine.triplets.items import TripletItem
from engine.triplets.results import results_folder, similarities_of

_ITEM = ("language", "anchor", "anchor_gloss", "phenomenon", "note", "author", "source", "status", "written")


@dataclass(frozen=True)
class TripletQuestion:
    """Which set, and which models; no model is all."""

    set_name: str
    models: tuple[str, ...] = ()


def tested_sets(settings: Settings) -> tuple[str, ...]:
    """Sets that some model was asked about."""
    return tuple(name for name in set_names(settings) if next(results_folder(settings, name).glob("*/*/*.jsonl"), None))


def answer(settings: Settings, question: TripletQuestion) -> TripletTests:
    """The frames of the set.

    Raises:
        UsageError: There is no such set, or a model was not asked about it.
    """
    items = read_set(settings, question.set_name).items
    similarities = similarities_of(settings, question.set_name, items)
    if question.models:
        known = similarities["model_name"].unique().sort().to_list()
        for model in question.models:
            if model not in known:
                raise UsageError(
                    f"{model!r} was not asked about {question.set_name}; there are: {', '.join(known) or 'none'}. "
                    "Run it on the page's “Write” view."
                )
        similarities = similarities.filter(pl.col("model_name").is_in(question.models))
    told = {"set": question.set_name, "models": ", ".join(question.models) or "all"}
    return build_tests(items_frame(items), candidates_frame(items), similarities, told)


def items_frame(items: tuple[TripletItem, ...]) -> pl.DataFrame:
    """One row per item, in the order of the file."""
    rows = [(item.item_id, *(getattr(item, name) for name in _ITEM)) for item in items]
    return pl.DataFrame(rows, schema=dict.fromkeys(("item_id", *_ITEM), pl.String()), orient="row")


def candidates_frame(items: tuple[TripletItem, ...]) -> pl.DataFrame:
    """One row per item and candidate."""
    rows = [
        (item.item_id, role, place, each.text, each.gloss)
        for item in items
        for role, texts in (("positive", item.positives), ("negative", item.negatives))
        for place, each in enumerate(texts)
    ]
    texts = pl.String()
    columns = {"item_id": texts, "role": texts, "position": pl.Int64(), "text": texts, "gloss": texts}
    return pl.DataFrame(rows, schema=columns, orient="row")
