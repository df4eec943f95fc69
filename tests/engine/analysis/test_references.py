import polars as pl
import pytest

from engine.analysis.references import (
    NOT_PUBLISHED,
    OTHER_ROWS,
    Reference,
    harness_gap,
    order_published,
    published_matched,
)

CELL = ("org/m", "T")
SIX = {f"p{number}": {"a": 0.1 * number, "b": 0.2 * number} for number in range(1, 7)}
MATCHED = {"reference": Reference.PUBLISHED_MATCHED}


def only(distributions):
    return distributions.cells.row(0, named=True)


def test_default_run_of_the_same_harness(records_of, distributions_of):
    found = only(distributions_of(records_of({CELL: SIX}, {CELL: {"a": 0.3, "b": 0.5}})))
    assert found["reference_score"] == pytest.approx(0.4)
    assert (found["reference_source"], found["reference_rows"]) == ("study", 2)
    assert found["reference_origin"] == "not recorded" and found["reference_prompt"] is None


def test_default_run_that_lacks_a_row_of_every_prompt_run_narrows_the_study(records_of, distributions_of):
    found = only(distributions_of(records_of({CELL: SIX}, {CELL: {"a": 0.3}})))
    assert (found["rows"], found["rows_expected"]) == (1, 1)
    assert found["reference_score"] == pytest.approx(0.3)


def test_default_run_without_a_number_on_a_row_makes_no_call(records_of, distributions_of):
    found = only(distributions_of(records_of({CELL: SIX}, {CELL: {"a": 0.3, "b": None}})))
    assert (found["reference_score"], found["call"]) == (None, None)
    assert found["no_call_reason"] == "the reference has 1 of 2 rows"
    assert found["n"] == 6


def test_matched_rows_recompute_the_prompt_scores(records_of, distributions_of):
    records = records_of({CELL: SIX}, published=[(CELL, {"b": 0.7, "z": 0.1}, {})])
    distributions = distributions_of(records, **MATCHED)
    found = only(distributions)
    assert found["reference_score"] == pytest.approx(0.7)
    assert (found["rows"], found["rows_expected"]) == (1, 2)
    assert sorted(distributions.scores["score"]) == pytest.approx([0.2 * number for number in range(1, 7)])
    assert distributions.counted.height == 1


def test_published_rows_without_a_number_are_not_matched(records_of, distributions_of):
    records = records_of({CELL: SIX}, published=[(CELL, {"a": None, "b": 0.7}, {})])
    assert only(distributions_of(records, **MATCHED))["rows"] == 1


@pytest.mark.parametrize(
    ("published", "reason"),
    [([], NOT_PUBLISHED), ([(CELL, {"z": 0.7}, {})], OTHER_ROWS), ([(CELL, {"a": None}, {})], OTHER_ROWS)],
)
def test_cells_without_a_match_are_left_out_with_the_reason(records_of, distributions_of, published, reason):
    distributions = distributions_of(records_of({CELL: SIX}, published=published), **MATCHED)
    assert distributions.cells.is_empty() and distributions.scores.is_empty() and distributions.prompts.is_empty()
    assert distributions.left_out.rows() == [(*CELL, reason)]


def test_published_score_over_all_rows_keeps_the_prompt_scores(records_of, distributions_of):
    records = records_of({CELL: SIX}, published=[(CELL, {"b": 0.7, "z": 0.1}, {})])
    distributions = distributions_of(records, reference=Reference.PUBLISHED_ALL)
    found = only(distributions)
    assert found["reference_score"] == pytest.approx(0.4)
    assert (found["rows"], found["rows_expected"], found["reference_rows"]) == (2, 2, 2)
    assert any("other rows" in note for note in distributions.notes)


def test_published_score_with_a_hole_is_no_score(records_of, distributions_of):
    records = records_of({CELL: SIX}, published=[(CELL, {"b": 0.7, "z": None}, {})])
    found = only(distributions_of(records, reference=Reference.PUBLISHED_ALL))
    assert found["reference_score"] is None
    assert found["no_call_reason"] == "the reference has 1 of 2 rows"


def test_same_revision_comes_before_another(records_of, distributions_of):
    published = [
        (CELL, {"a": 0.9, "b": 0.9}, {"model_revision": "external"}),
        (CELL, {"a": 0.3, "b": 0.3}, {"model_revision": "r1"}),
    ]
    found = only(distributions_of(records_of({CELL: SIX}, published=published), **MATCHED))
    assert (found["reference_revision"], found["reference_score"]) == ("r1", pytest.approx(0.3))
    assert "model revision" not in found["unlike_conditions"]


def test_another_revision_is_taken_and_marked_where_it_alone_matches(records_of, distributions_of):
    published = [
        (CELL, {"a": 0.9}, {"model_revision": "external"}),
        (CELL, {"z": 0.3}, {"model_revision": "r1"}),
    ]
    found = only(distributions_of(records_of({CELL: SIX}, published=published), **MATCHED))
    assert found["reference_revision"] == "external"
    assert "model revision" in found["unlike_conditions"]


def test_published_score_is_a_second_mark_beside_the_default_run(records_of, distributions_of):
    records = records_of({CELL: SIX}, {CELL: {"a": 0.3, "b": 0.5}}, published=[(CELL, {"b": 0.7, "z": 0.1}, {})])
    found = only(distributions_of(records))
    assert found["reference_score"] == pytest.approx(0.4)
    assert (found["published_score"], found["published_rows"]) == (pytest.approx(0.7), 1)
    assert found["harness_gap"] == pytest.approx(0.2), "on the shared row alone: 0.7 − 0.5"


def test_harness_gap_needs_the_rows_in_both(records_of):
    records = records_of({CELL: SIX}, {CELL: {"a": 0.3, "b": None}}, published=[(CELL, {"b": 0.7}, {})])
    matched = published_matched(records, records.view("study"))
    assert harness_gap(records, matched)["harness_gap"].to_list() == [None]


def test_rows_of_a_benchmark(records_of, distributions_of):
    records = records_of({CELL: SIX}, {CELL: {"a": 0.3, "b": 0.5}}, benchmarks={"B": [("T", "b"), ("U", "x")]})
    found = only(distributions_of(records, rows="B"))
    assert (found["reference_score"], found["rows_expected"]) == (pytest.approx(0.5), 1)
    assert found["max"] == pytest.approx(1.2)


def test_benchmark_row_that_no_run_has_leaves_the_model_incomplete(records_of, distributions_of):
    records = records_of({CELL: SIX}, benchmarks={"B": [("T", "b"), ("T", "missing")]})
    found = only(distributions_of(records, rows="B"))
    assert (found["n"], found["n_incomplete"], found["mean"]) == (0, 6, None)
    assert (found["rows"], found["rows_expected"]) == (1, 2)


def test_benchmark_without_the_task_leaves_the_cell_out(records_of, distributions_of):
    records = records_of({CELL: SIX}, {CELL: {"a": 0.3}}, benchmarks={"B": [("U", "x")]})
    distributions = distributions_of(records, rows="B")
    assert distributions.left_out.rows() == [(*CELL, "B has no row of this task")]


def test_tied_revisions_go_by_the_version_that_is_recorded_then_by_name(records_of, distributions_of):
    published = [
        (CELL, {"a": 0.9}, {"model_revision": "x", "mteb_version": None}),
        (CELL, {"a": 0.5}, {"model_revision": "z"}),
        (CELL, {"a": 0.3}, {"model_revision": "y"}),
    ]
    assert only(distributions_of(records_of({CELL: SIX}, published=published), **MATCHED))["reference_revision"] == "y"


def test_order_of_models_does_not_matter(records_of, distributions_of):
    def build(models):
        return distributions_of(
            records_of(
                {
                    (model, "T"): {text: {"a": held["a"] + shift} for text, held in SIX.items()}
                    for model, shift in models
                },
                {(model, "T"): {"a": 0.3 + shift} for model, shift in models},
            )
        )

    models = [("org/a", 0.0), ("org/b", 0.01), ("org/c", -0.02)]
    forth, back = build(models), build(models[::-1])
    assert forth.cells.equals(back.cells) and forth.scores.equals(back.scores)
    assert forth.cells.select(pl.col("call").is_not_null().all()).item()


def test_sources_with_prompt_experiments_come_last():
    candidates = pl.DataFrame(
        {
            "source_name": ["another-study", "mteb"],
            "model_name": ["m"] * 2,
            "task_name": ["T"] * 2,
            "model_revision": ["r1", "r0"],
            "mteb_version": ["2.0.0"] * 2,
        }
    )
    shown = candidates.head(1).select("model_name", "task_name", "model_revision")
    ordered = order_published(candidates, shown, candidates, pl.Series(["study", "another-study"]))
    assert ordered.sort("preference")["source_name"].to_list() == ["mteb", "another-study"]
