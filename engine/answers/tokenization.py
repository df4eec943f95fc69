"""Answers: what does a language cost in tokens? Counted once, so no model is loaded for it."""

from __future__ import annotations

import polars as pl

from engine.analysis.tokenization import token_costs
from engine.store import Snapshot


def answer(snapshot: Snapshot) -> pl.DataFrame:
    """All token costs that were counted, as `token_costs` has them."""
    return token_costs(snapshot.read("SELECT * FROM token_counts"))
