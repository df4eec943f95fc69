"""From files to a snapshot: what changed is read, what is gone leaves, history leaves no trace."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.content import broken_rules, content_hashes, row_counts
from engine.errors import SourceError
from engine.pipeline import build
from engine.settings import Settings
from engine.sources import add_source, remove_source
from engine.store import open_snapshot
from tests.engine.trees import Tree

pytestmark = pytest.mark.usefixtures("without_mteb")

TEST = ("test", "default")


@pytest.fixture(autouse=True)
def no_project_prompts(monkeypatch, tmp_path):
    monkeypatch.setattr(Settings, "prompts", tmp_path / "no-prompts")


@pytest.fixture
def filled(settings, tree) -> Settings:
    """A built store of two models, two tasks and three prompts."""
    for model in ("a/one", "b/two"):
        tree.run(model, "Tweets", {TEST: 0.5, ("test", "de"): 0.4})
        tree.run(model, "Search", {TEST: 0.25})
        for number, prompt in enumerate(("Classify: ", "Classify:", "")):
            tree.run(model, "Tweets", {TEST: 0.1 * number, ("test", "de"): None}, prompt=prompt, name=f"e{number}")
    add_source(settings, tree.folder, "made-up")
    build(settings)
    return settings


def read(settings, sql):
    return open_snapshot(settings).read(sql)


def fresh_hashes(settings, tmp_path_factory) -> dict[str, str]:
    """Hashes of a store that is built from the same sources from nothing."""
    fresh = replace(settings, data=tmp_path_factory.mktemp("fresh"))
    shutil.copy(settings.sources_file, fresh.sources_file)
    build(fresh)
    return content_hashes(open_snapshot(fresh))


def test_build_puts_every_run_and_score_in(filled):
    counts = row_counts(open_snapshot(filled))
    assert (counts["runs"], counts["scores"], counts["prompts"]) == (10, 18, 3)
    assert broken_rules(open_snapshot(filled)) == []


def test_scores_lie_beside_their_run_and_row(filled):
    scores = read(
        filled,
        "SELECT split, subset, score FROM scores JOIN runs USING (run_id) JOIN rows USING (row_id) "
        "WHERE model_name = 'b/two' AND experiment_name = 'e1' ORDER BY subset",
    )
    assert scores.rows() == [("test", "de", None), ("test", "default", 0.1)]


def test_build_of_nothing_publishes_an_empty_store(settings):
    report = build(settings)
    assert report.is_new and row_counts(open_snapshot(settings))["runs"] == 0


def test_build_with_nothing_changed_publishes_nothing(filled):
    before = open_snapshot(filled).snapshot_id
    report = build(filled)
    assert (report.is_new, report.snapshot_id, report.n_files_read) == (False, before, 0)


def test_build_reads_only_the_changed_file(filled, tree):
    tree.run("a/one", "Search", {TEST: 0.75})
    report = build(filled)
    # The model card is written again with the same bytes, so only the result is read.
    assert (report.n_files_read, report.n_runs_added, report.n_runs_removed) == (1, 1, 1)
    assert read(filled, "SELECT score FROM scores JOIN runs USING (run_id) WHERE task_name = 'Search' ORDER BY 1")[
        "score"
    ].to_list() == [0.25, 0.75]


def test_files_with_a_new_time_and_the_same_bytes_publish_nothing(filled, tree):
    for path in tree.folder.rglob("*.json"):
        path.touch()
    assert not build(filled).is_new


def test_run_keeps_its_number_when_its_file_changes(filled, tree):
    numbers = "SELECT run_id, row_id FROM runs JOIN scores USING (run_id) WHERE task_name = 'Search' ORDER BY ALL"
    before = read(filled, numbers)
    tree.run("a/one", "Search", {TEST: 0.75})
    build(filled)
    assert read(filled, numbers).equals(before)


def test_scores_stay_ordered_by_run_after_a_change(filled, tree):
    tree.run("a/one", "Search", {TEST: 0.75})
    build(filled)
    run_ids = read(filled, "SELECT run_id FROM scores")["run_id"]
    assert run_ids.is_sorted()


def test_removed_file_takes_its_run_with_it(filled, tree):
    shutil.rmtree(tree.folder / "results" / "b__two")
    report = build(filled)
    assert report.n_runs_removed == 5
    assert read(filled, "SELECT DISTINCT model_name FROM runs").item() == "a/one"
    assert read(filled, "SELECT count(*) FROM models").item() == 1


def test_removed_source_leaves_nothing_behind(filled, tmp_path_factory):
    remove_source(filled, "made-up")
    build(filled)
    counts = row_counts(open_snapshot(filled))
    assert {name: n for name, n in counts.items() if n and not name.startswith("triplet_")} == {"snapshot": 1}


def test_source_at_another_path_is_read_anew(filled, tree, tmp_path):
    copy = shutil.copytree(tree.folder, tmp_path / "copy")
    shutil.rmtree(copy / "results" / "b__two")
    add_source(filled, copy, "made-up")
    build(filled)
    assert read(filled, "SELECT DISTINCT model_name FROM runs").item() == "a/one"


@pytest.fixture
def unplugged(filled, tree, tmp_path) -> Path:
    """The place where the folder of the only source lies now; the registry still names the old one."""
    describe_a_task(tree)
    build(filled)
    return tree.folder.rename(tmp_path / "unplugged")


def test_source_out_of_reach_keeps_its_rows_and_is_noted(filled, tree, unplugged):
    before = content_hashes(open_snapshot(filled))
    report = build(filled)
    assert report.is_new and f"{tree.folder} does not exist" in report.problems[0]
    after = content_hashes(open_snapshot(filled))
    assert [name for name in before if before[name] != after[name]] == ["rejects"]
    noted = read(filled, "SELECT source_name, path, reason FROM rejects").row(0)
    assert noted[:2] == ("made-up", str(tree.folder)) and "engine remove made-up" in noted[2]


def test_source_that_stays_out_of_reach_publishes_nothing_more(filled, unplugged):
    build(filled)
    report = build(filled)
    assert not report.is_new and report.problems


def test_source_out_of_reach_stops_no_other_source(filled, unplugged, tmp_path):
    other = Tree(tmp_path / "other")
    other.run("c/three", "Tweets", {TEST: 0.5})
    add_source(filled, other.folder, "other")
    build(filled)
    assert read(filled, "SELECT count(*) FROM runs").item() == 11


def test_source_out_of_reach_from_the_start_is_there_without_rows(settings, tree):
    add_source(settings, tree.folder, "made-up")
    shutil.rmtree(tree.folder)
    build(settings)
    assert read(settings, "SELECT source_name, n_files FROM sources").rows() == [("made-up", 0)]
    assert read(settings, "SELECT count(*) FROM rejects").item() == 1


def test_source_that_comes_back_is_as_if_it_had_never_been_away(filled, tree, unplugged):
    before = content_hashes(open_snapshot(filled))
    build(filled)
    unplugged.rename(tree.folder)
    assert build(filled).is_new
    assert content_hashes(open_snapshot(filled)) == before


def test_source_out_of_reach_can_still_be_removed(filled, unplugged):
    build(filled)
    remove_source(filled, "made-up")
    build(filled)
    assert row_counts(open_snapshot(filled))["rejects"] == 0


def test_prompt_file_of_a_source_that_breaks_is_noted_and_its_results_load(filled, tree, tmp_path, tmp_path_factory):
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"task_name": "Tweets", "text": "Classify:", "kind": "minimal"}')
    add_source(filled, tree.folder, "made-up", prompts=prompts)
    build(filled)
    prompts.write_text("{")
    tree.run("c/three", "Tweets", {TEST: 0.5})
    build(filled)
    assert read(filled, "SELECT path FROM rejects")["path"].to_list() == [str(prompts)]
    assert row_counts(open_snapshot(filled))["runs"] == 11
    assert content_hashes(open_snapshot(filled)) == fresh_hashes(filled, tmp_path_factory)
    prompts.write_text("")
    build(filled)
    assert row_counts(open_snapshot(filled))["rejects"] == 0


def test_prompt_file_of_the_data_folder_that_breaks_publishes_nothing(filled):
    before = open_snapshot(filled).snapshot_id
    filled.own_prompts.mkdir()
    (filled.own_prompts / "own.jsonl").write_text("{")
    with pytest.raises(SourceError, match="Repair the file"):
        build(filled)
    assert open_snapshot(filled).snapshot_id == before


def test_lists_of_languages_that_differ_in_empty_names_are_one(settings, tree):
    path = tree.run("a/one", "Tweets", {TEST: 0.5, ("test", "b"): 0.5, ("test", "c"): 0.5})
    result = json.loads(path.read_text())
    for row, languages in zip(result["scores"]["test"], ([], [""], ["\0"]), strict=True):
        row["languages"] = languages
    path.write_text(json.dumps(result))
    add_source(settings, tree.folder, "made-up")
    build(settings)
    assert read(settings, "SELECT languages FROM language_lists")["languages"].to_list() == [[]]


def test_bad_file_is_rejected_and_the_rest_loads(filled, tree):
    path = tree.folder / "results" / "a__one" / "r1" / "Broken.json"
    path.write_text('{"scores": {"test": [')
    build(filled)
    rejects = read(filled, "SELECT path, reason FROM rejects")
    assert rejects["path"].to_list() == ["results/a__one/r1/Broken.json"]
    assert row_counts(open_snapshot(filled))["runs"] == 10


def test_repaired_file_is_no_longer_rejected(filled, tree):
    path = tree.run("a/one", "Broken", {TEST: 0.5})
    good = path.read_text()
    path.write_text(good[:40])
    build(filled)
    path.write_text(good)
    build(filled)
    counts = row_counts(open_snapshot(filled))
    assert (counts["rejects"], counts["runs"]) == (0, 11)


def test_two_models_with_one_revision_stay_two(filled):
    runs = read(filled, "SELECT model_name, model_revision FROM runs WHERE task_name = 'Search' ORDER BY 1")
    assert runs.rows() == [("a/one", "r1"), ("b/two", "r1")]


def test_two_sources_with_the_same_runs_stay_apart(filled, tree):
    add_source(filled, tree.folder, "again")
    build(filled)
    assert read(filled, "SELECT source_name, count(*) FROM runs GROUP BY 1 ORDER BY 1").rows() == [
        ("again", 10),
        ("made-up", 10),
    ]


def test_prompt_file_changes_kinds_without_any_new_result(filled):
    record = {"task_name": "Tweets", "prompt_type": "none", "text": "Classify:", "kind": "wrong task"}
    filled.own_prompts.mkdir()
    (filled.own_prompts / "kinds.jsonl").write_text(json.dumps(record) + "\n")
    assert build(filled).is_new
    kinds = read(filled, "SELECT prompt_kind FROM prompts WHERE kind_origin = 'file'")
    assert kinds["prompt_kind"].to_list() == ["wrong task"]
    assert not build(filled).is_new
    (filled.own_prompts / "kinds.jsonl").unlink()
    build(filled)
    assert read(filled, "SELECT count(*) FROM prompts WHERE kind_origin = 'file'").item() == 0


def change_scores(tree) -> None:
    tree.run("a/one", "Tweets", {TEST: 0.9})
    tree.run("c/three", "Search", {("dev", "fr"): 0.9}, revision="r0")


def change_prompts(tree) -> None:
    tree.run("a/one", "Tweets", {TEST: 0.9}, prompt="Another", name="e1")
    tree.run("a/one", "Search", {TEST: 0.9}, prompt="Find", name="e9")


def remove_much(tree) -> None:
    shutil.rmtree(tree.folder / "results" / "a__one" / "r1" / "experiments" / "e0")
    (tree.folder / "results" / "b__two" / "r1" / "Search.json").unlink()


def add_a_double(tree) -> None:
    tree.run("a/one", "Tweets", {TEST: 0.9}, prompt="Classify:", name="a0")


def break_files(tree) -> None:
    (tree.folder / "results" / "a__one" / "r1" / "Tweets.json").write_text("{")
    (tree.folder / "results" / "b__two" / "r1" / "model_meta.json").write_text("[]")


def describe_a_task(tree) -> None:
    described = [{"task_name": "Tweets", "task_type": "Retrieval", "rows": [{"split": "test", "subset": "new"}]}]
    (tree.folder / "tasks.json").write_text(json.dumps(described))


CHANGES = [change_scores, change_prompts, remove_much, add_a_double, break_files, describe_a_task]


@pytest.mark.parametrize("change", CHANGES)
def test_incremental_and_full_build_agree(filled, tree, tmp_path_factory, change):
    change(tree)
    assert build(filled).is_new
    assert content_hashes(open_snapshot(filled)) == fresh_hashes(filled, tmp_path_factory)


def test_source_read_in_portions_is_the_same_store(filled, tmp_path_factory, monkeypatch):
    whole = content_hashes(open_snapshot(filled))
    monkeypatch.setattr("engine.build_plan.PORTION_BYTES", 1)
    assert fresh_hashes(filled, tmp_path_factory) == whole


def test_change_and_change_back_is_as_if_nothing_had_been(filled, tree, tmp_path):
    before = content_hashes(open_snapshot(filled))
    kept = shutil.copytree(tree.folder, tmp_path / "kept")
    for change in CHANGES:
        change(tree)
        build(filled)
    shutil.rmtree(tree.folder)
    shutil.copytree(kept, tree.folder)
    build(filled)
    assert content_hashes(open_snapshot(filled)) == before


def test_store_of_another_version_of_scorelens_is_read_anew(filled, monkeypatch):
    monkeypatch.setattr("engine.store.__version__", "9.9.9")
    report = build(filled)
    assert (report.is_new, report.n_runs_added) == (True, 10)
