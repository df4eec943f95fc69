"""Triplet sets, what models made of their items, and what texts cost in tokens: from this data folder's own files."""

from __future__ import annotations

import polars as pl

from engine.schema.shape import Column, Table, choices_of, text
from engine.schema.words import TripletOutcome, TripletRole

TRIPLET_SETS = Table(
    "triplet_sets",
    "one row per triplet set: the ledger of what was read of it",
    ("set_name",),
    (
        text("set_name", "name of the set: its file without the ending"),
        Column("state", pl.String(), "changes when a file of items or results does", logical=False),
        Column("n_left_out", pl.Int64(), "result lines of earlier texts of an item, or of one that is gone", "lines"),
    ),
)

TRIPLET_ITEMS = Table(
    "triplet_items",
    "one row per triplet item as its set's file has it",
    ("set_name", "item_id"),
    (
        Column("triplet_item_id", pl.Int32(), "running number", logical=False),
        text("set_name", "set"),
        text("item_id", "the item's own id in its set"),
        Column("place", pl.Int64(), "place in the file, 0 = first"),
        text("language", "language of its texts, ISO 639-3 and script"),
        text("anchor", "the base"),
        text("anchor_gloss", "what the base means; empty = nobody said"),
        text("phenomenon", "what it tests, a free tag; empty = none"),
        text("note", "its author's remark"),
        text("author", "who wrote it"),
        text("source", "native, adapted, translated; empty = nobody said"),
        text("status", "draft, or reviewed by a speaker"),
        text("written", "before or after its author saw how a model answers it; empty = not recorded"),
    ),
    (("set_name", "triplet_sets"),),
)

TRIPLET_TEXTS = Table(
    "triplet_texts",
    "one row per triplet item and candidate",
    ("triplet_item_id", "role", "position"),
    (
        Column("triplet_item_id", pl.Int32(), "item", logical=False),
        text("role", "same meaning, or something else", choices=choices_of(TripletRole)),
        Column("position", pl.Int64(), "place among those of its role, 0 = first"),
        text("text", "the exact text"),
        text("gloss", "what it means; empty = nobody said"),
    ),
    (("triplet_item_id", "triplet_items"),),
)

TRIPLET_RUNS = Table(
    "triplet_runs",
    "one row per set, model, revision and pair of prompts that it was asked under",
    ("set_name", "model_name", "model_revision", "base_prompt", "candidate_prompt"),
    (
        Column("triplet_run_id", pl.Int32(), "running number", logical=False),
        text("set_name", "set"),
        text("model_name", "model"),
        text("model_revision", "revision"),
        text("base_prompt", "exact string before the base; null = none", nullable=True),
        text("candidate_prompt", "exact string before the candidates; null = none", nullable=True),
    ),
    (("set_name", "triplet_sets"),),
)

_RUN_AND_ITEM = (
    Column("triplet_run_id", pl.Int32(), "run", logical=False),
    Column("triplet_item_id", pl.Int32(), "item", logical=False),
)
_TO_RUN_AND_ITEM = (("triplet_run_id", "triplet_runs"), ("triplet_item_id", "triplet_items"))
_OUTCOME = text("outcome", "by order: right, tie, wrong, invalid", choices=choices_of(TripletOutcome))

TRIPLET_OUTCOMES = Table(
    "triplet_outcomes",
    "one row per run and item, for the texts as they are now; derived from `triplet_similarities`",
    ("triplet_run_id", "triplet_item_id"),
    (
        *_RUN_AND_ITEM,
        _OUTCOME,
        Column(
            "margin", pl.Float64(), "lowest cosine of the same meaning − highest of something else; null = invalid",
            "cosine", nullable=True,
        ),
        Column("place", pl.Int64(), "place of the right candidate, 1 = nearest; null = invalid", nullable=True),
        Column("n_tied", pl.Int64(), "wrong candidates that are equal to it", "texts"),
        Column("n_candidates", pl.Int64(), "candidates", "texts"),
        Column("noise", pl.Float64(), "cosines nearer than this are equal; null = unmeasured", "cosine", nullable=True),
        Column(
            "spread", pl.Float64(), "sd of the cosines of random pairs of the run; null = too few texts", "cosine",
            nullable=True,
        ),
        text("reason", "why a cosine is missing", nullable=True),
    ),
    _TO_RUN_AND_ITEM,
)  # fmt: skip

TRIPLET_SIMILARITIES = Table(
    "triplet_similarities",
    "one row per run, item and candidate, for the texts as they are now",
    ("triplet_run_id", "triplet_item_id", "role", "position"),
    (
        *_RUN_AND_ITEM,
        text("role", "same meaning, or something else", choices=choices_of(TripletRole)),
        Column("position", pl.Int64(), "place among those of its role, 0 = first"),
        Column("similarity", pl.Float64(), "cosine to the base; null = a vector is broken", "cosine", nullable=True),
    ),
    _TO_RUN_AND_ITEM,
)

TRIPLET_BASELINES = Table(
    "triplet_baselines",
    "one row per triplet item and shortcut that knows no language; derived from the texts",
    ("triplet_item_id", "baseline"),
    (
        Column("triplet_item_id", pl.Int32(), "item", logical=False),
        text("baseline", "shortcut: length, word overlap, character n-grams, BM25"),
        _OUTCOME,
    ),
    (("triplet_item_id", "triplet_items"),),
)

TOKEN_TEXTS = Table(
    "token_texts",
    "one row per collection of texts whose tokens were counted: the ledger of what was read of it",
    ("texts_name",),
    (
        text("texts_name", "name of the collection: a triplet set, or a file of parallel texts"),
        Column("state", pl.String(), "changes when a file of counts does", logical=False),
    ),
)

TOKEN_COUNTS = Table(
    "token_counts",
    "one row per collection of texts, model, revision and language: sums over its texts",
    ("texts_name", "model_name", "model_revision", "language"),
    (
        text("texts_name", "collection"),
        text("model_name", "model whose tokenizer counted"),
        text("model_revision", "revision"),
        text("language", "language of the texts"),
        Column("texts", pl.Int64(), "texts counted", "texts"),
        Column("tokens", pl.Int64(), "tokens that the encoder reads, special ones included", "tokens"),
        Column("special", pl.Int64(), "special tokens among them", "tokens"),
        Column("unknown", pl.Int64(), "tokens that stand for text which the tokenizer cannot write", "tokens"),
        Column("byte", pl.Int64(), "tokens that stand for single bytes", "tokens"),
        Column(
            "broken", pl.Int64(), "tokens that do not end where a character does; null = not told by the tokenizer",
            "tokens", nullable=True,
        ),
        Column("characters", pl.Int64(), "characters of the texts", "characters"),
        Column("words", pl.Int64(), "words of the texts", "words"),
        Column(
            "english_tokens", pl.Int64(), "tokens of the same texts in English; null = not all have any",
            "tokens", nullable=True,
        ),
    ),
    (("texts_name", "token_texts"),),
)  # fmt: skip

TRIPLET_TABLES = (
    TRIPLET_SETS, TRIPLET_ITEMS, TRIPLET_TEXTS, TRIPLET_RUNS, TRIPLET_OUTCOMES, TRIPLET_SIMILARITIES, TRIPLET_BASELINES,
    TOKEN_TEXTS, TOKEN_COUNTS,
)  # fmt: skip
