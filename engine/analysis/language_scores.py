"""Scores by language: mteb's per-language table, and what becomes of it when rows are left out or weighted anew."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import polars as pl

from engine.analysis.language_records import LanguageRecords, LanguageSums, group_lines
from engine.analysis.ranking import Bools, Floats, Ints, Missing, compute_task_points, rank_values
from engine.schema import RowKind


class Weight(StrEnum):
    """What counts the same in a language score."""

    ROW = "row"
    """mteb's rule: every row of the language"""
    TASK = "task"
    TASK_TYPE = "task-type"
    CORPUS = "corpus"


_BY_LANGUAGE = ("language",)
_LEVELS: dict[Weight, tuple[tuple[str, ...], ...]] = {
    Weight.ROW: (_BY_LANGUAGE,),
    Weight.TASK: (("language", "task_name"), _BY_LANGUAGE),
    Weight.TASK_TYPE: (("language", "task_type", "task_name"), ("language", "task_type"), _BY_LANGUAGE),
    Weight.CORPUS: (("language", "corpus", "task_name"), ("language", "corpus"), _BY_LANGUAGE),
}
"""Columns that means are taken by, one level after the other."""


@dataclass(frozen=True)
class WhatIf:
    """What is left out of a language score, and what counts the same in it.

    Attributes:
        tasks: The only tasks to take; empty = all.
        drop_tasks: Tasks to leave out.
        drop_corpora: Source corpora whose tasks are left out.
        drop_types: Task types to leave out.
        drop_kinds: Kinds of row to leave out.
        weight: What counts the same.
    """

    tasks: tuple[str, ...] = ()
    drop_tasks: tuple[str, ...] = ()
    drop_corpora: tuple[str, ...] = ()
    drop_types: tuple[str, ...] = ()
    drop_kinds: tuple[RowKind, ...] = ()
    weight: Weight = Weight.ROW

    @property
    def is_published(self) -> bool:
        """Nothing is changed: the scores are mteb's."""
        return self == WhatIf()

    @property
    def kept(self) -> pl.Expr:
        """Whether a cell or a paper's row stays."""
        dropped = {
            "task_name": self.drop_tasks,
            "corpus": self.drop_corpora,
            "task_type": self.drop_types,
            "row_kind": tuple(kind.value for kind in self.drop_kinds),
        }
        stays = [~pl.col(column).is_in(values) for column, values in dropped.items() if values]
        only = [pl.col("task_name").is_in(self.tasks)] if self.tasks else []
        return pl.all_horizontal(pl.lit(value=True), *only, *stays)


@dataclass(frozen=True)
class LanguageScores:
    """One score per model and language.

    Attributes:
        model_names: One a row of the matrices.
        languages: One a column, in alphabetical order of their codes.
        scores: Scores (fractions); NaN = the model has no row of the language.
        rows: Rows that a score stands on, as often as they are counted.
        rows_expected: Rows of a model that has all that are asked, one a language.
        what_if: What was left out, and what counts the same.
    """

    model_names: tuple[str, ...]
    languages: tuple[str, ...]
    scores: Floats
    rows: Floats
    rows_expected: Ints
    what_if: WhatIf

    @cached_property
    def is_complete(self) -> Bools:
        """Whether a model has every row of a language that is asked, and any at all; models × languages."""
        return np.asarray((self.rows >= self.rows_expected) & (self.rows > 0))

    @cached_property
    def ranks(self) -> Floats:
        """Rank among the models that have all rows of the language, ties share the better; NaN for the others."""
        return rank_values(np.where(self.is_complete, self.scores, np.nan).T).T

    @cached_property
    def borda_points(self) -> Floats:
        """Borda points of each model over all languages, by mteb's rule: its table is sorted by them."""
        return np.asarray(compute_task_points(self.scores, Missing.ZERO).sum(axis=1))

    def column(self, language: str) -> int:
        """Where a language stands in the matrices (ValueError where it has no score)."""
        return self.languages.index(language)

    def wide(self) -> pl.DataFrame:
        """Models × languages: `model_name` and one column a language, models in alphabetical order."""
        columns = np.ascontiguousarray(self.scores.T)
        scores = (
            pl.Series(language, column, nan_to_null=True)
            for language, column in zip(self.languages, columns, strict=True)
        )
        return pl.DataFrame([pl.Series("model_name", self.model_names, dtype=pl.String), *scores])


def score_languages(records: LanguageRecords, what_if: WhatIf | None = None) -> LanguageScores:
    """The score of every model in every language.

    Formula, by row: Σ score ÷ rows over all rows that name the language, a row that names it twice counted twice. By
    task: mean over tasks of that mean per task; by task type and by corpus: mean over types (corpora) of the mean over
    their tasks. Ties do not arise. Missing: rows without a number are left out, as mteb does; a language without any
    row is NaN. Source: mteb 2.26, `_create_per_language_table_from_benchmark_results`; design, rule 9.

    Args:
        records: The sums.
        what_if: What to leave out and how to weigh; default mteb's table.
    """
    what_if = what_if or WhatIf()
    sums = keep_cells(records.sums, what_if)
    languages = group_lines(sums.cells, "language")
    rows = languages.total(sums.rows)
    return LanguageScores(
        model_names=sums.model_names,
        languages=tuple(languages.keys["language"]),
        scores=mean_lines(sums.cells, sums.scores, sums.rows, what_if.weight).T,
        rows=rows.T,
        rows_expected=_expected(records, sums, languages.keys, what_if),
        what_if=what_if,
    )


def score_distinct_rows(records: LanguageRecords, what_if: WhatIf | None = None) -> Floats:
    """The same scores with every row counted once, models × languages as `score_languages` orders them.

    They differ from mteb's where a row's list names a language twice: both sides of the row are in it.
    """
    what_if = what_if or WhatIf()
    sums = keep_cells(records.sums, what_if)
    return mean_lines(sums.cells, sums.scores_distinct, sums.rows_distinct, what_if.weight).T


def keep_cells(sums: LanguageSums, what_if: WhatIf) -> LanguageSums:
    """The sums without the cells that a what-if drops."""
    kept = sums.cells.with_row_index("line").filter(what_if.kept)["line"].to_numpy().astype(np.int64)
    return sums if len(kept) == len(sums.cells) else sums.select_cells(kept)


def divide(sums: Floats, counts: Floats) -> Floats:
    """Sums ÷ counts; NaN where there is nothing to count."""
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def mean_lines(cells: pl.DataFrame, scores: Floats, rows: Floats, weight: Weight) -> Floats:
    """Means of lines by language, level by level; languages × columns.

    Args:
        cells: What each line is: `language`, `task_name`, `task_type`, `corpus`.
        scores: Sums of scores, lines × columns (models, or variants of one).
        rows: Rows that they stand on, lines × columns.
        weight: What counts the same.
    """
    for keys in _LEVELS[weight]:
        groups = group_lines(cells, *keys)
        means = divide(groups.total(scores), groups.total(rows))
        cells, scores, rows = groups.keys, np.nan_to_num(means), (~np.isnan(means)).astype(np.float64)
    return np.where(rows > 0, scores, np.nan)


def _expected(records: LanguageRecords, sums: LanguageSums, languages: pl.DataFrame, what_if: WhatIf) -> Ints:
    """Rows asked of a model by language; where only some kinds of row stay, the most that any model has of them."""
    tasks = group_lines(sums.cells, "language", "task_name")
    asked = tasks.keys.join(records.asked, on=["language", "task_name"], how="left", maintain_order="left")
    expected = asked["rows_expected"].fill_null(0).to_numpy()
    if what_if.drop_kinds:
        expected = np.minimum(expected, tasks.total(sums.rows).max(axis=1, initial=0.0))
    by_language = group_lines(tasks.keys, "language").total(expected[:, None])
    return by_language[:, 0].astype(np.int64)
