"""Answers of triplet tests as rows of pictures and tables: who, under which prompts, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import polars as pl

from engine.analysis.triplet_tests import TripletTests
from ui.charts.triplet_tests import Candidate, ItemRow
from ui.charts.triplet_tests_grid import GridColumn, GridRow
from ui.charts.triplet_tests_rates import RateRow
from ui.formats import label, shortened

RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
WRONG_LETTERS = ascii_lowercase


@dataclass(frozen=True)
class Run:
    """A model with the prompts of both roles."""

    model_name: str
    model_revision: str
    base_prompt: str | None
    candidate_prompt: str | None

    @property
    def prompt(self) -> str:
        """Both prompts in few words: `no prompt`, `query:`, `query: | passage:`."""
        base, candidate = (said_prompt(each) for each in (self.base_prompt, self.candidate_prompt))
        return base if base == candidate else f"{base} | {candidate}"

    @property
    def name(self) -> str:
        """Model and prompt in one line."""
        return label(self.model_name) if self.prompt == NO_PROMPT else f"{label(self.model_name)} “{self.prompt}”"


NO_PROMPT = "no prompt"


def said_prompt(prompt: str | None, most: int = 34) -> str:
    """A prompt in few words; line ends shown, so that it stays one line."""
    return NO_PROMPT if prompt is None else shortened(prompt.replace("\n", "⏎").strip() or "empty prompt", most)


def run_of(row: Mapping[str, Any]) -> Run:
    """The run that a row of a frame belongs to."""
    return Run(row["model_name"], row["model_revision"], row["base_prompt"], row["candidate_prompt"])


def runs_of(tests: TripletTests) -> tuple[Run, ...]:
    """All runs, the most often right first."""
    rates = tests.rates.filter(pl.col("by") == "model").sort("n_right", "model_name", descending=[True, False])
    return tuple(run_of(row) for row in rates.iter_rows(named=True))


def item_rows(tests: TripletTests, similarities: pl.DataFrame, item_id: str) -> list[ItemRow]:
    """What each run made of an item, in the order of `runs_of`; `similarities` are those of the item."""
    of_item = pl.col("item_id") == item_id
    texts = {(row["role"], row["position"]): row for row in tests.candidates.filter(of_item).iter_rows(named=True)}
    outcomes = {run_of(row): row for row in tests.outcomes.filter(of_item).iter_rows(named=True)}
    candidates: dict[Run, list[Candidate]] = {}
    for row in similarities.sort("role", "position").iter_rows(named=True):
        candidate = _candidate(row, texts.get((row["role"], row["position"]), {}))
        candidates.setdefault(run_of(row), []).append(candidate)
    return [
        ItemRow(
            label(run.model_name), run.prompt, tuple(candidates.get(run, ())), outcome["outcome"], outcome["place"],
            outcome["margin"], outcome["n_tied"] or 0, outcome["reason"] or "", outcome["scaled_margin"],
        )
        for run in runs_of(tests)
        if (outcome := outcomes.get(run)) is not None
    ]  # fmt: skip


def _candidate(row: Mapping[str, Any], text: Mapping[str, Any]) -> Candidate:
    letter = letter_of(row["position"]) if row["role"] == "negative" else ""
    return Candidate(letter, text.get("text", ""), text.get("gloss") or "", row["similarity"])


def letter_of(position: int) -> str:
    """`a`, `b` … `z`, then numbers."""
    return WRONG_LETTERS[position] if position < len(WRONG_LETTERS) else str(position + 1)


def grid_rows(tests: TripletTests, item_ids: Sequence[str]) -> list[GridRow]:
    """Runs, the best first, then shortcuts that know no language."""
    is_shown = pl.col("item_id").is_in(list(item_ids))
    kept = tests.outcomes.filter(is_shown)
    by_run = {
        run_of(dict(zip(RUN, key, strict=True))): dict(zip(some["item_id"], some["outcome"], strict=True))
        for key, some in kept.group_by(*RUN)
    }
    rates = {run_of(row): row for row in tests.rates.filter(pl.col("by") == "model").iter_rows(named=True)}
    rows = [_grid_row(run.name, by_run.get(run, {}), rates[run]) for run in runs_of(tests)]
    shortcuts = {name: some for (name,), some in tests.baselines.filter(is_shown).group_by("baseline")}
    for rate in tests.baseline_rates.sort("pass_rate", descending=True).iter_rows(named=True):
        some = shortcuts.get(rate["baseline"], tests.baselines.clear())
        outcomes = dict(zip(some["item_id"], some["outcome"], strict=True))
        rows.append(_grid_row(f"shortcut: {rate['baseline']}", outcomes, rate, is_baseline=True))
    return rows


def _grid_row(name: str, outcomes: Mapping[str, str], rate: Mapping[str, Any], *, is_baseline: bool = False) -> GridRow:
    return GridRow(name, outcomes, rate["pass_rate"], rate["ci_low"], rate["ci_high"], is_baseline)


def grid_columns(items: pl.DataFrame) -> list[GridColumn]:
    """Items in the order of the frame, with what the pointer says."""
    return [
        GridColumn(row["item_id"], f"{row['item_id']} · {row['phenomenon'] or 'no tag'} · {row['anchor']}")
        for row in items.iter_rows(named=True)
    ]


def rate_rows_of(rates: pl.DataFrame, *, name: str = "") -> list[RateRow]:
    """Rates of a frame as rows of a picture, named by their run, or by a column."""
    return [
        RateRow(
            str(row[name]) if name else run_of(row).name, row["n"], row["n_right"], row["pass_rate"], row["ci_low"],
            row["ci_high"],
        )
        for row in rates.iter_rows(named=True)
    ]  # fmt: skip
