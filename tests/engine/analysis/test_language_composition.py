import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.language_composition import Part, compose
from engine.analysis.language_scores import WhatIf
from engine.errors import UsageError
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

A = "org/a"


def arabic_case():
    return board([(A, "STS17", [MAL], 0.85), (A, "STS17", [ENG, MAL], 0.26)])


def test_rows_within_a_language_stand_apart_from_those_across():
    kinds = compose(arabic_case(), A, MAL).row_kinds
    assert dict(kinds.select("row_kind", "mean").iter_rows()) == {
        "same language": pytest.approx(0.85),
        "with English": pytest.approx(0.26),
    }
    assert compose(arabic_case(), A, MAL).score == pytest.approx(0.555)


rows = st.lists(
    st.tuples(
        st.sampled_from(["T1", "T2", "T3", "T4/train"]),
        st.lists(st.sampled_from([ENG, MAL, HIN, DEU]), min_size=1, max_size=2),
        st.floats(-1, 1),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: (row[0], tuple(row[1])),
)


@given(rows)
def test_contributions_add_up_to_the_score(drawn):
    records = board([(A, *row) for row in drawn], types={"T2": "STS"}, corpora={"T1": "c", "T3": "c"})
    for language in records.sums.cells["language"].unique():
        composed = compose(records, A, language)
        for part in Part:
            parts = composed.parts(part)
            assert parts["contribution"].sum() == pytest.approx(composed.score, abs=1e-12)
            assert parts["share"].sum() == pytest.approx(1)
            assert parts["rows"].sum() == composed.rows
        named = [(score, names.count(language)) for _, names, score in drawn if language in names]
        assert composed.score == pytest.approx(
            sum(score * times for score, times in named) / sum(times for _, times in named), abs=1e-12
        )


def test_largest_share_comes_first_and_train_is_marked():
    records = board([(A, "Bible/train", [MAL, HIN], 0.2), (A, "Bible/train", [MAL, ENG], 0.3), (A, "Y", [MAL], 0.9)])
    tasks = compose(records, A, MAL).tasks
    assert tasks["task_name"].to_list() == ["Bible", "Y"]
    assert tasks["uses_train"].to_list() == [True, False]
    assert tasks["splits"].to_list() == [["train"], ["test"]]
    assert tasks.select("rows_same", "rows_english", "rows_other").rows() == [(0, 1, 1), (1, 0, 0)]


def test_mean_over_tasks_stands_beside_the_mean_over_rows():
    # Field case 9: one task with most of the rows.
    rows = [(A, "X", [MAL, each], 0.2) for each in (ENG, DEU, HIN)] + [(A, "Y", [MAL], 0.8)]
    composed = compose(board(rows), A, MAL)
    assert composed.score == pytest.approx(0.35)
    assert composed.score_by_task == pytest.approx(0.5)
    assert composed.tasks["share"][0] == pytest.approx(0.75)
    assert compose(board([*rows, (A, "Y", [HIN], 0.8)]), A, HIN).score_by_task == pytest.approx(0.5)


def test_task_that_is_described_but_not_scored_is_listed_last():
    records = board([(A, "X", [MAL], 0.5)], described=[("F", [MAL, ENG]), ("F", [ENG, MAL])])
    tasks = compose(records, A, MAL).tasks
    last = tasks.row(-1, named=True)
    assert (last["task_name"], last["rows"], last["rows_described"], last["mean"]) == ("F", 0, 2, None)
    assert tasks["share"].sum() == pytest.approx(1)


def test_language_that_nobody_was_scored_in_has_no_score():
    composed = compose(board([(A, "X", [MAL], 0.5)], described=[("X", [DEU])]), A, DEU)
    assert composed.score is None and composed.rows == 0
    assert composed.tasks["task_name"].to_list() == ["X"]
    assert composed.parts(Part.TASK_TYPE).is_empty()


def test_what_is_dropped_is_in_no_part():
    records = board([(A, "X", [MAL], 0.5), (A, "Y", [MAL], 0.9)])
    composed = compose(records, A, MAL, WhatIf(drop_tasks=("X",)))
    assert composed.score == pytest.approx(0.9)
    assert composed.tasks["task_name"].to_list() == ["Y"]


@pytest.mark.parametrize(("model", "language"), [("org/none", MAL), (A, "xyz-Latn")])
def test_unknown_names_are_refused_with_those_that_exist(model, language):
    with pytest.raises(UsageError, match="there are: "):
        compose(board([(A, "X", [MAL], 0.5)]), model, language)


def test_first_sentence_says_what_the_task_asks():
    described = {"X": {"description": "Find the\nanswer. It is long."}}
    tasks = compose(board([(A, "X", [MAL], 0.5)], tasks=described), A, MAL).tasks
    assert tasks["asked_to_do"].item() == "Find the answer."
    assert compose(board([(A, "X", [MAL], 0.5)]), A, MAL).tasks.select(pl.col("asked_to_do").is_null()).item()
