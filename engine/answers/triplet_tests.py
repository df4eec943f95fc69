"""Triplet tests of a set: its items, and what models made of them, as a snapshot holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from engine.analysis.triplet_shortcuts import SHORTCUTS
from engine.analysis.triplet_tests import TripletTests, build_tests
from engine.errors import UsageError
from engine.store import Snapshot

_ITEMS = """
    SELECT item_id, language, anchor, anchor_gloss, phenomenon, note, author, source, status, written
    FROM triplet_items WHERE set_name = $set ORDER BY triplet_items.place
"""
_CANDIDATES = """
    SELECT item_id, role, position, text, gloss
    FROM triplet_texts JOIN triplet_items USING (triplet_item_id)
    WHERE set_name = $set ORDER BY triplet_items.place, role DESC, position
"""
_ASKED = "(len($models) = 0 OR list_contains(CAST($models AS VARCHAR[]), model_name))"
_RUN = "model_name, model_revision, base_prompt, candidate_prompt"
_ORDER = ", ".join(f"{name} NULLS FIRST" for name in ("item_id", *_RUN.split(", ")))
_OUTCOMES = f"""
    SELECT item_id, {_RUN}, outcome, margin, triplet_outcomes.place, n_tied, n_candidates, spread, reason
    FROM triplet_outcomes JOIN triplet_runs USING (triplet_run_id) JOIN triplet_items USING (triplet_item_id)
    WHERE triplet_runs.set_name = $set AND {_ASKED} ORDER BY {_ORDER}
"""
_SIMILARITIES = f"""
    SELECT item_id, {_RUN}, role, position, similarity
    FROM triplet_similarities JOIN triplet_runs USING (triplet_run_id) JOIN triplet_items USING (triplet_item_id)
    WHERE triplet_runs.set_name = $set AND {_ASKED} AND ($item = '' OR item_id = $item)
    ORDER BY {_ORDER}, role, position
"""
_BASELINES = f"""
    SELECT item_id, baseline, outcome FROM triplet_baselines JOIN triplet_items USING (triplet_item_id)
    WHERE set_name = $set ORDER BY triplet_items.place, list_position({list(SHORTCUTS)}, baseline)
"""
_MODELS = "SELECT DISTINCT model_name FROM triplet_runs WHERE set_name = $set ORDER BY 1"
_LEFT_OUT = "SELECT n_left_out FROM triplet_sets WHERE set_name = $set"


@dataclass(frozen=True)
class TripletQuestion:
    """Which set, and which models; no model is all."""

    set_name: str
    models: tuple[str, ...] = ()


def tested_sets(snapshot: Snapshot) -> tuple[str, ...]:
    """Sets that some model was asked about."""
    return tuple(snapshot.read("SELECT DISTINCT set_name FROM triplet_runs ORDER BY 1")["set_name"])


def models_of(snapshot: Snapshot, set_name: str) -> list[str]:
    """Models that were asked about a set."""
    names: list[str] = snapshot.read(_MODELS, {"set": set_name})["model_name"].to_list()
    return names


def state_of(snapshot: Snapshot, set_name: str) -> str | None:
    """The state that the set's files were in when they were read; None where the set was not there."""
    found = snapshot.read("SELECT state FROM triplet_sets WHERE set_name = ?", [set_name])["state"]
    return found.item() if len(found) else None


def answer(snapshot: Snapshot, question: TripletQuestion) -> TripletTests:
    """The frames of the set.

    Raises:
        UsageError: There is no such set, or a model was not asked about it.
    """
    asked = _asked(snapshot, question)
    this_set = {"set": question.set_name}
    told = {**this_set, "models": ", ".join(question.models) or "all"}
    left_out = snapshot.read(_LEFT_OUT, this_set).item()
    return build_tests(
        snapshot.read(_ITEMS, this_set), snapshot.read(_CANDIDATES, this_set), snapshot.read(_OUTCOMES, asked),
        snapshot.read(_BASELINES, this_set), told,
        (f"{left_out} results of earlier texts are left out",) if left_out else (),
    )  # fmt: skip


def similarities(snapshot: Snapshot, question: TripletQuestion, item_id: str = "") -> pl.DataFrame:
    """One row per item, run and candidate, of one item or of all: `role`, `position`, `similarity`.

    Raises:
        UsageError: There is no such set, or a model was not asked about it.
    """
    return snapshot.read(_SIMILARITIES, {**_asked(snapshot, question), "item": item_id})


def _asked(snapshot: Snapshot, question: TripletQuestion) -> dict[str, str | Sequence[str]]:
    """The question as parameters of a query, once set and models are known to be there."""
    sets = snapshot.read("SELECT set_name FROM triplet_sets ORDER BY 1")["set_name"].to_list()
    if question.set_name not in sets:
        raise UsageError(
            f"No triplet set {question.set_name!r} in snapshot {snapshot.snapshot_id}; there are: "
            f"{', '.join(sets) or 'none'}. Choose one, or run `python -m engine build` if its file is new."
        )
    known = models_of(snapshot, question.set_name)
    for model in question.models:
        if model not in known:
            raise UsageError(
                f"{model!r} was not asked about {question.set_name}; there are: {', '.join(known) or 'none'}. "
                "Run it on the page's “Write” view."
            )
    return {"set": question.set_name, "models": list(question.models)}
