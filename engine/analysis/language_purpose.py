"""What was measured for a purpose in some languages: the tasks, their means by model, and what each weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from engine.analysis.language_records import LanguageRecords, group_lines
from engine.analysis.language_scores import divide
from engine.analysis.ranking import Bools, Floats, Ints
from engine.schema import RowKind


class Purpose(StrEnum):
    """What a model is wanted for."""

    SEARCH = "search"
    SIMILARITY = "similarity"
    CLASSIFICATION = "classification"
    CLUSTERING = "clustering"
    TRANSLATION = "translation matching"
    ALL = "all"


TASK_TYPES: dict[Purpose, tuple[str, ...]] = {
    Purpose.SEARCH: ("Retrieval", "Reranking"),
    Purpose.SIMILARITY: ("STS", "PairClassification"),
    Purpose.CLASSIFICATION: ("Classification", "MultilabelClassification"),
    Purpose.CLUSTERING: ("Clustering",),
    Purpose.TRANSLATION: ("BitextMining",),
}
"""Task types that measure each purpose; `all` takes every type."""


@dataclass(frozen=True)
class Measured:
    """Scores for a purpose, languages × tasks by model.

    Attributes:
        model_names: One a column.
        tasks: One row per line: `language`, `task_name`, `task_type`, `corpus`.
        rows: Rows with a number, each once.
        means: Means over them; NaN = no row.
        weights: What each line adds to a score: languages count the same, and tasks within each.
    """

    model_names: pl.Series
    tasks: pl.DataFrame
    rows: Floats
    means: Floats
    weights: Floats

    @property
    def expected(self) -> Floats:
        """Rows of a model that has all of them, by line."""
        return np.asarray(self.rows.max(axis=1, initial=0.0))

    @property
    def is_complete(self) -> Bools:
        """One flag a model: has every row of every line, and there is one."""
        return np.asarray((self.rows >= self.expected[:, None]).all(axis=0) & (len(self.rows) > 0))

    @property
    def parts(self) -> Floats:
        """What each line adds to each model's score; 0 where it has none."""
        return np.nan_to_num(self.means) * self.weights[:, None]


def measure_purpose(records: LanguageRecords, languages: Sequence[str], purpose: Purpose) -> Measured:
    """What was measured within the languages; for translation matching, across them.

    Args:
        records: The sums.
        languages: Which languages.
        purpose: What for.
    """
    sums = records.sums.select_cells(_lines(records, languages, purpose))
    tasks = group_lines(sums.cells, "language", "task_name", "task_type", "corpus")
    rows = tasks.total(sums.rows_distinct)
    per_language = 1 / pl.len().over("language")
    return Measured(
        model_names=pl.Series(sums.model_names, dtype=pl.String),
        tasks=tasks.keys,
        rows=rows,
        means=divide(tasks.total(sums.scores_distinct), rows),
        weights=tasks.keys.select(per_language / pl.col("language").n_unique()).to_series().to_numpy(),
    )


def _lines(records: LanguageRecords, languages: Sequence[str], purpose: Purpose) -> Ints:
    same = pl.col("row_kind") == RowKind.SAME.value
    asked = records.asked.filter(pl.col("rows_expected") > 0)
    wanted = (
        records.sums.cells.with_row_index("line")
        .filter(pl.col("language").is_in(list(languages)), ~same if purpose is Purpose.TRANSLATION else same)
        .join(asked, on=["language", "task_name"], how="semi", maintain_order="left")
    )
    if purpose in TASK_TYPES:
        wanted = wanted.filter(pl.col("task_type").is_in(TASK_TYPES[purpose]))
    return np.asarray(wanted["line"].to_numpy(), dtype=np.int64)
