"""What moves a language score: each part left out in turn, and the places of languages and models before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from engine.analysis.language_composition import PART_COLUMN, Part
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import LanguageScores, WhatIf, keep_cells, mean_lines, score_languages
from engine.analysis.ranking import Floats, rank_values


@dataclass(frozen=True)
class WhatIfEffect:
    """A language table before and after a change.

    Attributes:
        before: As it was, normally as mteb computes it.
        after: With the change; a language of which nothing is left is missing here.
    """

    before: LanguageScores
    after: LanguageScores

    def languages_of(self, model_name: str, languages: Sequence[str]) -> pl.DataFrame:
        """How the languages of one model move, in the order of their scores before.

        Returns:
            `language`, `score_before`, `score_after` (null = nothing is left), `change`, `place_before`, `place_after`
            (among these languages, 1 = highest, ties share the better), `rows_before`, `rows_after`.
        """
        at = self.before.model_names.index(model_name)
        before, rows_before = (_pick(self.before, matrix, languages)[at] for matrix in _matrices(self.before))
        after, rows_after = (_pick(self.after, matrix, languages)[at] for matrix in _matrices(self.after))
        return _moves(
            {"language": list(languages)}, before, after, "place", rows_before=rows_before, rows_after=rows_after
        )

    def models_of(self, language: str) -> pl.DataFrame:
        """How the models of one language move, in the order of their scores before.

        Ranks are among the models that have every row of the language that is asked; the others have none.

        Returns:
            `model_name`, `score_before`, `score_after`, `change`, `rank_before`, `rank_after`, `is_complete`.
        """
        before, after = (
            _pick(table, np.where(table.is_complete, table.scores, np.nan), [language])[:, 0]
            for table in (self.before, self.after)
        )
        ranks = (rank_values(before), rank_values(after))
        scores = [_pick(table, table.scores, [language])[:, 0] for table in (self.before, self.after)]
        moved = _moves({"model_name": list(self.before.model_names)}, scores[0], scores[1], "rank", ranks)
        return moved.with_columns(is_complete=pl.col("rank_before").is_not_null()).filter(
            pl.col("score_before").is_not_null()
        )

    def lowest(self, languages: Sequence[str], model_names: Sequence[str]) -> pl.DataFrame:
        """How often each language is the lowest of these, over these models; ties count for each.

        Returns:
            `language`, `n_before`, `n_after`, `n_models`; the most frequent first.
        """
        at = [self.before.model_names.index(name) for name in model_names]
        counts = {
            name: _lowest(_pick(table, table.scores, languages)[at])
            for name, table in (("n_before", self.before), ("n_after", self.after))
        }
        frame = pl.DataFrame({"language": list(languages), **counts}, schema_overrides={"language": pl.String})
        return frame.with_columns(n_models=pl.lit(len(at), pl.Int64)).sort(
            "n_before", "n_after", "language", descending=[True, True, False]
        )

    def typical_changes(self) -> pl.DataFrame:
        """Over all models with a score before and after: the median change of each language, largest first.

        Returns:
            `language`, `n_models`, `change` (median; null = nothing is left for any model).
        """
        change = _pick(self.after, self.after.scores, self.before.languages) - self.before.scores
        counted = (~np.isnan(change)).sum(axis=0)
        medians = np.full(len(counted), np.nan)
        medians[counted > 0] = np.nanmedian(change[:, counted > 0], axis=0)
        frame = pl.DataFrame(
            {"language": self.before.languages, "n_models": counted, "change": medians},
            schema_overrides={"language": pl.String, "n_models": pl.Int64},
            nan_to_null=True,
        )
        return frame.sort(pl.col("change").abs(), "language", descending=[True, False], nulls_last=True)


def compare_what_if(records: LanguageRecords, what_if: WhatIf, before: WhatIf | None = None) -> WhatIfEffect:
    """The language table before (default: as mteb computes it) and after a change."""
    return WhatIfEffect(score_languages(records, before), score_languages(records, what_if))


def leave_each_out(
    records: LanguageRecords, model_name: str, language: str, part: Part = Part.TASK, what_if: WhatIf | None = None
) -> pl.DataFrame:
    """One row per part of a language: the model's score without it.

    Missing: where the part is all there is, nothing is left and the score without it is null.

    Args:
        records: The sums.
        model_name: A model of the records.
        language: A language of the benchmark.
        part: What is left out in turn.
        what_if: What is left out already, and how rows are weighted.

    Returns:
        The part's column (`task_name`, `task_type`, `corpus` or `row_kind`), `task_type` (of the part's largest task),
        `rows`, `score_without`, `change`; the largest change first.

    Raises:
        UsageError: There is no such model or language.
    """
    what_if, at = what_if or WhatIf(), records.model_index(model_name)
    records.expect_language(language)
    sums, column = keep_cells(records.sums, what_if), PART_COLUMN[part]
    held = np.flatnonzero((sums.cells["language"] == language).to_numpy() & (sums.rows[:, at] > 0))
    cells, rows, scores = sums.cells[held], sums.rows[held, at][:, None], sums.scores[held, at][:, None]
    parts = cells.with_columns(rows=pl.Series(rows[:, 0])).sort("rows", descending=True).group_by(column).agg(
        pl.col("task_type").first().alias("type_of_largest"), pl.col("rows").sum().cast(pl.Int64)
    ).sort("rows", column, descending=[True, False])  # fmt: skip
    if parts.is_empty():
        schema = {column: pl.String, "task_type": pl.String, "rows": pl.Int64}
        return pl.DataFrame(schema={**schema, "score_without": pl.Float64, "change": pl.Float64})
    stays = cells[column].to_numpy()[:, None] != parts[column].to_numpy()[None, :]
    score = mean_lines(cells, scores, rows, what_if.weight)[0, 0]
    without = mean_lines(cells, scores * stays, rows * stays, what_if.weight)[0]
    return (
        parts.with_columns(score_without=pl.Series(without, nan_to_null=True))
        .with_columns(change=pl.col("score_without") - score, task_type=pl.col("type_of_largest"))
        .select(*dict.fromkeys((column, "task_type", "rows", "score_without", "change")))
        .sort(pl.col("change").abs(), column, descending=[True, False], nulls_last=True)
    )


def _matrices(table: LanguageScores) -> tuple[Floats, Floats]:
    return table.scores, table.rows


def _pick(table: LanguageScores, matrix: Floats, languages: Sequence[str]) -> Floats:
    """Columns of some languages; NaN for a language that the table lacks."""
    place = {language: column for column, language in enumerate(table.languages)}
    picked = np.full((len(matrix), len(languages)), np.nan)
    for column, language in enumerate(languages):
        if language in place:
            picked[:, column] = matrix[:, place[language]]
    return picked


def _lowest(scores: Floats) -> list[int]:
    """How often each column holds the least of its row."""
    filled = np.where(np.isnan(scores), np.inf, scores)
    least = filled.min(axis=1, keepdims=True, initial=np.inf)
    return list(((filled == least) & np.isfinite(filled)).sum(axis=0))


def _moves(
    who: dict[str, list[str]],
    before: Floats,
    after: Floats,
    place: str,
    ranks: tuple[Floats, Floats] | None = None,
    **counts: Floats,
) -> pl.DataFrame:
    (name,) = who
    rank_before, rank_after = ranks or (rank_values(before), rank_values(after))
    moved = pl.DataFrame(
        {
            **who,
            "score_before": before,
            "score_after": after,
            "change": after - before,
            f"{place}_before": rank_before,
            f"{place}_after": rank_after,
            **{key: np.nan_to_num(values) for key, values in counts.items()},
        },
        schema_overrides={name: pl.String},
        nan_to_null=True,
    )
    whole_numbers = (f"{place}_before", f"{place}_after", *counts)
    return moved.cast(dict.fromkeys(whole_numbers, pl.Int64)).sort(
        "score_before", name, descending=[True, False], nulls_last=True
    )
