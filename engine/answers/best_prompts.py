"""Answers: which prompt is best on each task, and what is its choice worth on rows that played no part in it?"""

from __future__ import annotations

import polars as pl

from engine.analysis.best_prompts import best_prompts
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_records import CELL
from engine.answers.prompt_records import read_row_scores
from engine.store import Snapshot


def answer(snapshot: Snapshot, distributions: PromptDistributions) -> pl.DataFrame:
    """The best prompt of each cell of some distributions of a snapshot (see `engine.analysis.best_prompts`)."""
    records, cells = distributions.records, distributions.cells.select(CELL)
    runs = pl.concat([frame.select("run_id", *CELL) for frame in (records.prompt_runs, records.default_runs)])
    shown = runs.join(cells, on=list(CELL), how="semi")
    return best_prompts(distributions, read_row_scores(snapshot, shown["run_id"]))
