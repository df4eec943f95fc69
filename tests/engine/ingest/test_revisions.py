import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingest.revisions import pick_revisions

MAIN = "a5beb1e3e68b9ab74eb54cfd186867f64f240e1a"
MODEL = "BAAI/bge-base-en-v1.5"
RUN = {"source_name": "s", "model_name": MODEL, "task_name": "STS12", "experiment_name": ""}
MODELS = pl.DataFrame({"model_name": [MODEL, "unknown/model"], "main_revision": [MAIN, None]})
RUN_SCHEMA = {**dict.fromkeys(RUN, pl.String), "model_revision": pl.String, "mteb_version": pl.String}


def runs(*revisions, **more):
    rows = [{**RUN, "model_revision": revision, "mteb_version": version, **more} for revision, version in revisions]
    return pl.DataFrame(rows, schema=RUN_SCHEMA)


def picked(frame):
    return pick_revisions(frame, MODELS)["model_revision"].to_list()


@pytest.mark.parametrize(
    ("revisions", "winner"),
    [
        ([("other", "2.0.0"), (MAIN, None)], MAIN),
        ([("external", "2.0.0"), ("other", None)], "external"),
        ([("external", "2.0.0"), ("other", "1.0.0")], "other"),
        ([("no_revision_available", None), ("other", None)], "other"),
        ([("a", "1.9.0"), ("b", "1.10.0")], "b"),
        ([("a", "1.10.0"), ("b", "not a version")], "a"),
        ([("a", "1.10.0.dev1"), ("b", "1.10.0")], "b"),
        ([("b", "1.0.0"), ("a", "1.0.0")], "a"),
        ([("b", None), ("a", None)], "a"),
    ],
)
def test_pick_revisions_follows_the_rule(revisions, winner):
    assert picked(runs(*revisions)) == [winner]


def test_pick_revisions_keeps_sources_models_tasks_and_experiments_apart():
    frame = pl.concat(
        [
            runs(("x", None), (MAIN, None)),
            runs(("x", None), source_name="other source"),
            runs(("x", None), model_name="unknown/model"),
            runs(("x", None), task_name="STS13"),
            runs(("x", None), experiment_name="exp"),
        ]
    )
    assert picked(frame) == [MAIN, "x", "x", "x", "x"]


def test_pick_revisions_of_nothing_is_nothing():
    assert pick_revisions(runs(), MODELS).is_empty()


revisions = st.lists(
    st.tuples(
        st.sampled_from([MAIN, "external", "no_revision_available", "a", "b", "c"]),
        st.sampled_from([None, "1.0.0", "1.2.10", "1.2.9", "2.0.0.dev3", "mteb version not available"]),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda pair: pair[0],
)


@settings(max_examples=40, deadline=None)
@given(revisions, st.sampled_from([MODEL, "unknown/model"]))
def test_pick_revisions_agrees_with_mteb_on_made_up_cases(revisions, model_name):
    """mteb leaves ties to the order of files: it is given the files in the order of our tie rule."""
    from mteb.results import BenchmarkResults, ModelResult, TaskResult

    row = {"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5}
    made_up = [
        ModelResult.model_construct(
            model_name=model_name,
            model_revision=revision,
            experiment_name=None,
            model_meta=None,
            task_results=[
                TaskResult.model_construct(
                    dataset_revision="d",
                    task_name="STS12",
                    mteb_version=version,
                    scores={"test": [row]},
                    evaluation_time=1.0,
                )
            ],
        )
        for revision, version in sorted(revisions)
    ]
    joined = BenchmarkResults.model_construct(model_results=made_up, benchmark=None).join_revisions()
    assert picked(runs(*revisions, model_name=model_name)) == [result.model_revision for result in joined]
