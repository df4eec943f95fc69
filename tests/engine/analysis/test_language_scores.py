import numpy as np
import polars as pl
import pytest

from engine.analysis.language_scores import Weight, WhatIf, score_distinct_rows, score_languages
from engine.analysis.language_table import largest_tasks, tabulate_languages
from engine.schema import RowKind
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

A, B = "org/a", "org/b"


def score(records, model, language, what_if=None):
    scored = score_languages(records, what_if)
    return scored.scores[scored.model_names.index(model), scored.column(language)]


def test_row_that_names_a_language_twice_counts_twice():
    records = board([(A, "X", [MAL, MAL], 0.9), (A, "Y", [MAL], 0.3)])
    assert score(records, A, MAL) == pytest.approx((0.9 + 0.9 + 0.3) / 3)
    assert score_distinct_rows(records)[0, 0] == pytest.approx(0.6)
    row = tabulate_languages(records, score_languages(records)).row(0, named=True)
    assert (row["rows"], row["rows_distinct"]) == (3, 2)


def test_pair_counts_in_both_languages():
    records = board([(A, "X", [ENG, MAL], 0.4), (A, "Y", [MAL], 0.8)])
    assert score(records, A, ENG) == pytest.approx(0.4)
    assert score(records, A, MAL) == pytest.approx(0.6)


def test_language_without_a_row_is_missing_not_zero():
    records = board([(A, "X", [MAL], 0.4), (B, "X", [DEU], 0.8)])
    assert np.isnan(score(records, A, DEU))
    table = tabulate_languages(records, score_languages(records))
    assert set(table.select("model_name", "language").iter_rows()) == {(A, MAL), (B, DEU)}


def test_negative_scores_are_kept():
    assert score(board([(A, "X", [MAL], -0.3), (A, "Y", [MAL], 0.1)]), A, MAL) == pytest.approx(-0.1)


def test_model_with_some_rows_is_shown_without_a_rank():
    rows = [("X", [MAL], 0.5), ("Y", [MAL], 0.7)]
    records = board([(A, *row) for row in rows] + [(B, "X", [MAL], 0.99)])
    table = tabulate_languages(records, score_languages(records))
    partial = table.row(by_predicate=pl.col("model_name") == B, named=True)
    assert partial["score"] == pytest.approx(0.99)
    assert (partial["rank"], partial["rows"], partial["rows_expected"], partial["is_complete"]) == (None, 1, 2, False)
    assert table.row(by_predicate=pl.col("model_name") == A, named=True)["rank"] == 1


def test_missing_split_makes_a_model_incomplete():
    splits = [f"W/{name}" for name in ("validation", "test_iid", "test_cat", "test_geo", "test_vis", "test_web")]
    records = board([(A, split, [ENG], 0.24) for split in splits] + [(B, split, [ENG], 0.31) for split in splits[:2]])
    table = tabulate_languages(records, score_languages(records)).filter(pl.col("model_name") == B)
    assert table.select("rows", "rows_expected", "rank").row(0) == (2, 6, None)


def test_task_of_which_hardly_a_row_was_published_is_asked_of_nobody():
    described = [("F", [MAL, f"x{place:02}-Latn"]) for place in range(20)]
    records = board([(A, "X", [MAL], 0.5), (B, "X", [MAL], 0.6), (B, "F", [MAL, "x00-Latn"], 0.9)], described=described)
    scored = score_languages(records)
    assert scored.rows_expected[scored.column(MAL)] == 1
    assert scored.is_complete[:, scored.column(MAL)].all()


@pytest.mark.parametrize(
    ("what_if", "expected"),
    [
        (WhatIf(), (0.9 + 0.8 + 0.1 + 0.5) / 4),
        (WhatIf(drop_tasks=("Big",)), (0.1 + 0.5) / 2),
        (WhatIf(tasks=("Big",)), 0.85),
        (WhatIf(drop_types=("STS",)), (0.9 + 0.8 + 0.5) / 3),
        (WhatIf(drop_corpora=("shared",)), (0.1 + 0.5) / 2),
        (WhatIf(drop_kinds=(RowKind.ENGLISH,)), (0.8 + 0.1 + 0.5) / 3),
        (WhatIf(weight=Weight.TASK), (0.85 + 0.1 + 0.5) / 3),
        (WhatIf(weight=Weight.TASK_TYPE), ((0.85 + 0.5) / 2 + 0.1) / 2),
        (WhatIf(weight=Weight.CORPUS), (0.85 + 0.1 + 0.5) / 3),
        (WhatIf(drop_tasks=("Small",), weight=Weight.TASK_TYPE), (0.85 + 0.1) / 2),
    ],
)
def test_what_if(what_if, expected):
    rows = [("Big", [MAL, ENG], 0.9), ("Big", [MAL], 0.8), ("Alike", [MAL], 0.1), ("Small", [MAL], 0.5)]
    records = board([(A, *row) for row in rows], types={"Alike": "STS"}, corpora={"Big": "shared"})
    assert score(records, A, MAL, what_if) == pytest.approx(expected)


def test_language_of_which_nothing_stays_is_gone():
    records = board([(A, "X", [MAL], 0.5), (A, "Y", [DEU], 0.6)])
    assert score_languages(records, WhatIf(drop_tasks=("X",))).languages == (DEU,)


def test_dropping_everything_leaves_an_empty_table():
    records = board([(A, "X", [MAL], 0.5)])
    scored = score_languages(records, WhatIf(drop_tasks=("X",)))
    assert scored.languages == () and scored.scores.shape == (1, 0)
    assert tabulate_languages(records, scored).is_empty()


def test_ranks_share_the_better_place():
    scores = {"org/a": 0.5, "org/b": 0.7, "org/c": 0.5}
    scored = score_languages(board([(name, "X", [MAL], value) for name, value in scores.items()]))
    assert scored.ranks[:, 0].tolist() == [2, 1, 2]


def test_largest_task_and_its_share_are_the_models_own():
    rows = [(A, "X", [MAL, ENG], 0.1), (A, "X", [MAL, HIN], 0.1), (A, "Y", [MAL], 0.2), (B, "Y", [MAL], 0.3)]
    largest = dict(
        (row[0], row[1:])
        for row in largest_tasks(board(rows)).filter(pl.col("language") == MAL).drop("language").iter_rows()
    )
    assert largest[A] == ("X", pytest.approx(2 / 3))
    assert largest[B] == ("Y", 1.0)


def test_wide_table_holds_one_column_a_language_and_null_for_missing():
    wide = score_languages(board([(A, "X", [MAL], 0.4), (B, "X", [DEU], 0.8)])).wide()
    assert wide.columns == ["model_name", DEU, MAL]
    assert wide.rows() == [(A, None, 0.4), (B, 0.8, None)]
