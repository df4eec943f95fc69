"""Drafts become snapshots, snapshots are read: nothing half-done is ever seen."""

import resource
import signal
import threading
from contextlib import contextmanager
from datetime import UTC

import polars as pl
import pytest

from engine import store
from engine.content import broken_rules, row_counts
from engine.errors import SnapshotMissing, StoreError, UsageError
from engine.schema import BENCHMARKS, FILES, MODELS, SOURCES, TABLES, TASKS, Table
from engine.snapshots import KEPT, clear_leftovers, pin_snapshot, published, unpin_snapshot
from engine.store import current_snapshot_id, drafting, open_snapshot


def rows_of(table: Table, *rows: dict) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=table.schema)


def publish(settings, n_tasks: int = 1) -> str:
    with drafting(settings) as draft:
        tasks = [{"task_name": f"T{i}", "described_by": "nobody"} for i in range(n_tasks)]
        draft.replace(TASKS, rows_of(TASKS, *tasks))
    return draft.snapshot_id


def test_published_snapshot_holds_what_the_draft_was_given(settings):
    given = rows_of(TASKS, {"task_name": "T", "described_by": "mteb", "domains": ["a", "b"], "languages": []})
    with drafting(settings) as draft:
        draft.append(TASKS, given)
    read = open_snapshot(settings).read("SELECT * FROM tasks")
    assert read.equals(given) and read.schema == TASKS.schema


def test_every_table_keeps_its_types_through_the_store(settings):
    with drafting(settings):
        pass
    snapshot = open_snapshot(settings)
    assert {t.name: snapshot.read(f"SELECT * FROM {t.name}").schema for t in TABLES} == {
        t.name: t.schema for t in TABLES
    }


def test_snapshot_signs_itself_in_utc(settings):
    snapshot_id = publish(settings)
    row = open_snapshot(settings).read("SELECT * FROM snapshot").row(0, named=True)
    assert row["snapshot_id"] == snapshot_id
    assert row["created_at"].utcoffset() == UTC.utcoffset(None)


def test_next_draft_starts_from_the_current_snapshot(settings):
    publish(settings, n_tasks=2)
    with drafting(settings) as draft:
        draft.append(TASKS, rows_of(TASKS, {"task_name": "new", "described_by": "nobody"}))
    assert row_counts(open_snapshot(settings))["tasks"] == 3


def test_draft_that_fails_publishes_nothing(settings):
    before = publish(settings)
    with pytest.raises(RuntimeError), drafting(settings) as draft:
        draft.delete(TASKS, "true")
        raise RuntimeError
    assert current_snapshot_id(settings) == before
    assert not list(settings.snapshots.glob("building-*"))
    assert row_counts(open_snapshot(settings))["tasks"] == 1


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"task_name": None, "described_by": "mteb"}, "missing"),
        ({"task_name": "T", "described_by": "hearsay"}, "hearsay"),
    ],
)
def test_append_refuses_rows_that_break_a_rule(settings, row, rule):
    with pytest.raises(StoreError, match=rule), drafting(settings) as draft:
        draft.append(TASKS, rows_of(TASKS, row))


def test_publish_refuses_a_key_repeated_over_two_appends(settings):
    row = {"model_name": "m", "described_by": "nobody"}
    with pytest.raises(StoreError, match="model_name repeated"), drafting(settings) as draft:
        draft.append(MODELS, rows_of(MODELS, row))
        draft.append(MODELS, rows_of(MODELS, row))
    assert current_snapshot_id(settings) is None


def test_publish_refuses_a_reference_to_a_deleted_row(settings):
    source = {"source_name": "s", "source_kind": "mteb cache", "path": "/s", "n_files": 0, "n_bytes": 0}
    file = {"source_name": "s", "path": "f", "n_bytes": 1, "modified_ns": 1, "content_hash": "0"}
    with drafting(settings) as draft:
        draft.append(SOURCES, rows_of(SOURCES, source))
        draft.append(FILES, rows_of(FILES, file))
    with pytest.raises(StoreError, match="point to nothing in sources"), drafting(settings) as draft:
        draft.delete(SOURCES, "source_name = ?", ["s"])


def test_open_without_any_snapshot_says_what_to_do(settings):
    with pytest.raises(SnapshotMissing, match="engine demo"):
        open_snapshot(settings)


@pytest.mark.parametrize("snapshot_id", ["0001-dead", "../../etc", "", "0001"])
def test_open_named_snapshot_that_is_not_there_lists_the_kept_ones(settings, snapshot_id):
    current = publish(settings)
    if not snapshot_id:
        assert open_snapshot(settings, snapshot_id).snapshot_id == current
        return
    with pytest.raises(SnapshotMissing, match=current):
        open_snapshot(settings, snapshot_id)


def test_open_follows_the_pointer_once_more_when_the_file_went_away(settings, monkeypatch):
    gone, kept = publish(settings), publish(settings)
    pointers = iter([gone, kept])
    store.snapshot_path(settings, gone).unlink()
    monkeypatch.setattr(store, "current_snapshot_id", lambda _: next(pointers))
    assert open_snapshot(settings).snapshot_id == kept


def test_old_snapshots_leave_but_pinned_ones_stay(settings):
    first = publish(settings)
    pin_snapshot(settings, first)
    later = [publish(settings) for _ in range(KEPT + 1)]
    assert [file.snapshot_id for file in published(settings)] == [first, *later[-KEPT:]]
    unpin_snapshot(settings, first)
    publish(settings)
    assert first not in [file.snapshot_id for file in published(settings)]


def test_pin_unknown_snapshot_is_a_usage_error(settings):
    with pytest.raises(UsageError, match="none"):
        pin_snapshot(settings, "0009-beef")


def test_open_reader_keeps_its_snapshot_after_it_was_removed(settings):
    publish(settings)
    reader = open_snapshot(settings)
    for n in range(KEPT + 1):
        publish(settings, n_tasks=n + 2)
    assert not reader.path.exists()
    assert reader.read("SELECT count(*) AS n FROM tasks").item() == 1


def test_snapshot_of_another_schema_is_refused_and_not_built_upon(settings, monkeypatch):
    publish(settings, n_tasks=2)
    monkeypatch.setattr(store, "SCHEMA_VERSION", store.SCHEMA_VERSION + 1)
    with pytest.raises(StoreError, match="engine build"):
        open_snapshot(settings)
    with drafting(settings):
        pass
    assert row_counts(open_snapshot(settings))["tasks"] == 0


def test_damaged_snapshot_is_refused_and_not_built_upon(settings):
    snapshot_id = publish(settings)
    store.snapshot_path(settings, snapshot_id).write_bytes(b"not a store" * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_snapshot(settings)
    assert publish(settings) != snapshot_id
    assert row_counts(open_snapshot(settings))["tasks"] == 1


def test_leftovers_of_a_killed_build_are_cleared(settings):
    current = publish(settings)
    for name in ("building-0002-aaaa.duckdb", "building-0002-aaaa.duckdb.wal", "store-0002-aaaa.duckdb"):
        (settings.snapshots / name).write_bytes(b"")
    clear_leftovers(settings)
    assert sorted(path.name for path in settings.snapshots.iterdir()) == ["CURRENT", f"store-{current}.duckdb"]


def test_typed_query_is_limited(settings):
    publish(settings, n_tasks=9)
    assert len(open_snapshot(settings).answer("SELECT * FROM tasks", limit=4)) == 4


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY tasks TO '/tmp/tasks.csv'",
        "ATTACH '/tmp/other.duckdb'",
        "SET enable_external_access = true",
        "DELETE FROM tasks",
        "DROP TABLE tasks",
        "INSTALL httpfs",
        "SELEKT",
        "SELECT * FROM settings",
    ],
)
def test_typed_query_reaches_no_file_and_writes_nothing(settings, sql):
    publish(settings)
    with pytest.raises(UsageError, match="does not run"):
        open_snapshot(settings).answer(sql, limit=10)
    assert row_counts(open_snapshot(settings))["tasks"] == 1


def test_threads_read_the_right_rows(settings):
    with drafting(settings) as draft:
        rows = [{"benchmark_name": f"B{i}", "display_name": str(i)} for i in range(200)]
        draft.append(BENCHMARKS, rows_of(BENCHMARKS, *rows))
    snapshot = open_snapshot(settings)
    wrong: list[int] = []

    def look(start: int) -> None:
        for i in range(start, 200, 4):
            sql = "SELECT display_name FROM benchmarks WHERE benchmark_name = ?"
            if snapshot.read(sql, [f"B{i}"]).item() != str(i):
                wrong.append(i)

    threads = [threading.Thread(target=look, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_named_parameters_reach_the_query(settings):
    publish(settings, n_tasks=3)
    found = open_snapshot(settings).read("SELECT task_name FROM tasks WHERE task_name = $name", {"name": "T2"})
    assert found.item() == "T2"


def test_rules_hold_in_an_empty_store(settings):
    with drafting(settings):
        pass
    assert broken_rules(open_snapshot(settings)) == []


@contextmanager
def small_disk():
    """No file of this process may grow beyond a few bytes, as if the disk were full.

    No fixture: the limit must be lifted before pytest writes its own report, which may go to a file.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_full_disk_publishes_nothing_and_says_so(settings):
    with small_disk(), pytest.raises(StoreError, match="Nothing was published"), drafting(settings) as draft:
        rows = [{"task_name": f"T{i}", "description": str(i) * 100, "described_by": "nobody"} for i in range(5000)]
        draft.append(TASKS, rows_of(TASKS, *rows))
    assert current_snapshot_id(settings) is None
    assert not list(settings.snapshots.iterdir())
