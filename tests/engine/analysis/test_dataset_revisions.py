import polars as pl
import pytest

from engine.analysis.dataset_revisions import Data, keep_dataset_revisions


def runs(*rows):
    return pl.DataFrame(rows, schema=["task_name", "model_name", "dataset_revision"], orient="row")


MIXED = runs(("T", "a", "r1"), ("T", "b", "r2"), ("T", "c", "r2"), ("U", "a", "r1"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param(runs(("T", "a", "r1"), ("T", "b", "r2"), ("T", "c", "r2")), ["b", "c"], id="most models"),
        pytest.param(runs(("T", "a", "r1"), ("T", "b", "r2")), ["a"], id="a tie goes by name"),
        pytest.param(runs(("T", "a", None), ("T", "b", "r2")), ["b"], id="a tie with nothing recorded"),
        pytest.param(runs(("T", "a", None), ("T", "b", None), ("T", "c", "r2")), ["a", "b"], id="most recorded none"),
        pytest.param(runs(("T", "a", "r1"), ("T", "a", "r1"), ("T", "b", "r2"), ("T", "c", "r2")), ["b", "c"],
                     id="models are counted, not runs"),
        pytest.param(runs(("T", "a", "r1"), ("U", "b", "r2")), ["a", "b"], id="each task by itself"),
        pytest.param(MIXED.clear(), [], id="nothing"),
    ],
)  # fmt: skip
def test_of_each_task_the_commonest_revision_is_kept(given, kept):
    assert keep_dataset_revisions(given, Data.COMMON)["model_name"].to_list() == kept


def test_any_keeps_all_runs_as_they_are():
    assert keep_dataset_revisions(MIXED, Data.ANY).equals(MIXED)
