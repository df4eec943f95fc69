"""An ETA that is measured."""

import pytest

from engine.schema import PromptKind, PromptType
from engine.sweep.plan import SweepTask, plan_sweep
from engine.sweep.progress import Stopwatch
from engine.sweep.prompting import Prompt
from tests.engine.sweep.fakes import RecordingEncoder, model

TASK = SweepTask("T", "Retrieval", "data1", build=lambda: None)


@pytest.fixture
def runs(tmp_path):
    prompts = [
        Prompt(task_name="T", prompt_type=PromptType.QUERY, text=text, kind=PromptKind.LABEL) for text in ("ab", "")
    ]
    return plan_sweep(tmp_path, [model(RecordingEncoder(name)) for name in ("test/a", "test/b")], [TASK], prompts).runs


def test_eta_is_unknown_until_something_was_measured(runs):
    assert Stopwatch(runs).eta_seconds is None


def test_first_runs_on_a_task_and_later_ones_have_a_pace_each(runs):
    watch = Stopwatch(runs)
    watch.finish(runs[0], seconds=10)
    assert watch.eta_seconds == pytest.approx(5 * 10), "nothing else was timed yet"
    watch.finish(runs[1], seconds=1)
    assert watch.eta_seconds == pytest.approx(1 + 10 + 1 + 1)


def test_eta_goes_with_the_size_of_the_model(runs):
    watch = Stopwatch([*runs[:3], *_ten_times(runs[3:])])
    for run, seconds in zip(runs[:3], (10, 1, 1), strict=True):
        watch.finish(run, seconds)
    assert watch.eta_seconds == pytest.approx(100 + 10 + 10)


def _ten_times(runs):
    from dataclasses import replace

    return [replace(run, model=replace(run.model, active_parameters=10 * run.model.active_parameters)) for run in runs]


def test_eta_leaves_out_what_was_given_up(runs):
    watch = Stopwatch(runs[:3])
    watch.finish(runs[0], seconds=3)
    watch.give_up(runs[1])
    assert watch.eta_seconds == pytest.approx(3)


def test_eta_is_nothing_at_the_end(runs):
    watch = Stopwatch(runs)
    for run in runs:
        watch.finish(run, 1)
    assert watch.eta_seconds == 0
