"""What a sweep would do, told from files alone."""

import json
from dataclasses import replace

import pytest

from engine.errors import UsageError
from engine.schema import PromptKind, PromptType, TemplateUse
from engine.sweep.plan import SweepTask, plan_sweep
from engine.sweep.prompting import Prompt
from engine.sweep.record import RunRecord, encode_record, record_path
from tests.engine.sweep.fakes import RecordingEncoder, model

TASK = SweepTask("T", "Retrieval", "data1", build=lambda: None)
TEXTS = {"T": {PromptType.QUERY: ("q1", "q2"), PromptType.DOCUMENT: ("d1", "d2", "q1")}}


def prompt(text):
    return Prompt(task_name="T", prompt_type=PromptType.QUERY, text=text, kind=PromptKind.LABEL)


def planned(folder, *texts, task=TASK, prompts=None):
    return plan_sweep(folder, [model(RecordingEncoder(), prompts)], [task], [prompt(text) for text in texts])


def leave(run, dataset_revision="data1", strings=None):
    """Put the files of a finished run in place."""
    run.result.parent.mkdir(parents=True, exist_ok=True)
    run.result.write_text(json.dumps({"dataset_revision": dataset_revision}))
    record = RunRecord(
        task_name="T", prompt_id=None, template_used=TemplateUse.NO, versions={}, device="cpu", dtype="float32",
        seconds=1, texts=1, texts_encoded=1, tokens=1, seed=1,
        strings=strings or {side: prefix.text for side, prefix in run.setting.prefixes.items()},
        origins={side: prefix.origin for side, prefix in run.setting.prefixes.items()},
    )  # fmt: skip
    record_path(run.result).write_text(encode_record(record))


def test_plan_has_default_settings_and_each_prompt_once(tmp_path):
    plan = planned(tmp_path, "a", "b", "a")
    assert [run.prompt_text for run in plan.runs] == [None, "a", "b"]
    assert len({run.result for run in plan.runs}) == 3


def test_plan_is_ordered_by_model(tmp_path):
    models = [model(RecordingEncoder(), name=name) for name in ("o/b", "o/a")]
    plan = plan_sweep(tmp_path, models, [TASK, replace(TASK, name="U")], [])
    assert [(run.model.name, run.task.name) for run in plan.runs] == [
        ("o/b", "T"),
        ("o/b", "U"),
        ("o/a", "T"),
        ("o/a", "U"),
    ]


def test_prompt_of_a_task_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"tasks \['T'\]; the sweep has \['U'\]"):
        plan_sweep(tmp_path, [], [replace(TASK, name="U")], [prompt("x")])


def test_run_exists_when_result_and_record_are_there(tmp_path):
    leave(planned(tmp_path, "a").runs[1])
    plan = planned(tmp_path, "a")
    assert [run.prompt_text for run in plan.missing] == [None]
    assert plan.n_existing == 1


@pytest.mark.parametrize("which", ["result", "record"])
@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_run_with_a_missing_or_cut_file_is_missing(tmp_path, which, damage):
    run = planned(tmp_path).runs[0]
    leave(run)
    path = run.result if which == "result" else record_path(run.result)
    if damage == "gone":
        path.unlink()
    else:
        path.write_text(path.read_text()[:-5])
    assert planned(tmp_path).missing


def test_run_on_other_data_is_missing(tmp_path):
    leave(planned(tmp_path).runs[0], dataset_revision="data0")
    assert planned(tmp_path).missing


def test_run_with_another_string_on_one_side_is_missing(tmp_path):
    leave(planned(tmp_path).runs[0])
    assert planned(tmp_path, prompts={"document": "passage: "}).missing


def test_strings_of_a_run_are_there_once_each_in_order_of_use(tmp_path):
    bare, prompted = planned(tmp_path, "q: ").runs
    # The document q1 is the query q1.
    assert list(bare.strings(TEXTS["T"])) == ["q1", "q2", "d1", "d2"]
    assert list(prompted.strings(TEXTS["T"])) == ["q: q1", "q: q2", "d1", "d2", "q1"]
