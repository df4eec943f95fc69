"""Short names: shorter where they can be, different where they must be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.charts.short_names import short_names, short_task

STUDY = (
    "KaLM-Embedding/KaLM-embedding-multilingual-mini-instruct-v2.5",
    "Qwen/Qwen3-Embedding-0.6B",
    "intfloat/multilingual-e5-large-instruct",
    "BAAI/bge-small-en-v1.5",
    "BAAI/bge-base-en-v1.5",
)


def test_names_of_a_study_fit_a_panel_and_differ():
    names = short_names(STUDY)
    assert names["Qwen/Qwen3-Embedding-0.6B"] == "Qwen3-0.6B"
    assert names["BAAI/bge-small-en-v1.5"] == "bge-small-en"
    assert names["intfloat/multilingual-e5-large-instruct"] == "m-e5-large-inst"
    assert len(set(names.values())) == len(STUDY)


def test_an_instruct_model_is_not_shortened_to_its_plain_sister():
    names = short_names(["intfloat/multilingual-e5-large-instruct", "intfloat/multilingual-e5-large"])
    assert names["intfloat/multilingual-e5-large-instruct"] != names["intfloat/multilingual-e5-large"]


def test_names_that_would_become_alike_stay_whole():
    assert short_names(["a/model-x", "a/embedding-x"]) == {"a/model-x": "model-x", "a/embedding-x": "embedding-x"}


@given(st.lists(st.text("ab-1", min_size=1, max_size=30), min_size=1, max_size=6, unique=True))
def test_shortening_never_makes_two_names_one(names):
    short = short_names(names)
    assert set(short) == set(names)
    assert len(set(short.values())) == len({name.rsplit("/", 1)[-1] for name in names})


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("Touche2020Retrieval.v3", "Touche2020"),
        ("MIRACLRetrievalHardNegatives.v2", "MIRACL"),
        ("STS22.v2", "STS22"),
        ("Retrieval", "Retrieval"),
    ],
)
def test_a_task_loses_what_its_type_says(task, short):
    assert short_task(task) == short
