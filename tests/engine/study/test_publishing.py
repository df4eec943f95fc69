"""Results of a sweep under way come before readers by themselves, but not all the time."""

import pytest

from engine.errors import UsageError
from engine.settings import Settings
from engine.sources import add_source, read_sources
from engine.store import open_snapshot
from engine.study import publishing
from engine.study.publishing import Publisher, expect_free_name


class Build:
    """A build process that goes on until it is told to be over."""

    stdin = stdout = None
    code: int | None = None

    def poll(self):
        return self.code

    def wait(self, seconds=None):
        self.code = 0

    def terminate(self):
        self.code = 0


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(publishing.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def builds(monkeypatch) -> list[Build]:
    begun = []

    def start(*arguments, **options):
        begun.append(Build())
        return begun[-1]

    monkeypatch.setattr(publishing, "start_leashed", start)
    return begun


def test_builds_come_at_most_so_often_and_one_at_a_time(settings, tree, clock, builds):
    with Publisher(settings, "s", tree.folder, every_seconds=20) as publisher:
        publisher.note(1)
        assert builds == []
        clock[0] = 21
        publisher.note(1)
        publisher.note(2)
        clock[0] = 60
        publisher.note(3)
        assert len(builds) == 1, "the first one is still under way"
        builds[0].code = 0
        publisher.note(3)
        clock[0] = 200
        publisher.note(3)
        assert len(builds) == 1, "a build of 39 s is followed by 195 s without one"
        clock[0] = 256
        publisher.note(3)
        assert len(builds) == 2


def test_nothing_new_is_not_built(settings, tree, clock, builds):
    with Publisher(settings, "s", tree.folder, every_seconds=20) as publisher:
        clock[0] = 21
        publisher.note(0)
    assert builds == []


def test_build_under_way_ends_with_the_sweep(settings, tree, clock, builds):
    with Publisher(settings, "s", tree.folder, every_seconds=20) as publisher:
        clock[0] = 21
        publisher.note(1)
    assert builds[0].code == 0


def test_last_build_registers_and_publishes(settings, tree, without_mteb):
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    with Publisher(settings, "s", tree.folder) as publisher:
        built = publisher.finish(lambda *_: None)
    assert [source.name for source in read_sources(settings)] == ["s"]
    assert open_snapshot(settings).snapshot_id == built.snapshot_id


def test_machine_without_duckdb_builds_nothing(settings, tree, monkeypatch, clock, builds):
    monkeypatch.setattr(publishing, "can_build", lambda: False)
    with Publisher(settings, "s", tree.folder, every_seconds=20) as publisher:
        clock[0] = 21
        publisher.note(1)
        assert publisher.finish(lambda *_: None) is None
    assert builds == [] and not settings.snapshots.exists()


def test_sweep_without_results_builds_nothing(settings, tmp_path):
    with Publisher(settings, "s", tmp_path / "empty") as publisher:
        assert publisher.finish(lambda *_: None) is None


def test_name_of_another_source_is_refused(settings, tree, tmp_path):
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    add_source(settings, tree.folder, "s")
    expect_free_name(settings, "s", tree.folder)
    expect_free_name(settings, "other", tmp_path)
    with pytest.raises(UsageError, match="choose another"):
        expect_free_name(settings, "s", tmp_path)


def test_empty_data_folder_has_no_name_taken(tmp_path):
    expect_free_name(Settings(tmp_path), "s", tmp_path / "results")
