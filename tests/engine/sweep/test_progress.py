"""An ETA that is measured."""

import pytest

from engine.schema import PromptKind, PromptType
from engine.sweep.plan import SweepTask, plan_sweep
from engine.sweep.progress import Stopwatch, work_of
from engine.sweep.prompting import Prompt
from tests.engine.sweep.fakes import RecordingEncoder, model

TASK = SweepTask("T", "Retrieval", "data1", build=lambda: None)
TEXTS = {"T": {PromptType.QUERY: ("12",), PromptType.DOCUMENT: ("123456",)}}


@pytest.fixture
def runs(tmp_path):
    prompts = [
        Prompt(task_name="T", prompt_type=PromptType.QUERY, text=text, kind=PromptKind.LABEL) for text in ("ab", "")
    ]
    return plan_sweep(tmp_path, [model(RecordingEncoder())], [TASK], prompts).runs


def test_work_counts_strings_that_are_new(runs):
    # 2 + 6 characters by default; only the query again with the prompt "ab"; nothing new with the empty prompt
    assert list(work_of(runs, TEXTS).values()) == [8 * 1000, 4 * 1000, 0]


def test_eta_is_unknown_until_something_was_measured(runs):
    assert Stopwatch(work_of(runs, TEXTS)).eta_seconds is None


def test_eta_follows_work_left_and_runs_left(runs):
    watch = Stopwatch(work_of(runs, TEXTS))
    watch.finish(runs[0], encode_seconds=16, score_seconds=3)
    assert watch.eta_seconds == pytest.approx(4 * 2 + 2 * 3)
    watch.finish(runs[1], encode_seconds=8, score_seconds=5)
    assert watch.eta_seconds == pytest.approx(0 + 4)


def test_eta_leaves_out_what_was_given_up(runs):
    watch = Stopwatch(work_of(runs, TEXTS))
    watch.finish(runs[0], encode_seconds=16, score_seconds=3)
    watch.give_up(runs[1])
    assert watch.eta_seconds == pytest.approx(3)


def test_eta_is_nothing_at_the_end(runs):
    watch = Stopwatch(work_of(runs, TEXTS))
    for run in runs:
        watch.finish(run, 1, 1)
    assert watch.eta_seconds == 0
