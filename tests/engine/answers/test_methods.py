import json

import pytest

from engine.answers.methods import answer
from engine.store import open_snapshot


@pytest.fixture(scope="module")
def provenance(study_store):
    return answer(open_snapshot(study_store))


def test_prompts_are_listed_with_their_exact_text_and_use(provenance, shared):
    study = json.loads((shared / "data" / "prompt_study_prompts.json").read_text("utf-8"))
    listed = {(row["task_name"], row["prompt_text"]): row for row in provenance.prompts.iter_rows(named=True)}
    for prompt in study:
        found = listed[prompt["task_name"], prompt["prompt_text"]]
        assert sorted(found["generators"]) == sorted(prompt["generators"])
        assert found["n_models"] == 6 or prompt["task_name"] == "MasakhaNEWSClusteringS2S"
    assert sum(row["n_runs"] for row in listed.values()) == 3063


def test_default_prompts_that_are_not_recorded_are_not_made_up(provenance):
    defaults = provenance.default_prompts
    assert len(defaults) == 72
    unknown = defaults.filter(defaults["origin_none"] == "not recorded")
    assert unknown["prompt_none"].null_count() == len(unknown) > 0


def test_revisions_say_which_is_the_main_one(provenance):
    revisions = provenance.model_revisions
    own = revisions.filter(revisions["source_name"] == "prompt-study")
    assert own["is_main"].all() and len(own) == 6
    assert not revisions.filter(revisions["model_revision"] == "external")["is_main"].any()


def test_revisions_of_the_data_add_up_to_the_runs(provenance):
    data = provenance.dataset_revisions
    assert data.filter(data["source_name"] == "prompt-study")["n_runs"].sum() == 3135
    assert data["dataset_revision"].drop_nulls().str.len_chars().min() > 0


def test_versions_add_up_to_the_runs(provenance):
    versions = provenance.versions.filter(provenance.versions["source_name"] == "prompt-study")
    assert set(versions["mteb_version"]) == {"2.12.16", "2.18.0", "2.18.1"}
    assert versions["n_runs"].sum() == 3135


def test_snapshot_says_what_built_it(provenance):
    built = provenance.built.row(0, named=True)
    assert built["scorelens_version"] and built["mteb_version"]
