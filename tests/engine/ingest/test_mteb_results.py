import json
import math

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from engine.errors import SourceError
from engine.ingest import processes
from engine.ingest.prompts import prompt_id
from engine.schema import FILES, MODELS, REJECTS, RUNS, problems_in


def places(harvest):
    return [(path.removeprefix("results/"), place) for path, place in harvest.rejects.select("path", "place").rows()]


def sides(harvest):
    names = [f"{what}_{side}" for side in ("query", "document", "none") for what in ("prompt", "origin")]
    return harvest.runs.select(names).rows()


def test_read_results_keeps_scores_languages_and_what_the_file_says(cache):
    cache.write("m__a/r1/model_meta.json", {"name": "m/a", "revision": "r1"})
    cache.result("m__a/r1/Sort.json", "Sort", 0.1, math.nan, extra={"unknown": [1]})
    harvest = cache.read()
    assert harvest.named_scores().rows() == [
        ("m/a", "r1", "Sort", "", "test", "s0", ["eng-Latn"], 0.1),
        ("m/a", "r1", "Sort", "", "test", "s1", ["eng-Latn"], None),
    ]
    told = harvest.runs.select("dataset_revision", "mteb_version", "evaluation_time", "is_default", "path")
    assert told.row(0) == ("d", "2.1.0", 1.5, True, "results/m__a/r1/Sort.json")
    assert harvest.rejects.is_empty()


def test_read_results_leaves_frames_that_the_schema_accepts(cache):
    cache.experiment("exp_1", {"Find": "x"}, "Find", "Sort")
    cache.result("m__a/external/Like.json", "Like", 0.5)
    cache.write("m__a/external/Broken.json", "{")
    harvest = cache.read()
    runs = harvest.runs.with_row_index("run_id").select(pl.col(n).cast(t) for n, t in RUNS.schema.items())
    tables = ((runs, RUNS), (harvest.files, FILES), (harvest.rejects, REJECTS), (harvest.models, MODELS))
    assert [problems_in(frame, table) for frame, table in tables] == [[], [], [], []]


def test_read_results_loads_the_rest_beside_bad_files(cache):
    cache.result("m__a/r1/Sort.json", "Sort", 0.1)
    cache.write("m__a/r1/Truncated.json", '{"scores": {"test": [')
    cache.write("m__a/r1/Empty.json", "")
    cache.write("m__a/r1/Latin.json", '{"task_name": "é"}'.encode("latin-1"))
    cache.write("m__a/r1/NoScores.json", {"task_name": "NoScores"})
    cache.write("m__a/r1/NoRows.json", {"task_name": "NoRows", "scores": {}})
    cache.result("m__a/r1/Half.json", "Half", 0.1, "0.2", True)  # type: ignore[arg-type]
    (cache.folder / "results/m__a/r1/Link.json").symlink_to("nowhere")
    harvest = cache.read()
    assert sorted(harvest.runs["task_name"]) == ["Half", "Sort"]
    assert sorted(places(harvest)) == [
        ("m__a/r1/Empty.json", ""),
        ("m__a/r1/Half.json", "scores.test[1].main_score"),
        ("m__a/r1/Half.json", "scores.test[2].main_score"),
        ("m__a/r1/Latin.json", ""),
        ("m__a/r1/Link.json", ""),
        ("m__a/r1/NoRows.json", ""),
        ("m__a/r1/NoScores.json", ""),
        ("m__a/r1/Truncated.json", ""),
    ]
    assert harvest.files.filter(pl.col("content_hash") == "")["path"].to_list() == ["results/m__a/r1/Link.json"]


def test_read_results_keeps_the_first_of_two_rows_for_one_subset(cache):
    row = {"hf_subset": "a", "languages": []}
    rows = [{**row, "main_score": 0.1}, {**row, "main_score": 0.2}]
    cache.write("m__a/r1/Sort.json", {"task_name": "Sort", "scores": {"test": rows, "dev": rows[:1]}})
    harvest = cache.read()
    assert harvest.named_scores().select("split", "score").rows() == [("test", 0.1), ("dev", 0.1)]
    assert places(harvest) == [("m__a/r1/Sort.json", "scores.test[1]")]


def test_read_results_keeps_a_row_without_a_score_that_is_no_fraction_and_says_where(cache):
    cache.result("m__a/r1/Find.json", "Find", 47.3, -1.5, float("inf"), float("nan"), -1.0, 1.0000001)
    harvest = cache.read()
    assert harvest.scores["score"].to_list() == [None, None, None, None, -1.0, 1.0000001]
    rejects = dict(harvest.rejects.select("place", "reason").iter_rows())
    assert rejects.keys() == {"scores.test[0].main_score", "scores.test[1].main_score"}, "NaN and Infinity are null"
    assert rejects["scores.test[0].main_score"].startswith("47.3; expected a fraction")


@pytest.mark.parametrize(
    ("folder", "meta", "model", "revision"),
    [
        ("m__a/external", {"name": "m/a", "revision": "external"}, "m/a", "external"),
        ("m__a/no_revision_available", None, "m/a", "no_revision_available"),
        (
            "m__a/r 1",
            {"name": "m/a (embed_dim=2048, x=True)", "revision": "r 1"},
            "m/a (embed_dim=2048, x=True)",
            "r 1",
        ),
        ("m__a_(embed_dim=2048,_x=True)/1", None, "m/a_(embed_dim=2048,_x=True)", "1"),
        ("plain/1", {"name": None, "revision": None}, "plain", "1"),
    ],
)
def test_read_results_takes_odd_folder_names(cache, folder, meta, model, revision):
    cache.result(f"{folder}/Sort.json", "Sort", 0.1)
    if meta is not None:
        cache.write(f"{folder}/model_meta.json", meta)
    assert cache.read().runs.select("model_name", "model_revision").rows() == [(model, revision)]


def test_read_results_keeps_revisions_and_models_with_one_hash_apart(cache):
    for number, folder in enumerate(("m__a/r1", "m__a/external", "m__b/r1")):
        cache.result(f"{folder}/Sort.json", "Sort", number / 10)
    scores = cache.read().named_scores().select("model_name", "model_revision", "score").sort("score")
    assert scores.rows() == [("m/a", "r1", 0.0), ("m/a", "external", 0.1), ("m/b", "r1", 0.2)]


def test_read_results_falls_back_to_the_folder_where_model_meta_is_broken(cache):
    cache.result("m__a/r1/Sort.json", "Sort", 0.1)
    cache.write("m__a/r1/model_meta.json", "{")
    harvest = cache.read()
    assert harvest.runs.select("model_name", "model_revision").rows() == [("m/a", "r1")]
    assert places(harvest) == [("m__a/r1/model_meta.json", "")]


def test_read_results_takes_the_prompt_from_the_settings_not_from_the_folder(cache):
    # mteb names both folders alike: it replaces the marks at their ends.
    cache.experiment("prompts_Sort_Label_", {"Sort": "Label:"}, "Sort")
    cache.experiment("prompts_Sort_Label_2", {"Sort": "Label?"}, "Sort")
    harvest = cache.read()
    assert harvest.runs["prompt_id"].to_list() == [prompt_id("none", "Label:"), prompt_id("none", "Label?")]
    assert sorted(harvest.prompts["prompt_text"]) == ["Label:", "Label?"]
    assert not harvest.runs["is_default"].any()


def test_read_results_tells_sides_apart(cache):
    cache.experiment("a", {"Find-query": "q"}, "Find")
    cache.experiment("b", {"Find": "both"}, "Find")
    cache.experiment("c", {"Sort": "every"}, "Sort")
    cache.experiment("d", {"Find-All-document": ""}, "Find-All")
    cache.result("m__a/r1/Find.json", "Find", 0.1)
    cache.result("m__a/r1/Like.json", "Like", 0.1)
    harvest = cache.read()
    study, unknown = "study prompt", "not recorded"
    assert dict(zip(harvest.runs["experiment_name"] + harvest.runs["task_name"], sides(harvest), strict=True)) == {
        "aFind": ("q", study, None, unknown, None, None),
        "bFind": ("both", study, "both", study, None, None),
        "cSort": (None, None, None, None, "every", study),
        "dFind-All": (None, unknown, "", study, None, None),
        "Find": (None, unknown, None, unknown, None, None),
        "Like": (None, None, None, None, None, unknown),
    }
    assert harvest.prompts.filter(task_name="Find", prompt_type="query+document").select(
        "prompt_text", "document_text"
    ).rows() == [("both", "both")]
    assert harvest.runs["template_used"].unique().to_list() == [unknown]


def test_read_results_names_keys_that_match_nothing_and_applies_the_rest(cache):
    cache.experiment("a", {"Find-query": "q", "Find-passage": "x", "Unknown-query": "y"}, "Find")
    harvest = cache.read()
    assert harvest.runs["prompt_query"].to_list() == ["q"]
    meta = "m__a/r1/experiments/a/model_meta.json"
    assert places(harvest) == [
        (meta, "experiment_kwargs.prompts.Find-passage"),
        (meta, "experiment_kwargs.prompts.Unknown-query"),
    ]
    assert "Find-document" in harvest.rejects["reason"][0]


def test_read_results_matches_keys_against_all_tasks_of_a_folder(cache):
    cache.experiment("a", {"Find-query": "q", "Sort": "s"}, "Find", "Sort")
    harvest = cache.read()
    assert harvest.rejects.is_empty()
    assert harvest.runs["prompt_id"].to_list() == [prompt_id("query", "q"), prompt_id("none", "s")]


@pytest.mark.parametrize(
    ("kwargs", "place"),
    [
        ({}, None),
        ({"embed_dim": 5}, None),
        ({"prompts": "x"}, "experiment_kwargs.prompts"),
        ({"prompts": {"Sort": 3}}, "experiment_kwargs.prompts.Sort"),
    ],
)
def test_read_results_keeps_an_experiment_without_prompt(cache, kwargs, place):
    cache.write("m__a/r1/experiments/x/model_meta.json", {"name": "m/a", "revision": "r1", "experiment_kwargs": kwargs})
    cache.result("m__a/r1/experiments/x/Sort.json", "Sort", 0.1)
    harvest = cache.read()
    assert harvest.runs.select("experiment_name", "prompt_id", "is_default").rows() == [("x", None, False)]
    assert [found for _, found in places(harvest)] == ([place] if place else [])


def test_read_results_says_when_an_experiment_has_no_settings(cache):
    cache.result("m__a/r1/experiments/x/Sort.json", "Sort", 0.1)
    harvest = cache.read()
    assert harvest.runs["prompt_id"].to_list() == [None]
    assert places(harvest) == [("m__a/r1/experiments/x/model_meta.json", "")]


def test_read_results_reads_versions_of_the_encoder_by_task(cache):
    cache.result("m__a/r1/Sort.json", "Sort", 0.1)
    cache.result("m__a/r1/Like.json", "Like", 0.1)
    versions = {"mteb": "2.1", "torch": "2.0", "flash-attn": None, "sentence-transformers": "5"}
    line = json.dumps({"task": "Sort", "split": "test", "subset": "s0", "version": versions})
    cache.write("m__a/r1/run_settings.jsonl", f"{line}\n\nnot json\n")
    harvest = cache.read()
    read = dict(harvest.runs.select("task_name", "encoder_versions").rows())
    assert read == {"Sort": '{"sentence-transformers":"5","torch":"2.0"}', "Like": None}
    assert places(harvest) == [("m__a/r1/run_settings.jsonl", "line 3")]


def test_read_results_takes_what_ran_from_a_record(cache):
    cache.experiment("a", {"Find-query": "q"}, "Find")
    record = {
        "task_name": "Find", "prompt_id": prompt_id("query", "q"), "strings": {"query": "q", "document": "passage: "},
        "origins": {"query": "study prompt", "document": "model default"}, "template_used": "no",
        "versions": {"torch": "2.0", "mteb": "2.1"}, "device": "cpu", "dtype": "float32", "seconds": 1.0, "texts": 2,
        "tokens": 9, "texts_encoded": 2, "seed": 0,
    }  # fmt: skip
    cache.write("m__a/r1/experiments/a/Find.record.jsonl", json.dumps(record) + "\n")
    harvest = cache.read()
    assert sides(harvest) == [("q", "study prompt", "passage: ", "model default", None, None)]
    assert harvest.runs.select("template_used", "encoder_versions").row(0) == ("no", '{"torch":"2.0"}')
    assert harvest.runs["prompt_id"].to_list() == [prompt_id("query", "q")]
    cache.write("m__a/r1/experiments/a/Find.record.jsonl", json.dumps({**record, "prompt_id": "another"}) + "\n")
    clash = cache.read()
    assert clash.runs["prompt_id"].to_list() == [None]
    assert sides(clash) == [(None, "not recorded", None, "not recorded", None, None)]
    assert places(clash) == [("m__a/r1/experiments/a/Find.record.jsonl", "prompt_id")]


def test_read_results_reports_a_broken_record_and_a_broken_local_description(cache):
    cache.result("m__a/r1/Sort.json", "Sort", 0.1)
    cache.write("m__a/r1/Sort.record.jsonl", "{}\n")
    cache.write("../tasks.json", {"not": "a list"})
    cache.write("../prompts.jsonl", "{}\n")
    harvest = cache.read()
    assert len(harvest.runs) == 1
    assert sorted(path for path, _ in places(harvest)) == ["m__a/r1/Sort.record.jsonl", "prompts.jsonl", "tasks.json"]


def test_read_results_reads_local_tasks_and_their_types(cache):
    rows = [{"split": "test", "subset": "s0", "languages": ["eng-Latn"], "n_queries": 3}]
    cache.write("../tasks.json", [{"task_name": "Mine", "task_type": "Retrieval", "domains": ["Web"], "rows": rows}])
    cache.write("../prompts.jsonl", json.dumps({"task_name": "Mine", "text": "x", "kind": "minimal"}))
    cache.experiment("a", {"Mine-query": "x"}, "Mine")
    harvest = cache.read()
    assert harvest.tasks.select("task_name", "domains", "described_by").rows() == [("Mine", ["Web"], "source")]
    assert harvest.task_rows.select("task_name", "subset", "n_queries", "n_samples").rows() == [("Mine", "s0", 3, None)]
    assert harvest.prompt_records["prompt_id"].to_list() == harvest.runs["prompt_id"].to_list()


def test_read_results_reads_the_same_with_several_processes(cache, monkeypatch):
    for number in range(40):
        cache.result(f"m__{number % 5}/r1/T{number}.json", f"T{number}", number / 100, None)
    alone = cache.read()
    monkeypatch.setattr(processes, "_BYTES_WORTH_A_PROCESS", 100_000)
    monkeypatch.setattr(processes.os, "sched_getaffinity", lambda _: range(3))
    started = []
    monkeypatch.setattr(processes, "_start", lambda job, start=processes._start: started.append(job) or start(job))
    shared = cache.read()
    assert len(started) == 2
    for name in ("runs", "files"):
        assert_frame_equal(getattr(shared, name), getattr(alone, name), check_row_order=False)
    assert_frame_equal(shared.named_scores(), alone.named_scores(), check_row_order=False)


def test_read_results_says_when_a_child_process_died(cache, monkeypatch):
    for name in ("a", "b"):
        cache.result(f"m__{name}/r1/Sort.json", "Sort", 0.1)
    monkeypatch.setattr(processes, "_BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(processes.os, "sched_getaffinity", lambda _: range(2))
    monkeypatch.setattr(processes, "_CHILD", ("-c", "raise MemoryError"))
    with pytest.raises(SourceError, match="MemoryError.*expected 0"):
        cache.read()


def test_read_results_converts_old_files_and_names_those_without_main_score(cache):
    def old(task, test):
        content = {"mteb_version": "1.2.0", "dataset_revision": "d", "mteb_dataset_name": task, "test": test}
        cache.write(f"m__a/1/{task}.json", content)

    old("STS13", {"cos_sim": {"spearman": 0.8}})
    old("ImdbClassification", {"evaluation_time": 9.1, "f1": 0.8})
    old("OldTask", {"evaluation_time": 9.1, "map": 0.86})
    harvest = cache.read()
    assert harvest.named_scores().select("task_name", "subset", "score").rows() == [("STS13", "default", 0.8)]
    assert places(harvest) == [("m__a/1/ImdbClassification.json", ""), ("m__a/1/OldTask.json", "")]
    assert "no main score" in harvest.rejects["reason"][0]
    assert cache.read().runs.equals(harvest.runs)


def test_read_results_says_what_old_files_need_where_mteb_is_not_installed(cache, monkeypatch):
    for module in ("metadata", "old_format"):
        monkeypatch.setattr(f"engine.ingest.{module}.mteb_version", lambda: None)
    cache.write("m__a/1/STS13.json", {"mteb_dataset_name": "STS13", "test": {"cos_sim": {"spearman": 0.8}}})
    harvest = cache.read()
    assert harvest.runs.is_empty()
    assert "expected mteb installed" in harvest.rejects["reason"][0]
