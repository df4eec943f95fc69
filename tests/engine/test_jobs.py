"""The demo as a job: scored, registered, built; runs that failed are said, and the others are published."""

import sys
from types import SimpleNamespace

import pytest

from engine.content import row_counts
from engine.errors import RunFailed
from engine.jobs import demonstrate
from engine.sources import read_sources
from engine.store import open_snapshot
from tests.engine.trees import Tree


@pytest.fixture
def demo(settings, monkeypatch, without_mteb):
    """Stands in for the demo's models and tasks: writes one result, and reports the failures it is given."""
    failed = []

    def run_demo(settings, *, quick, progress):
        folder = settings.results / "demo"
        tree = Tree(folder)
        tree.run("local/tiny", "LocalTask", {("test", "default"): 0.5})
        progress(SimpleNamespace(model="local/tiny", task="LocalTask", done=1, total=2, eta_seconds=3.0))
        return SimpleNamespace(done=1, failed=tuple(failed), note="Vectors are no longer kept.")

    stand_in = SimpleNamespace(SOURCE_NAME="demo", demo_folder=lambda s: s.results / "demo", run_demo=run_demo)
    monkeypatch.setitem(sys.modules, "engine.demo", stand_in)
    return failed


def test_demo_is_registered_and_built(settings, demo):
    steps = []
    shown = demonstrate(settings, quick=True, progress=lambda *step: steps.append(step))
    assert [source.name for source in read_sources(settings)] == ["demo"]
    assert open_snapshot(settings).snapshot_id == shown.built.snapshot_id
    assert shown.note == "Vectors are no longer kept."
    assert row_counts(open_snapshot(settings))["runs"] == 1
    assert ("local/tiny on LocalTask", 1, 2, 3.0) in steps


def test_failed_runs_are_said_and_the_others_are_published(settings, demo):
    demo.append(SimpleNamespace(model_name="local/big", task_name="LocalTask", cause="no memory"))
    with pytest.raises(RunFailed, match="1 of 2 runs failed, such as local/big on LocalTask: no memory"):
        demonstrate(settings, quick=True)
    assert row_counts(open_snapshot(settings))["runs"] == 1
