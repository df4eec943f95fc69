"""Sweeps and a build at once on one data folder, and shards on two machines: nothing is lost, nothing differs."""

import json
import shutil
import time

import pytest

from engine.content import broken_rules
from engine.pipeline import build
from engine.settings import Settings
from engine.sources import add_source
from engine.store import open_snapshot
from tests.prove.scale import scaled
from tests.prove.sweeps import read_plan, scores, start

PAUSE = scaled(1, 0)


def expect_same(found, expected):
    assert found.keys() == expected.keys()
    for run, rows in expected.items():
        assert found[run] == pytest.approx(rows, abs=1e-6), run


@pytest.mark.prove
def test_two_shards_of_two_machines_merge_by_copying(tmp_path, study, undisturbed):
    expected, _ = undisturbed
    children = [start(tmp_path / f"machine-{number}", study, f"{number}/2") for number in (1, 2)]
    assert [child.communicate(timeout=300)[0] for child in children] == ["end 0\n", "end 0\n"]
    parts = [read_plan(tmp_path / f"machine-{number}", study).folder for number in (1, 2)]
    results = [{path.relative_to(part) for path in part.glob("results/**/Scorelens*.json")} for part in parts]
    assert all(results) and not results[0] & results[1]
    merged = read_plan(tmp_path / "merged", study).folder
    for part in parts:
        shutil.copytree(part, merged, dirs_exist_ok=True)
    expect_same(scores(tmp_path / "merged", study), expected)
    described = json.loads((merged / "tasks.json").read_text())
    assert sorted(task["task_name"] for task in described) == sorted({run[1] for run in expected})


@pytest.mark.prove
def test_two_sweeps_and_builds_at_once_lose_nothing(tmp_path, study, undisturbed, without_mteb):
    settings, (expected, _) = Settings(tmp_path / "data"), undisturbed
    children = [start(settings.data, study, f"{number}/2") for number in (1, 2)]
    folder = read_plan(settings.data, study).folder
    (folder / "results").mkdir(parents=True, exist_ok=True)
    add_source(settings, folder, "few")
    seen = []
    while any(child.poll() is None for child in children):
        build(settings)
        seen.append(n_runs(settings))
        time.sleep(PAUSE)
    assert [child.communicate()[0] for child in children] == ["end 0\n", "end 0\n"]
    build(settings)
    expect_same(scores(settings.data, study), expected)
    assert n_runs(settings) == len(expected)
    assert seen == sorted(seen) and len(seen) > 1


def n_runs(settings) -> int:
    snapshot = open_snapshot(settings)
    try:
        assert broken_rules(snapshot) == []
        return int(snapshot.read("SELECT count(*) FROM runs").item())
    finally:
        snapshot.close()
