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

_RUNS = "SELECT run_id FROM runs WHERE is_default AND run_id NOT IN (SELECT run_id FROM language_scores)"

_NAMES = f"""
    WITH named AS (
        SELECT language_list_id, unnest(languages) AS language FROM language_lists
    ), kinds AS (
        SELECT language_list_id,
               CASE WHEN count(DISTINCT coalesce(standard, language)) <= 1 THEN '{RowKind.SAME}'
                    WHEN bool_or(standard = 'eng-Latn') THEN '{RowKind.ENGLISH}'
                    ELSE '{RowKind.OTHER}' END AS row_kind
        FROM named JOIN languages USING (language)
        WHERE language_status <> '{LanguageStatus.CODE}' GROUP BY language_list_id
    ), counted AS (
        SELECT language_list_id, language, count(*) AS times,
               coalesce(any_value(row_kind), '{RowKind.SAME}') AS row_kind
        FROM named LEFT JOIN kinds USING (language_list_id) GROUP BY language_list_id, language
    )
    SELECT language_list_id, CAST(times AS INTEGER) AS times, language, row_kind,
           CAST(dense_rank() OVER (ORDER BY language, row_kind) AS INTEGER) AS name_id
    FROM counted
"""
"""One row per list of languages and language that it names: how often, and which languages meet there."""

_GROUPS = """
    WITH prints AS (
        SELECT row_id, bit_xor(hash(benchmark_name)) AS print FROM benchmark_rows GROUP BY row_id
    )
    SELECT row_id, task_name, split, print,
           CAST(dense_rank() OVER (ORDER BY task_name, split, print) AS INTEGER) AS group_id
    FROM rows LEFT JOIN prints USING (row_id)
"""
"""One row per row: which rows of a task and split the same benchmarks average. One print stands for one set of them."""

# A sum of whole numbers does not depend on the order of its parts, and so neither does the content of a store: scores
# are summed in steps of 2^-40, the last of twelve decimals. What is too large for that is no score and is left out.
_SUMS = """
    SELECT run_id, group_id, name_id, CAST(sum(times) AS BIGINT) AS rows, count(*) AS rows_distinct,
           sum(times * steps) / 1099511627776 AS score_sum, sum(steps) / 1099511627776 AS score_sum_distinct
    FROM (SELECT run_id, row_id, language_list_id, TRY_CAST(round(score * 1099511627776) AS BIGINT) AS steps
          FROM scores SEMI JOIN language_runs USING (run_id) WHERE score IS NOT NULL)
         JOIN language_groups USING (row_id) JOIN language_names USING (language_list_id)
    WHERE steps IS NOT NULL GROUP BY run_id, group_id, name_id
"""

_CELLS = """
    WITH sets AS (
        SELECT print, list(benchmark_name ORDER BY benchmark_name) AS benchmarks
        FROM benchmark_rows
             JOIN (SELECT print, min(row_id) AS row_id FROM language_groups GROUP BY print) USING (row_id)
        GROUP BY print
    )
    SELECT group_id, name_id, language, task_name, split, row_kind, coalesce(benchmarks, []) AS benchmarks
    FROM (SELECT DISTINCT group_id, name_id FROM language_sums)
         JOIN (SELECT DISTINCT group_id, task_name, split, print FROM language_groups) USING (group_id)
         JOIN (SELECT DISTINCT name_id, language, row_kind FROM language_names) USING (name_id)
         LEFT JOIN sets USING (print)
"""


def sum_languages(draft: Draft) -> None:
    """Bring LANGUAGE_CELLS and LANGUAGE_SCORES of a draft up to date: runs without sums get theirs.

    Only default runs are summed: a view over published results never mixes in prompt experiments.
    """
    kept = {"runs": _RUNS, "names": _NAMES, "groups": _GROUPS, "sums": _SUMS}
    for name, sql in kept.items():
        draft.keep(f"language_{name}", sql)
    known = draft.read("SELECT * FROM language_cells")
    cells = add_numbers(draft.read(_CELLS), known, _KEY, "language_cell_id")
    scores = draft.read("SELECT * FROM language_sums").join(cells, on=["group_id", "name_id"], how="left")
    new = cells.join(known, on="language_cell_id", how="anti").select(list(LANGUAGE_CELLS.schema))
    draft.append(LANGUAGE_CELLS, new.sort("language_cell_id"))
    draft.append(LANGUAGE_SCORES, scores.select(list(LANGUAGE_SCORES.schema)).sort("run_id", "language_cell_id"))
    draft.delete(LANGUAGE_CELLS, "language_cell_id NOT IN (SELECT language_cell_id FROM language_scores)")
