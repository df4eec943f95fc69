"""What goes to MTEB's results repository: whole, registered tasks of registered models, and nothing of ours."""

import json
import warnings

import mteb
import numpy as np
import polars as pl
import pytest
from mteb.get_tasks import _TASKS_REGISTRY

from engine.errors import CheckFailed, SourceError, UsageError
from engine.export import _with_recorded, export_mteb
from engine.schema import PromptKind, PromptType
from engine.sweep.plan import plan_sweep
from engine.sweep.prompting import Prompt
from engine.sweep.runner import run_sweep
from engine.sweep.submission import check_tree
from engine.sweep.tasks import find_task
from engine.sweep.vectors import VectorFile
from tests.engine.ingest.conftest import Cache
from tests.engine.sweep.fakes import RecordingEncoder, local_task, model
from tests.engine.sweep.test_items import Likeness, Reranked

REGISTERED = "intfloat/multilingual-e5-small"


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """A sweep of a registered and of another model on two tasks that mteb registers and one that it does not."""
    for each in (Likeness, Reranked):
        monkeypatch.setitem(_TASKS_REGISTRY, each.metadata.name, each)
    monkeypatch.setattr(mteb, "get_task", lambda name: _TASKS_REGISTRY[name]())
    meta = mteb.get_model_meta(REGISTERED)
    known = model(RecordingEncoder(REGISTERED))
    known = type(known)(**{**vars(known), "revision": meta.revision})
    tasks = [find_task("Likeness"), find_task("Reranked", limit=2, seed=1), local_task("BitextMining").sweep_task()]
    prompt = Prompt(task_name="Likeness", prompt_type=PromptType.NONE, text="a: ", kind=PromptKind.LABEL)
    plan = plan_sweep(tmp_path / "sweep", [known, model(RecordingEncoder())], tasks, [prompt])
    with VectorFile(tmp_path / "v.sqlite") as vectors, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = run_sweep(plan, vectors, lambda _: None)
    assert report.failed == ()
    return plan


def reasons(report):
    return {(each.path.split("/")[1], each.path.split("/")[-1]): each.reason for each in report.left_out
            if "/experiments/" not in each.path}  # fmt: skip


def test_export_takes_whole_registered_tasks_of_registered_models_alone(swept, tmp_path):
    report = export_mteb(swept.folder, tmp_path / "out")
    revision = mteb.get_model_meta(REGISTERED).revision
    (exported,) = report.exported
    assert exported == f"results/intfloat__multilingual-e5-small/{revision}/Likeness.json"
    assert len(report.left_out) == len(swept.runs) - 1
    said = reasons(report)
    assert "part of the task's texts" in said["intfloat__multilingual-e5-small", "Reranked.json"]
    assert "no task of that name" in said["intfloat__multilingual-e5-small", "TinyBitextMining.json"]
    assert "no model of that name" in said["test__recorder", "Reranked.json"]
    assert any("--experiments" in each.reason for each in report.left_out)
    files = sorted(path.name for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert files == ["Likeness.json", "model_meta.json", "run_settings.jsonl"], "no records, no items, no locks"


def test_exported_description_is_the_one_mteb_writes(swept, tmp_path):
    report = export_mteb(swept.folder, tmp_path / "out")
    written = json.loads((tmp_path / "out" / report.exported[0]).with_name("model_meta.json").read_text())
    by_mteb = json.loads(json.dumps(mteb.get_model_meta(REGISTERED).to_dict(), default=str))
    assert written == by_mteb


def test_experiments_come_along_on_request(swept, tmp_path):
    report = export_mteb(swept.folder, tmp_path / "out", experiments=True)
    assert len(report.exported) == 2
    (experiment,) = (path for path in report.exported if "/experiments/" in path)
    meta = json.loads((tmp_path / "out" / experiment).with_name("model_meta.json").read_text())
    assert meta["experiment_kwargs"]["prompts"] == {"Likeness": "a: "}


def test_mteb_reads_back_by_name_and_by_settings(swept):
    cache = mteb.ResultCache(cache_path=swept.folder)
    wanted = next(run for run in swept.runs if run.setting.prompt and run.model.name == REGISTERED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = cache.load_results(load_experiments="match_name", include_remote=False)
        plain = cache.load_results(load_experiments="no_experiments", include_remote=False)
        matched = cache.load_results(
            load_experiments="match_kwargs",
            experiment_kwargs=wanted.setting.experiment_kwargs,
            include_remote=False,
        )
    assert sum(len(each.task_results) for each in every.model_results) == len(swept.runs)
    assert sum(len(each.task_results) for each in plain.model_results) == len(swept.runs) - 2
    found = {(each.model_name, task.task_name) for each in matched.model_results for task in each.task_results}
    assert found == {(REGISTERED, "Likeness"), ("test/recorder", "Likeness")}


def test_two_trees_merge_by_copying(swept, tmp_path):
    import shutil

    merged = tmp_path / "merged"
    for name in (REGISTERED, "test/recorder"):
        part = name.replace("/", "__")
        shutil.copytree(swept.folder / "results" / part, merged / "results" / part, dirs_exist_ok=True)
    again = plan_sweep(merged, list({run.model.name: run.model for run in swept.runs}.values()),
                       list({run.task.name: run.task for run in swept.runs}.values()),
                       [run.setting.prompt for run in swept.runs if run.setting.prompt])  # fmt: skip
    assert len(again.runs) == len(swept.runs) and again.missing == ()


def test_tasks_of_one_prompt_that_ran_apart_keep_it_when_their_trees_are_copied_together(tmp_path, settings):
    """Both folders have a `model_meta.json` of their own, and the one that is copied last stays."""
    import shutil

    def swept_apart(task_type):
        task = local_task(task_type).sweep_task()
        prompt = Prompt(task_name=task.name, prompt_type=PromptType.NONE, text="a: ", kind=PromptKind.LABEL)
        plan = plan_sweep(tmp_path / task_type, [model(RecordingEncoder())], [task], [prompt])
        with VectorFile(tmp_path / "v.sqlite") as vectors:
            assert run_sweep(plan, vectors, lambda _: None).failed == ()
        return plan.folder, task.described

    parts = [swept_apart(task_type) for task_type in ("BitextMining", "PairClassification")]
    merged = tmp_path / "merged"
    for folder, _ in parts:
        shutil.copytree(folder, merged, dirs_exist_ok=True)
    (merged / "tasks.json").write_text(json.dumps([described for _, described in parts]))
    harvest = Cache(merged, settings).read()
    assert harvest.rejects.is_empty()
    assert harvest.runs.filter(pl.col("prompt_id").is_not_null())["prompt_none"].to_list() == ["a: ", "a: "]
    (place,) = (merged / "results").glob("*/*/experiments/*")
    exported = _with_recorded(place, json.loads((place / "model_meta.json").read_text())["experiment_kwargs"])
    assert exported["prompts"] == {"TinyBitextMining": "a: ", "TinyPairClassification": "a: "}


def test_export_refuses_a_filled_folder_and_an_empty_source(tmp_path):
    (tmp_path / "there.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        export_mteb(tmp_path, tmp_path)
    with pytest.raises(SourceError, match="holds no results"):
        export_mteb(tmp_path, tmp_path / "out")


@pytest.mark.parametrize("damage", ["revision", "subset", "nan", "text"])
def test_result_that_mteb_would_not_take_is_left_out_with_its_reason(damage, swept, tmp_path):
    path = next(run.result for run in swept.runs if run.model.name == REGISTERED and run.task.name == "Likeness")
    result = json.loads(path.read_text())
    if damage == "revision":
        result["dataset_revision"] = "v0"
    elif damage == "subset":
        result["scores"]["test"] = result["scores"]["test"][:1]
    elif damage == "nan":
        result["scores"]["test"][0]["main_score"] = np.nan
    path.write_text("{" if damage == "text" else json.dumps(result))
    report = export_mteb(swept.folder, tmp_path / "out")
    assert report.exported == ()
    expected = {"revision": "mteb registers v1", "subset": "rows are missing", "nan": "no score", "text": "cannot read"}
    assert expected[damage] in reasons(report)["intfloat__multilingual-e5-small", "Likeness.json"]


def test_check_names_what_mteb_does_not_find(swept):
    with pytest.raises(CheckFailed, match="expected"):
        check_tree(swept.folder, {("a/b", "1"): 1})
