"""A whole sweep with recorded encoders: the exact strings, each encoded once, failures listed, resumption."""

import errno
import json
import warnings

import mteb
import numpy as np
import pytest

from engine.errors import WeightsError
from engine.schema import PromptKind, PromptType
from engine.sweep import runner
from engine.sweep.plan import plan_sweep
from engine.sweep.prompting import Prompt
from engine.sweep.record import read_record, record_path
from engine.sweep.runner import run_sweep
from engine.sweep.scoring import model_meta, score, texts_of
from engine.sweep.vectors import VectorFile
from tests.engine.sweep.fakes import TINY, RecordingEncoder, local_task, model, vector_of

E5 = {"query": "query: ", "document": "passage: "}


def prompts_for(task, *texts):
    side = PromptType.QUERY if task.task_type == "Retrieval" else PromptType.NONE
    return [Prompt(task_name=task.name, prompt_type=side, text=text, kind=PromptKind.LABEL) for text in texts]


def sweep(folder, models, tasks, prompts, heard=None):
    """Run a sweep on local tasks; returns its report and what is left to do afterwards."""
    tasks = [task.sweep_task() for task in tasks]
    with VectorFile(folder / "v.sqlite") as vectors:
        plan = plan_sweep(folder / "sweep", models, tasks, prompts)
        report = run_sweep(plan, vectors, heard.append if heard is not None else lambda _: None)
    return report, plan_sweep(folder / "sweep", models, tasks, prompts)


@pytest.mark.parametrize("task_type", TINY)
def test_exact_strings_enter_the_tokenizer(task_type, tmp_path):
    task, encoder = local_task(task_type), RecordingEncoder()
    prompts = prompts_for(task, "Find {this}: ", "")
    report, _ = sweep(tmp_path, [model(encoder, E5)], [task], prompts)
    assert (report.done, report.failed) == (3, ())
    texts = texts_of(task.build())
    if task_type == "Retrieval":
        expected = {prefix + text for prefix in ("query: ", "Find {this}: ", "") for text in texts[PromptType.QUERY]}
        expected |= {f"passage: {text}" for text in texts[PromptType.DOCUMENT]}
        assert "passage: Animal 0 it sleeps in hole 0" in expected
    else:
        # Model prompts for sides do not reach a symmetric task: its default is no prompt at all.
        expected = {prefix + text for prefix in ("Find {this}: ", "") for text in texts[PromptType.NONE]}
    assert sorted(encoder.seen) == sorted(expected), "each of these strings once, and no other"


def test_watched_texts_are_all_that_scoring_asks_for():
    for task_type in TINY:
        task = local_task(task_type)
        asked = set()

        def embed(side, texts, asked=asked):
            asked |= {(side, text) for text in texts}
            return np.stack([vector_of(text) for text in texts])

        score(task.build(), embed, model_meta({}))
        assert asked == {(side, text) for side, texts in texts_of(task.build()).items() for text in texts}


def test_documents_are_encoded_once_over_all_prompts(tmp_path):
    task, encoder = local_task("Retrieval"), RecordingEncoder()
    prompts = prompts_for(task, *(f"prompt {n}: " for n in range(10)))
    report, plan = sweep(tmp_path, [model(encoder)], [task], prompts)
    texts = texts_of(task.build())
    assert report.done == 11
    assert len(encoder.seen) == len(texts[PromptType.DOCUMENT]) + 11 * len(texts[PromptType.QUERY])
    records = [read_record(record_path(run.result)) for run in plan.runs]
    assert [record.texts_encoded for record in records] == [6 + 8] + [8] * 10
    assert {record.texts for record in records} == {2 * (6 + 4)}


def test_record_says_what_ran(tmp_path):
    task = local_task("Retrieval")
    _, plan = sweep(tmp_path, [model(RecordingEncoder(), E5)], [task], prompts_for(task, ""))
    default, empty = (json.loads(record_path(run.result).read_text()) for run in plan.runs)
    assert default["prompt_id"] is None
    assert default["strings"] == {"query": "query: ", "document": "passage: "}
    assert default["origins"] == {"query": "model default", "document": "model default"}
    assert empty["strings"] == {"query": "", "document": "passage: "}
    assert empty["origins"] == {"query": "study prompt", "document": "model default"}
    assert (empty["template_used"], empty["dtype"], empty["device"], empty["seed"]) == ("no", "float32", "cpu", 42)
    assert empty["versions"]["mteb"] == mteb.__version__


@pytest.mark.parametrize("task_type", TINY)
def test_scores_are_those_of_plain_mteb(task_type, tmp_path):
    task = local_task(task_type)
    _, plan = sweep(tmp_path, [model(RecordingEncoder())], [task], prompts_for(task, "where is "))

    class Plain(mteb.models.abs_encoder.AbsEncoder):
        mteb_model_meta = model_meta({"similarity_fn_name": "cosine"})
        prompt = ""

        def encode(self, inputs, *, prompt_type=None, **_):
            prompt = "" if prompt_type is not None and prompt_type.value == "document" else self.prompt
            return np.stack([vector_of(prompt + text) for batch in inputs for text in batch["text"]])

    for run, prompt in zip(plan.runs, ("", "where is "), strict=True):
        encoder = Plain()
        encoder.prompt = prompt
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (plain,) = mteb.evaluate(encoder, task.build(), cache=None, co2_tracker=False).task_results
        ours = json.loads(run.result.read_text())["scores"]["test"]
        assert [row["main_score"] for row in ours] == pytest.approx(
            [row["main_score"] for row in plain.scores["test"]], abs=1e-6
        )


def test_mteb_reads_the_tree_back(tmp_path):
    tasks = [local_task("Retrieval"), local_task("BitextMining")]
    prompts = [prompt for task in tasks for prompt in prompts_for(task, "a: ", "a? ")]
    _, plan = sweep(tmp_path, [model(RecordingEncoder(), E5)], tasks, prompts)
    cache = mteb.ResultCache(cache_path=plan.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = cache.load_results(load_experiments="match_name", include_remote=False)
    found = [
        (result.experiment_name or "", task_result.task_name)
        for result in results.model_results
        for task_result in result.task_results
    ]
    assert len(set(found)) == len(plan.runs) == 6, "no two prompts become one, though mteb's names drop : and ?"
    assert sorted(task for name, task in found if not name) == ["TinyBitextMining", "TinyRetrieval"]
    prompted = json.loads((plan.runs[1].result.parent / "model_meta.json").read_text())
    assert prompted["experiment_kwargs"]["prompts"] == {"TinyRetrieval-query": "a: "}


def test_settings_of_two_tasks_share_one_file(tmp_path):
    tasks = [local_task("Retrieval"), local_task("BitextMining")]
    _, plan = sweep(tmp_path, [model(RecordingEncoder())], tasks, [])
    lines = (plan.runs[0].result.parent / "run_settings.jsonl").read_text().splitlines()
    assert [(json.loads(line)["task"], json.loads(line)["subsets"]) for line in lines] == [
        ("TinyRetrieval", ["one", "two"]),
        ("TinyBitextMining", ["one", "two"]),
    ]


def test_prompt_on_two_tasks_keeps_both_in_one_folder(tmp_path):
    tasks = [local_task("PairClassification"), local_task("BitextMining")]
    prompts = [prompt for task in tasks for prompt in prompts_for(task, "a: ")]
    _, plan = sweep(tmp_path, [model(RecordingEncoder())], tasks, prompts)
    folders = {run.result.parent for run in plan.runs if run.prompt_text}
    assert len(folders) == 1
    meta = json.loads((folders.pop() / "model_meta.json").read_text())
    assert meta["experiment_kwargs"]["prompts"] == {"TinyBitextMining": "a: ", "TinyPairClassification": "a: "}


def test_second_sweep_does_nothing(tmp_path):
    task, encoder = local_task("PairClassification"), RecordingEncoder()
    sweep(tmp_path, [model(encoder)], [task], prompts_for(task, "a: "))
    encoder.seen.clear()
    report, _ = sweep(tmp_path, [model(encoder)], [task], prompts_for(task, "a: "))
    assert (report.done, report.skipped, report.failed, encoder.seen) == (0, 2, (), [])


@pytest.mark.parametrize("lost", ["result", "record"])
def test_run_that_was_cut_off_is_done_again_from_kept_vectors(lost, tmp_path):
    task, encoder = local_task("BitextMining"), RecordingEncoder()
    _, plan = sweep(tmp_path, [model(encoder)], [task], prompts_for(task, "a: ", "b: "))
    before = json.loads(plan.runs[1].result.read_text())["scores"]
    (plan.runs[1].result if lost == "result" else record_path(plan.runs[1].result)).unlink()
    encoder.seen.clear()
    report, _ = sweep(tmp_path, [model(encoder)], [task], prompts_for(task, "a: ", "b: "))
    assert (report.done, report.skipped, encoder.seen) == (1, 2, [])
    assert json.loads(plan.runs[1].result.read_text())["scores"] == before


class NoVectorFor(RecordingEncoder):
    """Returns NaN for every string with a given start."""

    def __init__(self, start):
        super().__init__("test/broken")
        self.start = start

    def encode(self, strings):
        rows = super().encode(strings)
        rows[[string.startswith(self.start) for string in strings]] = np.nan
        return rows


def test_bad_vectors_fail_their_run_and_the_rest_finishes(tmp_path):
    task = local_task("BitextMining")
    report, plan = sweep(tmp_path, [model(NoVectorFor("bad: "))], [task], prompts_for(task, "bad: ", "good: "))
    assert report.done == 2
    (failure,) = report.failed
    assert (failure.task_name, failure.prompt_text) == (task.name, "bad: ")
    assert "NaN" in failure.cause
    assert "bad: cat one one" in failure.cause
    assert [run.prompt_text for run in plan.missing] == ["bad: "]
    assert not plan.missing[0].result.parent.exists()


def test_model_that_cannot_be_loaded_fails_all_its_runs_and_no_other(tmp_path):
    def refuse(_):
        raise WeightsError("seen x, expected y")

    broken = model(RecordingEncoder("test/absent"))
    broken = type(broken)(**{**vars(broken), "load": refuse})
    task = local_task("BitextMining")
    report, _ = sweep(tmp_path, [broken, model(RecordingEncoder())], [task], prompts_for(task, "a: "))
    assert report.done == 2
    assert [(failure.model_name, failure.cause) for failure in report.failed] == [
        ("test/absent", "seen x, expected y"),
        ("test/absent", "seen x, expected y"),
    ]


def test_task_that_raises_fails_alone(tmp_path):
    good, bad = local_task("BitextMining"), local_task("Retrieval")
    tasks = [type(task.sweep_task())(**vars(task.sweep_task())) for task in (good, bad)]
    broken = type(tasks[1])(**{**vars(tasks[1]), "build": lambda: 1 / 0})
    with VectorFile(tmp_path / "v.sqlite") as vectors:
        plan = plan_sweep(tmp_path / "sweep", [model(RecordingEncoder())], [broken, tasks[0]], [])
        report = run_sweep(plan, vectors, lambda _: None)
    assert report.done == 1
    assert [failure.cause for failure in report.failed] == ["ZeroDivisionError: division by zero"]


def test_progress_counts_up_to_the_end(tmp_path):
    task, heard = local_task("BitextMining"), []
    models = [model(RecordingEncoder(name)) for name in ("test/a", "test/b")]
    sweep(tmp_path, models, [task], prompts_for(task, "a: "), heard)
    assert [(moment.event, moment.done) for moment in heard[:4]] == [
        ("begun", 0),
        ("done", 1),
        ("begun", 1),
        ("done", 2),
    ]
    assert [moment.done for moment in heard] == [0, 1, 1, 2, 2, 3, 3, 4]
    assert [moment.texts_encoded for moment in heard if moment.event == "done"] == [9, 9, 9, 9]
    assert {moment.total for moment in heard} == {4}
    assert heard[0].eta_seconds is None
    assert heard[-1].eta_seconds == 0
    assert all(moment.eta_seconds is not None for moment in heard[1:])


def test_file_of_vectors_that_fails_is_said_and_stops_nothing(tmp_path):
    (tmp_path / "v").write_text("")
    said = []
    plan = plan_sweep(tmp_path / "sweep", [model(RecordingEncoder())], [local_task("BitextMining").sweep_task()], [])
    with VectorFile(tmp_path / "v" / "vectors.sqlite") as vectors:
        report = run_sweep(plan, vectors, lambda moment: said.append(moment.note))
    assert (report.done, report.failed) == (1, ())
    assert all("no longer kept" in note for note in said)


def test_folder_that_cannot_be_written_to_fails_its_run_and_the_rest_finishes(tmp_path):
    tasks = [local_task("BitextMining"), local_task("PairClassification")]
    prompts = prompts_for(tasks[0], "a: ") + prompts_for(tasks[1], "b: ")
    plan = plan_sweep(tmp_path / "sweep", [model(RecordingEncoder())], [t.sweep_task() for t in tasks], prompts)
    blocked = next(run for run in plan.runs if run.prompt_text == "a: ").result.parent
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where a folder should be")
    report, left = sweep(tmp_path, [model(RecordingEncoder())], tasks, prompts)
    (failure,) = report.failed
    assert (report.done, failure.prompt_text) == (3, "a: ") and "FileExistsError" in failure.cause
    assert [run.prompt_text for run in left.missing] == ["a: "]


def test_full_disk_fails_runs_until_there_is_room_and_leaves_no_half_one(tmp_path, monkeypatch):
    task = local_task("BitextMining")
    write, writes = runner.replace_content, []

    def fill_up(path, content):
        writes.append(path)
        if 2 <= len(writes) <= 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(runner, "replace_content", fill_up)
    prompts = prompts_for(task, "a: ", "b: ", "c: ", "d: ")
    report, left = sweep(tmp_path, [model(RecordingEncoder())], [task], prompts)
    assert report.done == 2 and [failure.prompt_text for failure in report.failed] == [None, "a: ", "b: "]
    assert all("No space left" in failure.cause for failure in report.failed)
    assert [run.prompt_text for run in left.missing] == [None, "a: ", "b: "]
    again, left = sweep(tmp_path, [model(RecordingEncoder())], [task], prompts)
    assert (again.done, again.failed, left.missing) == (3, (), ())


@pytest.mark.parametrize("name", ["model_meta.json", "run_settings.jsonl"])
def test_file_beside_results_that_somebody_has_edited_is_named_as_the_cause(name, tmp_path):
    tasks = [local_task("PairClassification"), local_task("BitextMining")]
    prompts = [prompt for task in tasks for prompt in prompts_for(task, "a: ")]
    _, plan = sweep(tmp_path, [model(RecordingEncoder())], tasks, prompts)
    (lost,) = [run.result for run in plan.runs if run.prompt_text and run.task is plan.runs[0].task]
    (lost.parent / name).write_text("{broken\n")
    lost.unlink()
    report, _ = sweep(tmp_path, [model(RecordingEncoder())], tasks, prompts)
    (failed,) = report.failed
    assert name in failed.cause and "Restore it" in failed.cause
