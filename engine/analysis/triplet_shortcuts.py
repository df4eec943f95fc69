"""Shortcuts that know no language: an item that they solve tests form, not meaning."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import polars as pl

from engine.analysis.triplet_outcomes import judge

N_GRAM = 3
BM25_K1, BM25_B = 1.2, 0.75


def shortcut_outcomes(items: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """One row per item and shortcut: item_id, baseline, outcome, by the same rule of order as for models.

    Args:
        items: `item_id` and `anchor`.
        candidates: `item_id`, `role`, `position`, `text`.
    """
    texts: dict[tuple[str, str], list[str]] = {}
    for row in candidates.iter_rows(named=True):
        texts.setdefault((row["item_id"], row["role"]), []).append(row["text"])
    rows = [
        (item_id, name, _outcome(score, anchor, texts[item_id, "positive"], texts[item_id, "negative"]))
        for item_id, anchor in items.select("item_id", "anchor").iter_rows()
        for name, score in SHORTCUTS.items()
    ]
    columns = {"item_id": pl.String(), "baseline": pl.String(), "outcome": pl.String()}
    return pl.DataFrame(rows, schema=columns, orient="row")


def _outcome(
    score: Callable[[str, Sequence[str]], list[float]], anchor: str, right: Sequence[str], wrong: Sequence[str]
) -> str:
    values = score(anchor, [*right, *wrong])
    return judge(values[: len(right)], values[len(right) :]).outcome


def by_length(anchor: str, texts: Sequence[str]) -> list[float]:
    """Nearest in number of characters."""
    return [-float(abs(len(text) - len(anchor))) for text in texts]


def by_words(anchor: str, texts: Sequence[str]) -> list[float]:
    """Shared words ÷ all words (Jaccard), words split at blanks."""
    return [_jaccard(set(anchor.split()), set(text.split())) for text in texts]


def by_letters(anchor: str, texts: Sequence[str]) -> list[float]:
    """Shared runs of three characters ÷ all of them (Jaccard)."""
    return [_jaccard(_runs(anchor), _runs(text)) for text in texts]


def by_bm25(anchor: str, texts: Sequence[str]) -> list[float]:
    """BM25 of the base's words over the item's candidates (k1 = 1.2, b = 0.75)."""
    documents = [Counter(text.split()) for text in texts]
    mean = sum(document.total() for document in documents) / len(documents) or 1.0
    scores = [0.0] * len(documents)
    for word in set(anchor.split()):
        holding = sum(word in document for document in documents)
        weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        for place, document in enumerate(documents):
            length = BM25_K1 * (1 - BM25_B + BM25_B * document.total() / mean)
            scores[place] += weight * document[word] * (BM25_K1 + 1) / (document[word] + length)
    return scores


def _jaccard(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 0.0


def _runs(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[place : place + N_GRAM] for place in range(max(len(padded) - N_GRAM + 1, 1))}


SHORTCUTS: dict[str, Callable[[str, Sequence[str]], list[float]]] = {
    "length": by_length,
    "word overlap": by_words,
    "character n-grams": by_letters,
    "BM25": by_bm25,
}
