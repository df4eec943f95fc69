"""Studies of models without weights and tasks of a few texts."""

import pytest

from engine.errors import ModelUnavailable, TaskUnavailable
from engine.study import resolve as resolving
from engine.study import warm
from engine.study.file import make_study
from tests.engine.conftest import tree, without_mteb
from tests.engine.sweep.fakes import RecordingEncoder, local_task, model

__all__ = ["tree", "without_mteb"]


@pytest.fixture
def offered(monkeypatch) -> dict:
    """What can be found: models and tasks by name; put others in."""
    shelf = {
        "models": {name: model(RecordingEncoder(name)) for name in ("test/a", "test/b")},
        "tasks": {
            task.name: task.sweep_task() for task in (local_task("BitextMining"), local_task("PairClassification"))
        },
    }

    def find_model(settings, entry):
        if entry.name not in shelf["models"]:
            raise ModelUnavailable(f"No model {entry.name!r}.\nCheck the spelling.")
        return shelf["models"][entry.name]

    def find_task(reference, study):
        if reference not in shelf["tasks"]:
            raise TaskUnavailable(f"No task {reference!r}.")
        return shelf["tasks"][reference]

    for module in (resolving, warm):
        monkeypatch.setattr(module, "find_model", find_model)
    monkeypatch.setattr(resolving, "find_task", find_task)
    return shelf


@pytest.fixture
def prompt_file(tmp_path):
    """A prompt set of two prompts for one of the tasks."""
    path = tmp_path / "two.jsonl"
    line = '{{"task_name": "TinyBitextMining", "prompt_type": "none", "text": "{}", "kind": "minimal"}}\n'
    path.write_text(line.format("one: ") + line.format("two: "))
    return path


@pytest.fixture
def study(offered, prompt_file):
    """Two models × two tasks: default settings everywhere, and two prompts on one of the tasks."""
    return make_study(
        {
            "name": "small",
            "models": ["test/a", "test/b"],
            "tasks": ["TinyBitextMining", "TinyPairClassification"],
            "prompts": [str(prompt_file)],
            "device": "cpu",
        }
    )
