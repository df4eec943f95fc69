import polars as pl
import pytest

from engine.analysis.calls import calls_by_model, count_by_conditions, count_calls, count_tenths, tenth_of

SIX = {f"p{number}": 0.1 * number for number in range(1, 7)}


@pytest.fixture
def cells(records_of, distributions_of):
    """Model a: high, low, no default; model b: typical, fewer than five."""
    prompts = {(model, task): SIX for model, task in [("a", "T"), ("a", "U"), ("a", "V"), ("b", "T")]}
    prompts["b", "U"] = {"p1": 0.1}
    defaults = {("a", "T"): 0.9, ("a", "U"): 0.01, ("b", "T"): 0.35, ("b", "U"): 0.4}
    return distributions_of(records_of(prompts, defaults, schemes={"b": "fixed prefix"})).cells


def test_calls_are_counted(cells):
    counts = count_calls(cells)
    assert (counts.called, counts.high, counts.typical, counts.low) == (3, 1, 1, 1)
    assert (counts.above_every, counts.above_median, counts.not_called) == (1, 1, 2)


def test_no_cells_count_nothing(cells):
    counts = count_calls(cells.head(0))
    assert set(vars(counts).values()) == {0}


def test_a_tie_with_the_best_prompt_is_not_above_it(records_of, distributions_of):
    cells = distributions_of(records_of({("a", "T"): SIX}, {("a", "T"): 0.6})).cells
    counts = count_calls(cells)
    assert (counts.high, counts.above_every) == (1, 0)


def test_unlike_conditions_are_counted_apart(cells):
    found = {row["conditions"]: row for row in count_by_conditions(cells).iter_rows(named=True)}
    assert (found["all"]["called"], found["alike"]["called"], found["unlike"]["called"]) == (3, 2, 1)
    assert found["unlike"]["typical"] == 1


def test_calls_of_each_model(cells):
    found = calls_by_model(cells).rows(named=True)
    assert [row["model_name"] for row in found] == ["a", "b"]
    assert (found[0]["n_cells"], found[0]["high"], found[0]["high_share"]) == (2, 1, 0.5)
    assert found[0]["ci_low"] < 0.5 < found[0]["ci_high"]
    assert found[0]["expected_share"] == pytest.approx(0.1)


def test_model_without_a_call_has_no_share(cells):
    found = calls_by_model(cells.filter(pl.col("task_name") == "V")).row(0, named=True)
    assert (found["n_cells"], found["high_share"], found["ci_low"]) == (0, None, None)


def test_no_cells_have_no_models(cells):
    found = calls_by_model(cells.head(0))
    assert found.is_empty() and found.schema == calls_by_model(cells).schema


@pytest.mark.parametrize(
    ("place", "tenth"),
    [(0.0, 0), (0.0999, 0), (0.1, 1), (0.3, 3), (0.7, 7), (0.9, 9), (0.95, 9), (1.0, 9), (0.1 + 0.2, 3)],
)
def test_tenth_holds_its_lower_bound(place, tenth):
    assert pl.DataFrame({"place": [place]}).select(tenth_of(pl.col("place"))).item() == tenth


def test_tenths_hold_every_called_cell(cells):
    tenths = count_tenths(cells)
    assert len(tenths) == 10 and tenths["n"].sum() == 3
    assert tenths["n"].to_list() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert tenths["expected"].to_list() == [pytest.approx(0.3)] * 10


def test_tenths_of_no_cells_are_empty(cells):
    assert count_tenths(cells.head(0))["n"].to_list() == [0] * 10
