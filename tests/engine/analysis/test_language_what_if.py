import polars as pl
import pytest

from engine.analysis.language_composition import Part
from engine.analysis.language_scores import Weight, WhatIf, score_languages
from engine.analysis.language_what_if import compare_what_if, leave_each_out
from tests.engine.analysis.language_boards import DEU, ENG, MAL, board

A, B, C = "org/a", "org/b", "org/c"


def one_task_is_the_language():
    """Task X has many rows of Malayalam; German has one task; nothing else."""
    many = [("X", [MAL, f"x{place:02}-Latn"], 0.2) for place in range(8)]
    return board([(A, *row) for row in [*many, ("Y", [MAL], 0.8), ("Z", [MAL], 0.6), ("K", [DEU], 0.5)]])


def test_each_part_left_out_moves_the_score_by_what_the_table_says():
    records = one_task_is_the_language()
    moved = leave_each_out(records, A, MAL)
    assert moved["task_name"][0] == "X"
    for row in moved.iter_rows(named=True):
        scored = score_languages(records, WhatIf(drop_tasks=(row["task_name"],)))
        assert row["score_without"] == pytest.approx(scored.scores[0, scored.column(MAL)])
    assert moved["score_without"][0] == pytest.approx(0.7)


@pytest.mark.parametrize("weight", list(Weight))
def test_parts_are_left_out_under_the_weight_chosen(weight):
    records = one_task_is_the_language()
    moved = leave_each_out(records, A, MAL, Part.TASK, WhatIf(weight=weight))
    scored = score_languages(records, WhatIf(drop_tasks=("X",), weight=weight))
    without = moved.row(by_predicate=pl.col("task_name") == "X", named=True)["score_without"]
    assert without == pytest.approx(scored.scores[0, scored.column(MAL)])


def test_language_of_one_task_has_nothing_left_without_it():
    only = leave_each_out(one_task_is_the_language(), A, DEU).row(0, named=True)
    assert (only["task_name"], only["score_without"], only["change"]) == ("K", None, None)


def test_language_without_a_score_has_no_parts():
    records = board([(A, "X", [MAL], 0.5)], described=[("X", [DEU])])
    assert leave_each_out(records, A, DEU).is_empty()


def test_parts_by_type_corpus_and_kind():
    records = board(
        [(A, "X", [MAL, ENG], 0.1), (A, "Y", [MAL], 0.5), (A, "Z", [MAL], 0.9)], types={"Z": "STS"}, corpora={"Y": "c"}
    )
    by = {part: leave_each_out(records, A, MAL, part) for part in (Part.TASK_TYPE, Part.CORPUS, Part.ROW_KIND)}
    assert set(by[Part.TASK_TYPE]["task_type"]) == {"Retrieval", "STS"}
    assert set(by[Part.CORPUS]["corpus"]) == {"X", "c", "Z"}
    kinds = dict(by[Part.ROW_KIND].select("row_kind", "score_without").iter_rows())
    assert kinds == {"with English": pytest.approx(0.7), "same language": pytest.approx(0.1)}


def test_places_of_languages_move():
    records = board([(A, "X", [ENG, MAL], 0.1), (A, "Y", [ENG], 0.9), (A, "Y", [MAL], 0.8), (A, "Y", [DEU], 0.6)])
    effect = compare_what_if(records, WhatIf(drop_tasks=("X",)))
    moved = effect.languages_of(A, [ENG, MAL, DEU])
    places = {row["language"]: (row["place_before"], row["place_after"]) for row in moved.iter_rows(named=True)}
    assert places == {DEU: (1, 3), ENG: (2, 1), MAL: (3, 2)}
    assert moved["language"].to_list() == [DEU, ENG, MAL]


def test_language_that_goes_has_no_place_afterwards():
    records = board([(A, "X", [DEU], 0.6), (A, "Y", [MAL], 0.5)])
    gone = compare_what_if(records, WhatIf(drop_tasks=("X",))).languages_of(A, [DEU, MAL])
    assert gone.row(0, named=True)["score_after"] is None
    assert gone["place_after"].to_list() == [None, 1]
    assert gone["rows_after"].to_list() == [0, 1]


def test_models_of_a_language_are_ranked_only_when_complete():
    rows = [
        (A, "X", [MAL], 0.9),
        (A, "Y", [MAL], 0.1),
        (B, "X", [MAL], 0.4),
        (B, "Y", [MAL], 0.5),
        (C, "X", [MAL], 1.0),
    ]
    moved = compare_what_if(board(rows), WhatIf(drop_tasks=("Y",))).models_of(MAL)
    told = {row["model_name"]: (row["rank_before"], row["rank_after"]) for row in moved.iter_rows(named=True)}
    assert told == {A: (1, 2), B: (2, 3), C: (None, 1)}


def test_lowest_language_is_counted_over_models():
    rows = [("X", [ENG, MAL], 0.1), ("Y", [ENG], 0.2), ("Y", [MAL], 0.9), ("Z", [ENG], 0.95)]
    records = board([(model, *row) for model in (A, B) for row in rows])
    lowest = compare_what_if(records, WhatIf(drop_tasks=("Y",))).lowest([ENG, MAL], [A, B])
    assert lowest.rows() == [(ENG, 2, 0, 2), (MAL, 0, 2, 2)]


def test_typical_change_is_the_median_over_models():
    rows = [
        (A, "X", [MAL], 0.0),
        (A, "Y", [MAL], 1.0),
        (B, "X", [MAL], 0.5),
        (B, "Y", [MAL], 0.7),
        (A, "X", [DEU], 0.3),
    ]
    changes = compare_what_if(board(rows), WhatIf(drop_tasks=("X",))).typical_changes()
    assert changes.rows() == [(MAL, 2, pytest.approx(0.3)), (DEU, 0, None)]
