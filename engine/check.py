"""Proof that a snapshot holds what its files say: all files are read again into a store of their own."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from engine.content import broken_rules, content_hashes, row_counts
from engine.lock import engine_lock
from engine.pipeline import build
from engine.progress import Progress, silent
from engine.settings import Settings
from engine.sources import read_sources, source_problems, write_sources
from engine.store import Snapshot, open_snapshot


@dataclass(frozen=True)
class CheckReport:
    """What a check found."""

    snapshot_id: str
    problems: tuple[str, ...]
    """Broken rules of the schema, and tables that differ from the files; empty when all is well."""
    n_tables: int
    n_rows: int


def check_store(settings: Settings, progress: Progress = silent) -> CheckReport:
    """What the current snapshot breaks of its schema, and where it differs from its sources.

    Raises:
        SnapshotMissing: Nothing was published yet.
        Busy: Another engine process is writing.
    """
    with engine_lock(settings), tempfile.TemporaryDirectory(prefix="scorelens-check-") as folder:
        snapshot = open_snapshot(settings)
        problems = broken_rules(snapshot)
        out_of_reach = [
            f"{source.name}: {reason} Without it the store cannot be compared with its files."
            for source in read_sources(settings)
            for reason in source_problems(source).values()
        ]
        if out_of_reach:
            return _report(snapshot, [*problems, *out_of_reach])
        fresh = _built_from_nothing(settings, Path(folder), progress)
        progress("comparing", 0, 1)
        counts, fresh_counts = row_counts(snapshot), row_counts(fresh)
        hashes, fresh_hashes = content_hashes(snapshot), content_hashes(fresh)
        fresh.close()
    for name in counts:
        if counts[name] != fresh_counts[name]:
            problems.append(f"{name}: the store has {counts[name]:,} rows, the files give {fresh_counts[name]:,}")
        elif hashes[name] != fresh_hashes[name]:
            problems.append(f"{name}: as many rows as the files give, but other content")
    return _report(snapshot, problems)


def _report(snapshot: Snapshot, problems: list[str]) -> CheckReport:
    counts = row_counts(snapshot)
    return CheckReport(snapshot.snapshot_id, tuple(problems), len(counts), sum(counts.values()))


def _built_from_nothing(settings: Settings, folder: Path, progress: Progress) -> Snapshot:
    """The store that the same sources, prompt files, triplet sets, counts and metadata give in an empty data folder."""
    again = replace(settings, data=folder)
    again.results.mkdir()
    for shared in ("metadata", "prompts", "triplets", "results/triplets", "results/tokens"):
        if (settings.data / shared).exists():
            (again.data / shared).symlink_to((settings.data / shared).absolute())
    write_sources(again, read_sources(settings))
    build(again, progress)
    return open_snapshot(again)
