"""Draws a part of a task's texts by a seed, and says so in the revision of its data."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from engine.schema import LIMIT_SIGN

DISTRACTORS = 10
"""Documents beside the relevant ones that are kept for each query of a limited retrieval task."""


def limit_mark(limit: int, seed: int) -> str:
    """What a limited task's revision of the data ends in."""
    return f"{LIMIT_SIGN}{limit}.seed{seed}"


def some(values: Sequence[Any], limit: int, generator: random.Random) -> list[Any]:
    """At most so many values, in their order."""
    chosen = sorted(generator.sample(range(len(values)), min(limit, len(values))))
    return [values[at] for at in chosen]


def documents_for(
    queries: Sequence[str], relevant: Mapping[str, Any], documents: Sequence[str], generator: random.Random
) -> set[str]:
    """The relevant documents of some queries, and ten others a query."""
    return {name for query in queries for name in relevant[query]} | set(
        some(documents, DISTRACTORS * len(queries), generator)
    )


def cut_dataset(task: Any, limit: int, seed: int) -> None:
    """Keep a part of the rows that a loaded mteb task scores; what it trains on stays whole."""
    subsets = task.dataset if set(task.dataset) & set(task.hf_subsets) else {"default": task.dataset}
    for subset, splits in subsets.items():
        for split in task.metadata.eval_splits:
            if split in splits:
                splits[split] = _cut_split(splits[split], limit, random.Random(f"{seed} {subset} {split}"))


def _cut_split(rows: Any, limit: int, generator: random.Random) -> Any:
    if not (isinstance(rows, Mapping) and "queries" in rows):
        return rows.select(some(range(len(rows)), limit, generator))
    relevant = rows["relevant_docs"]
    asked = [name for name in rows["queries"]["id"] if any(grade > 0 for grade in relevant.get(name, {}).values())]
    queries = set(some(asked, limit, generator))
    kept = documents_for(sorted(queries), relevant, list(rows["corpus"]["id"]), generator)
    top = rows.get("top_ranked")
    kept |= {name for query in queries for name in (top or {}).get(query, ())}
    return {
        **rows,
        "queries": rows["queries"].filter(lambda row: row["id"] in queries),
        "corpus": rows["corpus"].filter(lambda row: row["id"] in kept),
        "relevant_docs": {query: relevant[query] for query in relevant if query in queries},
        "top_ranked": top and {query: names for query, names in top.items() if query in queries},
    }
