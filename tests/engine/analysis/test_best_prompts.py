import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import best_prompts as analysis
from engine.analysis.best_prompts import Choice, disclosure, rank_prompts
from engine.analysis.references import Reference

CELL = ("org/m", "T")


def best_prompts(distributions):
    """The best prompts of made-up records, in which each row is a bundle."""
    scores = distributions.records.bundle_scores
    return analysis.best_prompts(distributions, scores.select("run_id", row_id="bundle_id", score="score_sum"))


def test_prompts_stand_from_worst_to_best(records_of, distributions_of):
    found = distributions_of(records_of({CELL: {"x": 0.3, "y": 0.9, "z": 0.3, "w": None}}))
    assert rank_prompts(found, *CELL).select("rank", "prompt_id").rows() == [(2, "x"), (2, "z"), (1, "y"), (None, "w")]
    assert rank_prompts(found, "org/m", "another task").is_empty()


def test_best_prompt_and_what_it_seems_to_gain(records_of, distributions_of):
    found = best_prompts(distributions_of(records_of({CELL: {"x": 0.3, "y": 0.9}}, {CELL: 0.5}))).row(0, named=True)
    assert (found["best_prompt_id"], found["n"]) == ("y", 2)
    assert found["best_gain"] == pytest.approx(0.4)
    assert found["held_out_gain"] is None, "one row: unknown"


def test_held_out_gain_leaves_each_row_out_in_turn(records_of, distributions_of):
    prompts = {"x": {"a": 0.9, "b": 0.1}, "y": {"a": 0.2, "b": 0.7}}
    found = best_prompts(distributions_of(records_of({CELL: prompts}, {CELL: {"a": 0.5, "b": 0.4}}))).row(0, named=True)
    assert found["best_gain"] == pytest.approx(0.5 - 0.45)
    # By row b alone y is best and scores 0.2 on a; by row a alone x is best and scores 0.1 on b.
    assert found["held_out_gain"] == pytest.approx(((0.2 - 0.5) + (0.1 - 0.4)) / 2)
    assert found["n_held_out"] == 2


@pytest.mark.parametrize(
    ("prompts", "defaults", "known"),
    [
        pytest.param({"x": {"a": 0.1, "b": 0.2}}, {CELL: {"a": 0.1, "b": 0.1}}, True, id="one prompt"),
        pytest.param({"x": {"a": 0.1, "b": 0.2}}, {}, False, id="no default run"),
        pytest.param({"x": {"a": 0.1, "b": 0.2}}, {CELL: {"a": 0.1, "b": None}}, False, id="default lacks a row"),
        pytest.param({"x": {"a": 0.1}}, {CELL: {"a": 0.1}}, False, id="one row"),
    ],
)
def test_held_out_gain_is_unknown_where_it_cannot_be_told(records_of, distributions_of, prompts, defaults, known):
    found = best_prompts(distributions_of(records_of({CELL: prompts}, defaults))).row(0, named=True)
    assert (found["held_out_gain"] is not None) is known


def test_incomplete_prompts_are_never_chosen(records_of, distributions_of):
    prompts = {"x": {"a": 0.9, "b": None}, "y": {"a": 0.2, "b": 0.7}}
    found = best_prompts(distributions_of(records_of({CELL: prompts}, {CELL: {"a": 0.5, "b": 0.4}}))).row(0, named=True)
    assert (found["best_prompt_id"], found["n"]) == ("y", 1)


def test_cell_without_a_score_has_no_best_prompt(records_of, distributions_of):
    assert best_prompts(distributions_of(records_of({CELL: {"x": None}}))).is_empty()


def test_default_of_a_published_reading_stands_on_the_matched_rows(records_of, distributions_of):
    prompts = {"x": {"a": 0.9, "b": 0.1}, "y": {"a": 0.2, "b": 0.7}}
    records = records_of({CELL: prompts}, {CELL: {"a": 0.5, "b": 0.4}}, published=[(CELL, {"b": 0.6}, {})])
    found = best_prompts(distributions_of(records, reference=Reference.PUBLISHED_MATCHED)).row(0, named=True)
    assert (found["best_prompt_id"], found["default_score"]) == ("y", pytest.approx(0.4))
    assert found["best_gain"] == pytest.approx(0.3)


@given(st.lists(st.lists(st.integers(0, 1000), min_size=3, max_size=3), min_size=1, max_size=8))
@settings(max_examples=25)
def test_held_out_gain_is_never_above_what_the_best_of_each_row_would_give(records_of, distributions_of, drawn):
    rows = "abc"
    prompts = {
        f"p{number}": {row: score / 1000 for row, score in zip(rows, scores, strict=True)}
        for number, scores in enumerate(drawn)
    }
    records = records_of({CELL: prompts}, {CELL: dict.fromkeys(rows, 0.5)})
    found = best_prompts(distributions_of(records)).row(0, named=True)
    matrix = np.array([list(by_row.values()) for by_row in prompts.values()])
    assert found["held_out_gain"] <= (matrix.max(axis=0) - 0.5).mean() + 1e-9
    assert found["best_gain"] == pytest.approx(matrix.mean(axis=1).max() - 0.5)


CHOSEN = "because it scored best on the test data itself"


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        pytest.param(
            Choice("org/m", "Touché", "Find {x} | *bold*:", 37, 0.669, 0.595, 0.0004),
            f"On Touché, org/m was run with the prompt “Find {{x}} | *bold*:”, chosen from 37 prompts {CHOSEN} "
            "(66.9; the default prompt scores 59.5); on rows that played no part in the choice it gains 0.0 points.",
            id="everything known",
        ),
        pytest.param(
            Choice("org/m", "T", "", 1, 0.5),
            f"On T, org/m was run with the prompt “”, chosen from 1 prompt {CHOSEN} "
            "(50.0); its gain on data that played no part in the choice is unknown.",
            id="nothing known",
        ),
        pytest.param(
            Choice("org/m", "T", "p", 1200, 0.5, 0.6, -0.021),
            f"On T, org/m was run with the prompt “p”, chosen from 1,200 prompts {CHOSEN} "
            "(50.0; the default prompt scores 60.0); on rows that played no part in the choice it gains −2.1 points.",
            id="a loss",
        ),
    ],
)
def test_disclosure(choice, sentence):
    assert disclosure(choice) == sentence
