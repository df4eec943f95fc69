import polars as pl
import pytest

from engine.ingest.harvest import FRAMES, LANGUAGE_FRAME, RUN_FRAME, RUN_KEY, empty_harvest, settle_duplicates
from engine.schema import REJECTS

NOTHING = pl.DataFrame(schema={name: pl.String() for name in (*RUN_KEY, "prompt_id", "path")})


def harvest_of(*runs):
    """Runs given as (path, experiment, prompt), each with one score: its position."""
    rows = [
        {"source_name": "s", "model_name": "m", "model_revision": "r", "task_name": "T", "experiment_name": experiment,
         "prompt_id": prompt, "is_default": not experiment, "template_used": "not recorded", "path": path}
        for path, experiment, prompt in runs
    ]  # fmt: skip
    index = list(range(len(runs)))
    scores = {
        "run_index": index,
        "row_index": [0] * len(runs),
        "language_index": [0] * len(runs),
        "score": map(float, index),
    }
    return empty_harvest(
        runs=pl.DataFrame(rows, schema=RUN_FRAME),
        rows=pl.DataFrame([("T", "test", "default")], schema=FRAMES["rows"], orient="row"),
        language_lists=pl.DataFrame({"languages": [["eng-Latn"]]}, schema=LANGUAGE_FRAME),
        scores=pl.DataFrame({name: list(values) for name, values in scores.items()}, schema=FRAMES["scores"]),
    )


def stored(*runs):
    return harvest_of(*runs).runs.select(NOTHING.columns)


def test_settle_duplicates_keeps_all_runs_that_differ():
    harvest = harvest_of(("a", "", None), ("b", "x", "p1"), ("c", "y", "p2"), ("d", "z", None))
    settled = settle_duplicates("s", harvest, NOTHING)
    assert settled.harvest.runs.equals(harvest.runs)
    assert settled.harvest.rejects.is_empty()


def test_settle_duplicates_keeps_the_first_path_of_a_repeated_run_with_its_own_score():
    settled = settle_duplicates("s", harvest_of(("c", "x", None), ("a", "x", None), ("b", "y", None)), NOTHING)
    assert settled.harvest.runs["path"].to_list() == ["a", "b"]
    assert settled.harvest.named_scores().select("experiment_name", "score").rows() == [("x", 1.0), ("y", 2.0)]
    assert settled.harvest.rejects.select("source_name", "path", "place").rows() == [("s", "c", "")]


def test_settle_duplicates_keeps_one_of_two_experiments_with_one_prompt():
    settled = settle_duplicates("s", harvest_of(("a", "x", "p"), ("b", "y", "p")), NOTHING)
    assert settled.harvest.runs["path"].to_list() == ["a"]
    assert settled.harvest.rejects.select("path", "place").rows() == [("b", "experiment_kwargs.prompts")]
    assert "a" in settled.harvest.rejects["reason"][0]


@pytest.mark.parametrize(("new", "old", "kept", "displaced"), [("b", "a", [], []), ("a", "b", ["a"], ["b"])])
def test_settle_duplicates_does_not_depend_on_which_build_read_a_run(new, old, kept, displaced):
    settled = settle_duplicates("s", harvest_of((new, "x", "p")), stored((old, "y", "p")))
    assert settled.harvest.runs["path"].to_list() == kept
    assert settled.displaced.to_list() == displaced
    assert settled.harvest.rejects["path"].to_list() == ["b"]


def test_empty_harvest_has_every_frame_with_its_columns():
    harvest = empty_harvest()
    assert {name: getattr(harvest, name).schema for name in FRAMES} == FRAMES
    assert harvest.rejects.schema == REJECTS.schema
