"""A study runs on this machine's devices; what goes wrong is listed with its cause, and the rest is there."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import psutil
import pytest

from engine.errors import UsageError
from engine.study.board import CellState
from engine.study.file import make_study
from engine.study.resolve import resolve
from engine.study.run import device_lock, run_study
from engine.study.shards import Shard
from engine.sweep.prompting import read_prompts
from tests.engine.sweep.fakes import RecordingEncoder, model

CPU = ("cpu",)


def run(settings, study, watch=lambda _: None, devices=CPU):
    return run_study(settings, resolve(settings, study), devices, watch)


def test_board_follows_the_runs_to_the_end(settings, study):
    seen = []

    def watch(board):
        seen.append((board.done, [(cell.state.value, cell.done, cell.total) for cell in board.cells]))

    report = run(settings, study, watch)
    assert seen[0] == (0, [("waiting", 0, 3), ("waiting", 0, 1)] * 2)
    assert ("running", 1, 3) in [cells[0] for _, cells in seen]
    assert seen[-1] == (8, [("done", 3, 3), ("done", 1, 1)] * 2)
    assert not report.is_partial and report.board.texts_encoded < report.board.texts


def test_second_run_of_a_study_has_nothing_to_do(settings, study):
    run(settings, study)
    board = run(settings, study).board
    assert (board.done, board.existing, {cell.state for cell in board.cells}) == (0, 8, {CellState.DONE})


def test_folder_says_what_its_tasks_and_prompts_are_and_keeps_what_it_said_before(settings, study):
    run(settings, study)
    only = make_study({"name": "small", "models": ["test/a"], "tasks": ["TinyPairClassification"]})
    run(settings, only)
    folder = resolve(settings, study).plan.folder
    assert [prompt.text for prompt in read_prompts(folder / "prompts.jsonl")] == ["one: ", "two: "]
    described = json.loads((folder / "tasks.json").read_text())
    assert [task["task_name"] for task in described] == ["TinyBitextMining", "TinyPairClassification"]


class NanFor(RecordingEncoder):
    """Returns NaN for one text."""

    def encode(self, strings):
        block = super().encode(strings)
        block[[string == "two: cat one one" for string in strings]] = np.nan
        return block


def test_nan_for_one_text_costs_the_runs_that_need_it(settings, study, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    report = run(settings, study)
    assert (report.board.done, report.board.failed, report.is_partial) == (7, 1, True)
    (fault,) = report.faults
    assert (fault.model_name, fault.prompt_text) == ("test/a", "two: ")
    assert "NaN" in fault.cause and "two: cat one one" in fault.cause
    assert [cell.state for cell in report.board.cells] == [CellState.FAILED, *[CellState.DONE] * 3]


def test_task_that_raises_costs_its_own_runs(settings, study, offered):
    task = offered["tasks"]["TinyPairClassification"]
    offered["tasks"]["TinyPairClassification"] = replace(task, build=lambda: 1 / 0)
    report = run(settings, study)
    assert report.board.done == 6
    assert {(fault.task_name, fault.cause) for fault in report.faults} == {
        ("TinyPairClassification", "ZeroDivisionError: division by zero")
    }


def test_model_that_cannot_be_loaded_costs_its_own_runs(settings, study, offered):
    def no_memory(compute):
        raise MemoryError("8 GB wanted")

    offered["models"]["test/b"] = replace(offered["models"]["test/b"], load=no_memory)
    report = run(settings, study)
    assert (report.board.done, report.board.failed) == (4, 4)
    assert {fault.model_name for fault in report.faults} == {"test/b"}


def test_failed_runs_are_tried_again_and_nothing_else(settings, study, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    run(settings, study)
    offered["models"]["test/a"] = model(RecordingEncoder("test/a"))
    report = run(settings, study)
    assert (report.board.done, report.board.existing, report.is_partial) == (1, 7, False)


def test_folder_that_cannot_be_made_is_the_cause(settings, study):
    results = resolve(settings, study).plan.folder / "results"
    results.mkdir(parents=True)
    (results / "test__b").touch()
    report = run(settings, study)
    assert (report.board.done, report.board.failed) == (4, 4)
    assert all("test__b" in fault.cause for fault in report.faults)


def test_full_disk_costs_the_runs_that_could_not_be_kept(settings, study, monkeypatch):
    from engine.sweep import runner

    write = runner.replace_content

    def full_for_b(path, text):
        if "test__b" in str(path):
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(runner, "replace_content", full_for_b)
    report = run(settings, study)
    assert report.board.done == 4
    assert {(fault.model_name, "No space left" in fault.cause) for fault in report.faults} == {("test/b", True)}
    monkeypatch.undo()


def test_device_takes_one_sweep_at_a_time_but_shards_share_it(settings, study):
    with device_lock(settings, "cpu"):
        with device_lock(settings, "cuda:0"), device_lock(settings, "cpu", Shard(1, 2)):
            pass
        done = subprocess.run([sys.executable, "-c", TAKE, settings.data], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Busy" in done.stderr and f"pid {os.getpid()} on " in done.stderr


TAKE = """
import sys
from pathlib import Path
from engine.settings import Settings
from engine.study.run import device_lock
with device_lock(Settings(Path(sys.argv[1])), "cpu"):
    pass
"""


@pytest.fixture
def bundled():
    """A study of a bundled model, which other processes can find too."""
    return make_study(
        {
            "name": "two",
            "models": ["universal-sentence-encoder-multilingual-v3"],
            "tasks": ["ScorelensHomeCommandPairs", "ScorelensDjangoBitext"],
            "device": "cpu",
        }
    )


def scores_of(settings, study):
    runs = resolve(settings, study).plan.runs
    return {run.task.name: json.loads(run.result.read_text())["scores"] for run in runs}


def test_two_processes_do_what_one_does(settings, bundled, tmp_path):
    apart = type(settings)(tmp_path / "apart")
    report = run(apart, bundled, devices=("cpu#1", "cpu#2"))
    assert (report.board.done, report.faults, report.board.devices) == (2, (), ["cpu#1", "cpu#2"])
    run(settings, bundled)
    assert scores_of(apart, bundled) == scores_of(settings, bundled)


def test_process_that_is_killed_costs_its_own_runs(settings, bundled):
    killed = []

    def kill_one(board):
        children = [] if killed else psutil.Process().children()
        parts = [each for each in children if "engine.study.parts" in each.cmdline()]
        if parts:
            killed.append(parts[0].pid)
            parts[0].send_signal(signal.SIGKILL)

    report = run(settings, bundled, kill_one, devices=("cpu#1", "cpu#2"))
    assert (len(killed), report.board.done, report.board.failed) == (1, 1, 1)
    assert "code -9" in report.faults[0].cause
    assert not run(settings, bundled).is_partial


@pytest.mark.parametrize("content", ["{broken", "[3]", '[{"name": "x"}]'])
def test_description_of_tasks_that_somebody_has_edited_is_named_and_kept(settings, study, content):
    path = resolve(settings, study).plan.folder / "tasks.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(UsageError, match="tasks.json does not describe tasks"):
        run(settings, study)
    assert path.read_text() == content
