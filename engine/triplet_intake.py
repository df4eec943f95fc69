"""Triplet sets and token counts into a draft: what changed is replaced as a whole, outcomes are judged once, here.

A page about twenty models and ten thousand items reads a fifth of a million outcomes instead of judging a million
cosines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from engine.analysis.triplet_outcomes import judge_all
from engine.analysis.triplet_shortcuts import shortcut_outcomes
from engine.ingest.triplets import RUN, TripletHarvest, read_token_counts, read_triplets, token_states, triplet_states
from engine.schema import (
    REJECTS,
    TOKEN_COUNTS,
    TOKEN_TEXTS,
    TRIPLET_BASELINES,
    TRIPLET_ITEMS,
    TRIPLET_OUTCOMES,
    TRIPLET_RUNS,
    TRIPLET_SETS,
    TRIPLET_SIMILARITIES,
    TRIPLET_TEXTS,
    Table,
)
from engine.settings import Settings
from engine.store import Draft, Snapshot

_RUN_AND_ITEM = ("triplet_run_id", "triplet_item_id")
_OF_SET = "IN (SELECT {0} FROM {1} WHERE set_name = ?)"


@dataclass(frozen=True)
class OwnFiles:
    """What a build has to do about triplet sets and token counts: names, and the state that the files are in."""

    changed_sets: Mapping[str, str]
    gone_sets: tuple[str, ...]
    changed_texts: Mapping[str, str]
    gone_texts: tuple[str, ...]

    @property
    def is_unchanged(self) -> bool:
        """The store holds all of it."""
        return not (self.changed_sets or self.gone_sets or self.changed_texts or self.gone_texts)


def plan_own_files(settings: Settings, base: Snapshot | None) -> OwnFiles:
    """What must be read so that the store agrees with the data folder's own files."""
    sets = _difference(triplet_states(settings), base, TRIPLET_SETS)
    texts = _difference(token_states(settings), base, TOKEN_TEXTS)
    return OwnFiles(*sets, *texts)


def _difference(now: Mapping[str, str], base: Snapshot | None, ledger: Table) -> tuple[dict[str, str], tuple[str, ...]]:
    sql = f"SELECT {ledger.key[0]}, state FROM {ledger.name}"
    before = dict(base.read(sql).iter_rows()) if base else {}
    changed = {name: state for name, state in now.items() if before.get(name) != state}
    return changed, tuple(sorted(before.keys() - now.keys()))


def take_in_own_files(settings: Settings, draft: Draft, plan: OwnFiles) -> None:
    """Put what changed in place of what the draft holds of it."""
    for name in (*plan.gone_sets, *plan.changed_sets):
        _drop_set(draft, name)
    for name, state in plan.changed_sets.items():
        _add_set(draft, name, state, read_triplets(settings, name))
    for name in (*plan.gone_texts, *plan.changed_texts):
        draft.delete(TOKEN_COUNTS, "texts_name = ?", [name])
        draft.delete(TOKEN_TEXTS, "texts_name = ?", [name])
        _drop_rejects(draft, f"results/tokens/{name}/")
    for name, state in plan.changed_texts.items():
        harvest = read_token_counts(settings, name)
        draft.append(TOKEN_TEXTS, pl.DataFrame([(name, state)], schema=TOKEN_TEXTS.schema, orient="row"))
        draft.append(TOKEN_COUNTS, harvest.counts.sort(TOKEN_COUNTS.key))
        draft.append(REJECTS, harvest.rejects)


def _drop_set(draft: Draft, name: str) -> None:
    of_runs = "triplet_run_id " + _OF_SET.format("triplet_run_id", TRIPLET_RUNS.name)
    of_items = "triplet_item_id " + _OF_SET.format("triplet_item_id", TRIPLET_ITEMS.name)
    for table in (TRIPLET_OUTCOMES, TRIPLET_SIMILARITIES):
        draft.delete(table, of_runs, [name])
    for table in (TRIPLET_TEXTS, TRIPLET_BASELINES):
        draft.delete(table, of_items, [name])
    for table in (TRIPLET_RUNS, TRIPLET_ITEMS, TRIPLET_SETS):
        draft.delete(table, "set_name = ?", [name])
    _drop_rejects(draft, f"triplets/{name}.jsonl")
    _drop_rejects(draft, f"results/triplets/{name}/")


def _drop_rejects(draft: Draft, start: str) -> None:
    draft.delete(REJECTS, "source_name IS NULL AND starts_with(path, ?)", [start])


def _add_set(draft: Draft, name: str, state: str, harvest: TripletHarvest) -> None:
    row = (name, state, harvest.n_left_out)
    draft.append(TRIPLET_SETS, pl.DataFrame([row], schema=TRIPLET_SETS.schema, orient="row"))
    items = _numbered(draft, TRIPLET_ITEMS, harvest.items.with_columns(pl.lit(name).alias("set_name")))
    runs = harvest.similarities.select(RUN).unique().sort(RUN).with_columns(pl.lit(name).alias("set_name"))
    runs = _numbered(draft, TRIPLET_RUNS, runs)
    similarities = (
        harvest.similarities.join(runs.select("triplet_run_id", *RUN), on=RUN, nulls_equal=True)
        .join(items.select("triplet_item_id", "item_id"), on="item_id")
        .sort(TRIPLET_SIMILARITIES.key)
    )
    draft.append(TRIPLET_ITEMS, items)
    _append(draft, TRIPLET_TEXTS, harvest.candidates, items)
    _append(draft, TRIPLET_BASELINES, shortcut_outcomes(harvest.items, harvest.candidates), items)
    draft.append(TRIPLET_RUNS, runs)
    draft.append(TRIPLET_SIMILARITIES, similarities.select(list(TRIPLET_SIMILARITIES.schema)))
    draft.append(TRIPLET_OUTCOMES, judge_all(similarities, _RUN_AND_ITEM).select(list(TRIPLET_OUTCOMES.schema)))
    draft.append(REJECTS, harvest.rejects)


def _numbered(draft: Draft, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with running numbers after those that the draft holds."""
    number = table.columns[0].name
    highest = draft.read(f"SELECT max({number}) FROM {table.name}").item()
    first = 0 if highest is None else highest + 1
    numbers = pl.int_range(first, first + pl.len(), dtype=pl.Int32).alias(number)
    return rows.with_columns(numbers).select(list(table.schema))


def _append(draft: Draft, table: Table, rows: pl.DataFrame, items: pl.DataFrame) -> None:
    """Rows about items by their id, put in by their number."""
    numbered = rows.join(items.select("item_id", "triplet_item_id"), on="item_id")
    draft.append(table, numbered.select(list(table.schema)).sort(table.key))
