"""Sums of scores by language, made once at build, so that a page about languages reads no single rows.

A board with all translation pairs holds some twenty million rows; its cells are a fiftieth of that. Cells belong to
runs, so a build sums only the runs that it read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.numbering import add_numbers
from engine.schema import LANGUAGE_CELLS, LANGUAGE_SCORES, LanguageStatus, RowKind

if TYPE_CHECKING:
    from engine.store import Draft

_KEY = ("language", "task_name", "split", "row_kind", "benchmarks")

_FRESH = "SELECT run_id FROM runs WHERE is_default AND run_id NOT IN (SELECT run_id FROM language_scores)"

_NAMED = f"""
    WITH named AS (
        SELECT language_list_id, unnest(languages) AS language FROM language_lists
    ), kinds AS (
        SELECT language_list_id,
               CASE WHEN count(DISTINCT coalesce(standard, language)) <= 1 THEN '{RowKind.SAME}'
                    WHEN bool_or(standard = 'eng-Latn') THEN '{RowKind.ENGLISH}'
                    ELSE '{RowKind.OTHER}' END AS row_kind
        FROM named JOIN languages USING (language)
        WHERE language_status <> '{LanguageStatus.CODE}' GROUP BY language_list_id
    )
    SELECT language_list_id, language, coalesce(any_value(row_kind), '{RowKind.SAME}') AS row_kind,
           CAST(count(*) AS INTEGER) AS times
    FROM named LEFT JOIN kinds USING (language_list_id)
    GROUP BY language_list_id, language
"""

_GROUPS = f"""
    WITH prints AS (
        SELECT row_id, bit_xor(hash(benchmark_name)) AS print FROM benchmark_rows GROUP BY row_id
    ), sets AS (
        SELECT print, list(benchmark_name ORDER BY benchmark_name) AS benchmarks
        FROM benchmark_rows JOIN (SELECT print, min(row_id) AS row_id FROM prints GROUP BY print) USING (row_id)
        GROUP BY print
    )
    SELECT row_id, task_name, split, coalesce(benchmarks, []) AS benchmarks
    FROM rows LEFT JOIN prints USING (row_id) LEFT JOIN sets USING (print)
    WHERE row_id IN (SELECT row_id FROM scores WHERE run_id IN ({_FRESH}))
"""
"""One row per row that is summed, with the benchmarks that average it; rows with the same hash have the same ones."""

# A sum of whole numbers does not depend on the order of its parts, and so neither does the content of a store: scores
# are summed in steps of 2^-40, the last of twelve decimals. What is too large for that is no score and is left out.
_SUMS = f"""
    WITH named AS ({_NAMED}), grouped AS ({_GROUPS}),
    numbered_names AS (
        SELECT *, CAST(dense_rank() OVER (ORDER BY language, row_kind) AS INTEGER) AS name_id FROM named
    ), numbered_groups AS (
        SELECT *, CAST(dense_rank() OVER (ORDER BY task_name, split, benchmarks) AS INTEGER) AS group_id FROM grouped
    ), summed AS (
        SELECT run_id, group_id, name_id, CAST(sum(times) AS BIGINT) AS rows, count(*) AS rows_distinct,
               sum(times * steps) AS score_sum, sum(steps) AS score_sum_distinct
        FROM (SELECT run_id, row_id, language_list_id, TRY_CAST(round(score * 1099511627776) AS BIGINT) AS steps
              FROM scores SEMI JOIN ({_FRESH}) USING (run_id) WHERE score IS NOT NULL)
             JOIN (SELECT row_id, group_id FROM numbered_groups) USING (row_id)
             JOIN (SELECT language_list_id, name_id, times FROM numbered_names) USING (language_list_id)
        WHERE steps IS NOT NULL GROUP BY run_id, group_id, name_id
    )
    SELECT run_id, language, task_name, split, row_kind, benchmarks, rows, rows_distinct,
           score_sum / 1099511627776 AS score_sum, score_sum_distinct / 1099511627776 AS score_sum_distinct
    FROM summed
         JOIN (SELECT DISTINCT name_id, language, row_kind FROM numbered_names) USING (name_id)
         JOIN (SELECT DISTINCT group_id, task_name, split, benchmarks FROM numbered_groups) USING (group_id)
"""


def sum_languages(draft: Draft) -> None:
    """Bring LANGUAGE_CELLS and LANGUAGE_SCORES of a draft up to date: runs without sums get theirs.

    Only default runs are summed: a view over published results never mixes in prompt experiments.
    """
    known = draft.read("SELECT * FROM language_cells")
    sums = draft.read(_SUMS)
    cells = add_numbers(sums.select(_KEY).unique(), known, _KEY, "language_cell_id")
    draft.append(LANGUAGE_CELLS, cells.join(known, on="language_cell_id", how="anti").sort("language_cell_id"))
    scores = sums.join(cells, on=_KEY, how="left").select(list(LANGUAGE_SCORES.schema))
    draft.append(LANGUAGE_SCORES, scores.sort("run_id", "language_cell_id"))
    draft.delete(LANGUAGE_CELLS, "language_cell_id NOT IN (SELECT language_cell_id FROM language_scores)")
