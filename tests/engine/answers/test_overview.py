import pytest

from engine.answers.overview import answer
from engine.pipeline import build
from engine.sources import add_source
from engine.store import drafting, open_snapshot
from tests.engine.trees import Tree, forget_mteb


@pytest.fixture(scope="module")
def sources(study_store):
    overview = answer(open_snapshot(study_store))
    return {row["source_name"]: row for row in overview.sources.iter_rows(named=True)}


def test_prompt_study_is_counted(sources, golden):
    study = sources["prompt-study"]
    assert (study["n_models"], study["n_tasks"]) == (6, 12)
    assert (study["n_runs"], study["n_default_runs"]) == (3063 + 72, 72)
    assert study["coverage"] == 1.0
    assert study["n_complete_runs"] == study["n_runs"]
    assert study["n_shared_prompts"] >= golden["numbers"]["study.clean.prompts"]["value"]
    assert (study["n_mteb_versions"], study["n_mixed_tasks"]) == (3, 0)


def test_published_results_are_incomplete_and_mixed(sources):
    sample = sources["mteb-sample"]
    assert sample["n_models"] == 37
    assert 0 < sample["coverage"] < 1
    assert 0 < sample["n_complete_runs"] < sample["n_runs"]
    assert sample["n_mixed_tasks"] > 0
    assert (sample["n_prompts"], sample["n_shared_prompts"]) == (0, 0)


def test_rejects_are_counted_where_they_are_listed(study_store, sources):
    overview = answer(open_snapshot(study_store))
    assert len(overview.rejects) == sum(row["n_rejects"] for row in sources.values())


def test_empty_snapshot_has_no_sources(settings):
    with drafting(settings):
        pass
    overview = answer(open_snapshot(settings))
    assert overview.sources.is_empty() and overview.rejects.is_empty()
    assert (overview.n_runs, overview.n_models) == (0, 0)


def test_runs_on_a_part_of_a_task_are_counted_apart(settings, tmp_path, monkeypatch):
    forget_mteb(monkeypatch)
    tree = Tree(tmp_path / "sweep")
    for task in ("Find", "Sort"):
        path = tree.run("m/a", task, {("test", "default"): 0.5})
    path.write_text(path.read_text().replace('"d1"', '"d1+limit20.seed42"'))
    add_source(settings, tree.folder, "s")
    build(settings)
    (source,) = answer(open_snapshot(settings)).sources.iter_rows(named=True)
    assert (source["n_runs"], source["n_limited_runs"]) == (2, 1)
