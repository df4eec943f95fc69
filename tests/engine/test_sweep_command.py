"""`engine sweep` as a script sees it: what it says, what it leaves, and its exit code."""

import errno
import os
import signal
from dataclasses import replace

import pytest

from engine.content import row_counts
from engine.errors import ModelUnavailable
from engine.sources import read_sources
from engine.store import open_snapshot
from engine.study.file import make_study
from engine.study.standing import board_files, read_standing
from tests.engine.study.conftest import offered, prompt_file
from tests.engine.study.test_run import NanFor
from tests.engine.sweep.fakes import RecordingEncoder, model

__all__ = ["offered", "prompt_file"]

NAMES = ["--models", "test/a,test/b", "--tasks", "TinyBitextMining", "--tasks", "TinyPairClassification"]


@pytest.fixture
def sweep(settings, monkeypatch, command_line, offered, prompt_file, without_mteb):
    """Sweeps on the CPU; gives exit code and what was said."""
    monkeypatch.setenv("SCORELENS_DATA", str(settings.data))

    def call(*words: str) -> tuple[int, str]:
        code, _, said = command_line("sweep", "--device", "cpu", *words)
        return code, " ".join(said.split())

    return call


def test_sweep_is_run_published_and_resumed(sweep, settings, prompt_file):
    code, said = sweep(*NAMES, "--prompts", str(prompt_file), "--name", "mine")
    assert (code, "8 of 8 runs done" in said) == (0, True)
    assert [source.name for source in read_sources(settings)] == ["mine"]
    assert row_counts(open_snapshot(settings))["runs"] == 8
    code, said = sweep(*NAMES, "--prompts", str(prompt_file), "--name", "mine")
    assert (code, "0 of 8 runs done" in said and "8 were there" in said) == (0, True)


def test_pages_are_told_how_it_stands(sweep, settings, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    assert board_files(settings) == []
    sweep(*NAMES, "--name", "told", "--shard", "1/2")
    sweep(*NAMES, "--name", "told", "--shard", "2/2")
    (first, second) = [read_standing(path) for path in board_files(settings)]
    assert first.state == second.state == "done"
    assert (first.board.total, second.board.total) == (2, 2)
    assert make_study(first.study).source_name == "told"


def test_sweep_whose_process_is_gone_was_stopped(sweep, settings):
    sweep(*NAMES, "--name", "told")
    (path,) = board_files(settings)
    path.write_bytes(path.read_bytes().replace(b'"state":"done"', b'"state":"running"'))
    assert read_standing(path).state == "running"
    os.utime(path, (0, 0))
    assert read_standing(path).state == "cancelled"
    path.write_bytes(b"{")
    assert read_standing(path) is None


def test_partial_sweep_leaves_with_8_and_names_each_cause(sweep, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    code, said = sweep(*NAMES, "--models", "gone/model", "--prompts", "gone")
    assert code == 8
    assert "Left out: model gone/model: No model 'gone/model'. Check the spelling." in said
    assert "Left out: prompt gone: No prompt set 'gone'; there are demo" in said
    code, said = sweep(*NAMES)
    assert code == 0


def test_failed_run_is_named_with_its_prompt_and_cause(sweep, offered, prompt_file):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    code, said = sweep(*NAMES, "--prompts", str(prompt_file))
    assert code == 8 and "7 of 8 runs done" in said
    assert "Failed: test/a on TinyBitextMining with 'two: ': 1 of" in said


def test_dry_run_says_what_it_would_do_and_does_nothing(sweep, settings, prompt_file):
    code, said = sweep(*NAMES, "--prompts", str(prompt_file), "--dry-run")
    assert code == 0 and "8 runs, 0 of them there already." in said
    assert "test/a · TinyBitextMining · none · ⟦one: ⟧cat one one" in said
    assert not settings.results.exists() and not settings.snapshots.exists()


def test_dry_run_of_a_plan_that_is_not_whole_leaves_with_8(sweep):
    code, said = sweep(*NAMES, "--models", "gone/model", "--dry-run")
    assert code == 8 and "Left out: model gone/model" in said and "4 runs, 0 of them there already." in said


def test_study_file_is_locked_and_a_difference_is_refused(sweep, settings, offered, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('models = ["test/a"]\ntasks = ["TinyBitextMining"]\n')
    assert sweep("--study", str(file))[0] == 0
    assert (tmp_path / "mine.lock.json").exists()
    offered["models"]["test/a"] = model(RecordingEncoder("test/a"))
    code, said = sweep("--study", str(file), "--seed", "7")
    assert code == 2 and "seed: 7, locked 42" in said and "--relock" in said
    assert sweep("--study", str(file), "--seed", "7", "--relock")[0] == 0


def test_shards_together_are_the_whole(sweep, settings):
    for shard in ("1/2", "2/2"):
        code, said = sweep(*NAMES, "--shard", shard)
        assert code == 0 and "2 of 2 runs done" in said
    assert sweep(*NAMES)[1].count("4 were there") == 1


def test_cause_that_costs_many_runs_is_said_once(sweep, offered, prompt_file):
    def refuse(_):
        raise ModelUnavailable("test/a cannot be had: it is not on this machine.")

    offered["models"]["test/a"] = replace(offered["models"]["test/a"], load=refuse)
    code, said = sweep(*NAMES, "--prompts", str(prompt_file))
    assert code == 8 and said.count("cannot be had") == 1
    assert "Failed: test/a on TinyBitextMining, TinyPairClassification, 4 runs: test/a cannot be had" in said


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_results_that_cannot_be_published_are_reported_and_leave_with_8(sweep, settings, monkeypatch):
    monkeypatch.setattr("engine.study.publishing.publish", full_disk)
    code, said = sweep(*NAMES)
    assert code == 8 and "4 of 4 runs done" in said
    assert "Not published: OSError: [Errno 28] No space left on device. The results are in" in said
    assert not settings.snapshots.exists()


def test_disk_that_refuses_at_once_is_said_in_one_line(sweep, monkeypatch):
    monkeypatch.setattr("engine.study.run.describe_sweep", full_disk)
    code, said = sweep(*NAMES)
    assert code == 4 and "Error: the disk refused: [Errno 28] No space left on device" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sweep_that_is_stopped_keeps_what_was_done_and_goes_on_from_there(number, sweep, offered):
    class Stops(RecordingEncoder):
        def encode(self, strings):
            signal.raise_signal(number)
            return super().encode(strings)

    offered["models"]["test/b"] = model(Stops("test/b"))
    code, said = sweep(*NAMES)
    assert code == 130 and said.endswith("the same command goes on from there.")
    offered["models"]["test/b"] = model(RecordingEncoder("test/b"))
    code, said = sweep(*NAMES)
    assert code == 0 and "2 of 4 runs done" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--models", "test/a"], "--study FILE"),
        (["--study", "gone.toml"], "gone.toml"),
        ([*NAMES, "--shard", "3/2"], "i/n"),
        ([*NAMES, "--limit", "0"], "limit is 0"),
    ],
)
def test_what_cannot_be_begun_leaves_with_2(sweep, words, expected):
    code, said = sweep(*words)
    assert code == 2 and expected in said
