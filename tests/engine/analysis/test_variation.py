import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.variation import compare_authors, cv_by_model, kind_by_model, prompt_matrix, spread_by_kind

CELL = ("org/m", "T")
KINDS = {"a1": "minimal", "a2": "minimal", "b1": "label-like", "b2": "label-like", "b3": "label-like"}


def told(scores, kinds):
    frame = pl.DataFrame(
        {"prompt_id": list(scores), "score": list(scores.values())}, {"prompt_id": pl.String, "score": pl.Float64}
    ).with_columns(model_name=pl.lit("org/m"), task_name=pl.lit("T"))
    prompts = pl.DataFrame(
        {"prompt_id": list(scores), "prompt_kind": [kinds[text] for text in scores]},
        {"prompt_id": pl.String, "prompt_kind": pl.String},
    )
    return frame, prompts.with_columns(task_name=pl.lit("T"))


def test_cv_by_model(records_of, distributions_of):
    prompts = {
        ("a", "T"): {"p": 0.1, "q": 0.3},
        ("a", "U"): {"p": 0.5, "q": 0.5},
        ("a", "V"): {"p": -0.1, "q": 0.1},
        ("b", "T"): {"p": 0.2},
    }
    found = cv_by_model(distributions_of(records_of(prompts)).cells).rows(named=True)
    wide = np.std([0.1, 0.3], ddof=1) / 0.2
    assert found[0] == {
        "model_name": "a",
        "n_cells": 2,
        "n_without": 1,
        "cv_median": pytest.approx(wide / 2),
        "cv_max": pytest.approx(wide),
        "cv_max_task": "T",
        "n_wide": 1,
    }
    assert (found[1]["n_cells"], found[1]["cv_max"], found[1]["cv_max_task"]) == (0, None, None)


def test_spread_between_and_within_kinds():
    scores = {"a1": 0.1, "a2": 0.3, "b1": 0.6, "b2": 0.7, "b3": 0.8}
    spread = spread_by_kind(*told(scores, KINDS))
    cell = spread.cells.row(0, named=True)
    first, second = [0.1, 0.3], [0.6, 0.7, 0.8]
    within = (np.var(first, ddof=1) * 1 + np.var(second, ddof=1) * 2) / 3
    mean = np.mean(first + second)
    apart = 2 * (np.mean(first) - mean) ** 2 + 3 * (np.mean(second) - mean) ** 2
    assert cell["n_kinds"] == 2
    assert cell["sd_between"] == pytest.approx(np.std([np.mean(first), np.mean(second)], ddof=1))
    assert cell["sd_within"] == pytest.approx(np.sqrt(within))
    assert cell["between_share"] == pytest.approx(apart / np.sum((np.array(first + second) - mean) ** 2))
    assert cell["cv"] == pytest.approx(np.std(first + second, ddof=1) / mean)
    label, minimal = spread.kinds.rows(named=True)
    assert (label["prompt_kind"], label["n"], label["median"]) == ("label-like", 3, pytest.approx(0.7))
    assert minimal["from_median"] == pytest.approx(0.2 - 0.6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param({"a1": 0.1, "a2": 0.3}, {"n_kinds": 1, "sd_between": None, "between_share": None}, id="one kind"),
        pytest.param({"a1": 0.1, "b1": 0.3}, {"sd_within": None, "between_share": 1.0}, id="kinds of one prompt"),
        pytest.param({"a1": 0.2, "a2": 0.2, "b1": 0.2}, {"sd_between": 0.0, "between_share": None}, id="no spread"),
        pytest.param({"a1": 0.2, "a2": None, "b1": 0.4}, {"n_kinds": 2, "sd_within": None}, id="a null score"),
        pytest.param({"a1": -0.2, "b1": 0.1}, {"cv": None, "between_share": 1.0}, id="negative mean"),
    ],
)
def test_spread_at_the_edges(scores, expected):
    cell = spread_by_kind(*told(scores, KINDS)).cells.row(0, named=True)
    for key, value in expected.items():
        assert cell[key] == (pytest.approx(value) if isinstance(value, float) else value), key


def test_spread_of_nothing_and_of_nulls_alone_is_empty():
    for scores in ({}, {"a1": None, "b1": None}):
        spread = spread_by_kind(*told(scores, KINDS))
        assert spread.cells.is_empty() and spread.kinds.is_empty()


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 1000)), min_size=2, max_size=40))
def test_share_between_kinds_is_a_share(drawn):
    scores = {f"p{number}": score / 1000 for number, (_, score) in enumerate(drawn)}
    kinds = {f"p{number}": kind for number, (kind, _) in enumerate(drawn)}
    share = spread_by_kind(*told(scores, kinds)).cells.row(0, named=True)["between_share"]
    assert share is None or -1e-9 <= share <= 1 + 1e-9


def test_kind_by_model_averages_over_tasks():
    kinds = pl.DataFrame(
        {
            "model_name": ["m", "m"],
            "task_name": ["T", "U"],
            "prompt_kind": ["minimal"] * 2,
            "from_median": [0.1, -0.3],
            "cv": [0.2, None],
        }
    )
    assert kind_by_model(kinds).rows() == [("m", "minimal", 2, pytest.approx(-0.1), 0.2)]


def test_prompt_matrix_goes_from_the_best_prompt_to_the_worst(records_of, distributions_of):
    prompts = {("a", "T"): {"p": 0.1, "q": 0.5, "r": 0.3}, ("b", "T"): {"p": 0.2, "q": None, "r": 0.4}}
    found = distributions_of(records_of(prompts))
    matrix = prompt_matrix(found.scores, found.prompts, "T")
    assert matrix["prompt_id"].to_list() == ["q", "q", "r", "r", "p", "p"]
    assert matrix["place"].to_list() == [0, 0, 1, 1, 2, 2]
    assert matrix.row(0, named=True)["from_median"] == pytest.approx(0.2)
    assert matrix.row(1, named=True)["from_median"] is None
    assert prompt_matrix(found.scores, found.prompts, "no such task").is_empty()


def test_authors_are_compared(records_of, distributions_of):
    records = records_of(
        {CELL: {"p": 0.1, "q": 0.3, "r": 0.6, "s": 0.9}},
        generators={"p": ["gpt"], "q": ["qwen"], "r": ["handwritten"]},
    )
    found = distributions_of(records)
    authors = compare_authors(found.scores, found.prompts).rows(named=True)
    assert [(row["authorship"], row["n"], row["median"]) for row in authors] == [
        ("generated", 2, pytest.approx(0.2)),
        ("handwritten", 1, pytest.approx(0.6)),
        ("not recorded", 1, pytest.approx(0.9)),
    ]
