import polars as pl
import pytest

from engine.analysis.completeness import score_runs, study_bundles


def runs_of(*tasks):
    return pl.DataFrame({"run_id": range(len(tasks)), "task_name": tasks}, {"run_id": pl.Int32, "task_name": pl.String})


def scores_of(*rows):
    schema = {"run_id": pl.Int32, "bundle_id": pl.Int32, "score_sum": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row").with_columns(n_rows=pl.lit(1))


def view_of(*rows):
    schema = {"task_name": pl.String, "bundle_id": pl.Int32}
    return pl.DataFrame(rows, schema, orient="row").with_columns(n_rows=pl.lit(1))


def test_rows_of_a_study_are_those_of_every_run():
    held = scores_of((0, 1, 0.5), (0, 2, 0.6), (1, 2, 0.7), (1, 3, 0.8))
    assert study_bundles(runs_of("T", "T"), held).rows() == [("T", 2, 1)]


def test_rows_of_a_study_differ_by_task():
    held = scores_of((0, 1, 0.5), (1, 9, 0.7))
    assert study_bundles(runs_of("T", "U"), held).rows() == [("T", 1, 1), ("U", 9, 1)]


def test_rows_of_a_study_hold_a_row_without_a_number():
    held = scores_of((0, 1, None), (1, 1, 0.7))
    assert study_bundles(runs_of("T", "T"), held).rows() == [("T", 1, 1)]


def test_rows_of_a_study_ask_no_run_that_has_none():
    assert study_bundles(runs_of("T", "T"), scores_of((0, 1, 0.5))).rows() == [("T", 1, 1)]


def test_rows_of_a_study_of_nothing():
    assert study_bundles(runs_of(), scores_of()).is_empty()


@pytest.mark.parametrize(
    ("held", "score", "rows"),
    [
        pytest.param([(0, 1, 0.2), (0, 2, 0.4)], 0.3, 2, id="complete"),
        pytest.param([(0, 2, 0.4), (0, 1, 0.2)], 0.3, 2, id="order of rows does not matter"),
        pytest.param([(0, 1, 0.2)], None, 1, id="a row is absent"),
        pytest.param([(0, 1, 0.2), (0, 2, None)], None, 1, id="a row holds no number"),
        pytest.param([(0, 1, 0.2), (0, 2, 0.4), (0, 3, 0.9)], 0.3, 2, id="a row outside the view"),
        pytest.param([], None, 0, id="no row at all"),
        pytest.param([(0, 1, -0.2), (0, 2, 0.2)], 0.0, 2, id="negative"),
    ],
)
def test_score_of_a_run(held, score, rows):
    scored = score_runs(runs_of("T"), scores_of(*held), view_of(("T", 1), ("T", 2))).row(0, named=True)
    assert scored["score"] == (None if score is None else pytest.approx(score))
    assert (scored["rows"], scored["rows_expected"]) == (rows, 2)


def test_score_of_a_run_whose_task_is_not_in_the_view():
    scored = score_runs(runs_of("T"), scores_of((0, 1, 0.2)), view_of(("U", 1))).row(0, named=True)
    assert (scored["score"], scored["rows"], scored["rows_expected"]) == (None, 0, 0)


def test_runs_keep_their_order():
    runs = runs_of("T", "U", "T").reverse()
    scored = score_runs(runs, scores_of((0, 1, 0.1), (1, 5, 0.2), (2, 1, 0.3)), view_of(("T", 1), ("U", 5)))
    assert scored["run_id"].to_list() == [2, 1, 0]
    assert scored["score"].to_list() == [0.3, 0.2, 0.1]
