"""kill -9 at any moment: the snapshot opens, and the next build ends with the content that the files say."""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.content import broken_rules, content_hashes
from engine.pipeline import build
from engine.settings import PROJECT, Settings
from engine.snapshots import KEPT, published
from engine.sources import add_source
from engine.store import open_snapshot
from tests.engine.trees import Tree, forget_mteb
from tests.prove.scale import scaled

KILLS = scaled(3, 30)
SEED = 20260101
MODELS, TASKS, SUBSETS = scaled(4, 12), scaled(4, 10), 40


def write_state(tree: Tree, state: str) -> None:
    """All files of the tree in one of two states that share most of their files."""
    for model in range(MODELS):
        for task in range(TASKS):
            changes = (model + task) % 3 == 0
            score = 0.5 + 0.001 * model + (0.1 if changes and state == "b" else 0.0)
            tree.run(f"org/m{model}", f"T{task}", {("test", f"s{number}"): score for number in range(SUBSETS)})
    extra = tree.folder / "results" / "org__only-in-b"
    if state == "b":
        tree.run("org/only-in-b", "T0", {("test", "s0"): 0.1})
    else:
        shutil.rmtree(extra, ignore_errors=True)


def hashes(settings: Settings) -> dict[str, str]:
    snapshot = open_snapshot(settings)
    assert broken_rules(snapshot) == []
    found = content_hashes(snapshot)
    snapshot.close()
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, dict[str, str]]:
    """Content hashes of both states, built from nothing."""
    found = {}
    for state in "ab":
        folder = tmp_path_factory.mktemp(f"state-{state}")
        tree, settings = Tree(folder / "tree"), Settings(folder / "data")
        write_state(tree, state)
        add_source(settings, tree.folder, "made-up")
        with pytest.MonkeyPatch.context() as patch:
            forget_mteb(patch)
            build(settings)
        found[state] = hashes(settings)
    return found


@pytest.fixture
def filled(settings, tree, without_mteb) -> Settings:
    """A store in state a."""
    write_state(tree, "a")
    add_source(settings, tree.folder, "made-up")
    build(settings)
    return settings


def start_build(data: Path, victim: str = "") -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.prove.builder", str(data), *([victim] if victim else [])]
    child = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begin\n"
    return child


def expect_recovery(settings: Settings, expected: dict, state: str) -> None:
    assert hashes(settings) in expected.values()
    build(settings)
    assert hashes(settings) == expected[state]
    assert not list(settings.snapshots.glob("building-*")) and not list(settings.snapshots.glob("*.part"))
    assert len(published(settings)) <= KEPT


def test_incremental_builds_reach_what_builds_from_nothing_reach(filled, tree, expected):
    assert expected["a"] != expected["b"]
    for state in "bab":
        write_state(tree, state)
        build(filled)
        assert hashes(filled) == expected[state]


@pytest.mark.parametrize(
    "victim",
    [
        "engine.pipeline.fill_draft",
        "engine.pipeline.harvest_source",
        "engine.intake.Intake.sort_scores",
        "engine.store._seal",
        "engine.store.sync_file",
        "engine.snapshots.publish_draft",
        "engine.snapshots.sync_folder",
        "engine.snapshots.write_atomically",
        "engine.snapshots.published",
    ],
)
def test_store_recovers_from_a_kill_at_each_step(filled, tree, expected, victim):
    write_state(tree, "b")
    child = start_build(filled.data, victim)
    child.communicate(timeout=60)
    assert child.returncode == -9
    expect_recovery(filled, expected, "b")


@pytest.mark.prove
@pytest.mark.timeout(KILLS * 20 + 60)
def test_store_recovers_from_kills_at_random_moments(filled, tree, expected):
    chance = random.Random(SEED)
    write_state(tree, "b")
    child = start_build(filled.data)
    started = time.monotonic()
    child.communicate(timeout=120)
    lasts = time.monotonic() - started
    unfinished = 0
    for kill in range(KILLS):
        state = "ab"[kill % 2]
        write_state(tree, state)
        child = start_build(filled.data)
        time.sleep(chance.uniform(0, lasts))
        child.kill()
        said, _ = child.communicate(timeout=60)
        unfinished += "end" not in said
        expect_recovery(filled, expected, state)
    assert unfinished > 0
    sys.stdout.write(f"{KILLS} kills within {lasts:.2f} s of a build's begin, {unfinished} before its end\n")
