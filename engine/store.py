"""The only door to DuckDB: drafts that become snapshots, and snapshots that are read.

A published snapshot is one file that never changes. A build copies the current one, changes the
copy, and moves the pointer `CURRENT`; whoever reads keeps reading the old file, and nobody ever meets
a lock. A process killed at any moment leaves a file that no pointer names; the next build clears it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from engine import __version__, snapshots
from engine.atomic import sync_file
from engine.content import broken_rules, content_hashes
from engine.errors import SnapshotMissing, StoreError, UsageError
from engine.lock import engine_lock
from engine.schema import SCHEMA_VERSION, SNAPSHOT, TABLES, Table, problems_in
from engine.schema.sql import create_statement
from engine.settings import Settings
from engine.snapshots import current_snapshot_id, published, snapshot_path

__all__ = ["Draft", "Snapshot", "content_hashes", "current_snapshot_id", "drafting", "open_snapshot"]

Parameters = Sequence[object] | Mapping[str, object]


@dataclass(frozen=True)
class Snapshot:
    """One published store, read-only; several threads may read from it at once."""

    snapshot_id: str
    path: Path
    connection: duckdb.DuckDBPyConnection = field(repr=False, compare=False)

    def read(self, sql: str, parameters: Parameters = ()) -> pl.DataFrame:
        """The rows that a query returns."""
        # A cursor a call: one connection shared by threads gives wrong answers.
        return _read(self.connection.cursor(), sql, parameters)

    def answer(self, sql: str, limit: int) -> pl.DataFrame:
        """At most `limit` rows of a query that somebody typed.

        Raises:
            UsageError: It is not one query, is not valid, wants to write or to reach a file, or returns values that
                no frame can hold.
        """
        expected = "expected one SELECT over the tables of the store; `SHOW TABLES` lists them."
        try:
            statements = self.connection.extract_statements(sql)
            if len(statements) != 1:
                raise UsageError(f"There are {len(statements)} queries in {sql!r}; {expected}")
            return _read(self.connection.cursor(), sql, (), limit)
        except duckdb.Error as error:
            raise UsageError(f"This query does not run: {error}; {expected}") from error
        except pl.exceptions.PolarsError as error:
            raise UsageError(f"{error}; expected plain values. CAST others to VARCHAR.") from error

    def close(self) -> None:
        """Let the file go."""
        self.connection.close()


@dataclass
class Draft:
    """The writable copy while a snapshot is built."""

    snapshot_id: str
    connection: duckdb.DuckDBPyConnection
    mteb_version: str | None = None
    """Version of mteb that the metadata in this draft came from."""
    changed: set[str] = field(default_factory=set)

    def read(self, sql: str, parameters: Parameters = ()) -> pl.DataFrame:
        """The rows that a query returns, changes of this draft included."""
        return _read(self.connection, sql, parameters)

    def keep(self, name: str, sql: str) -> None:
        """Keep the rows of a query under a name for as long as the draft is open; they are not published."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")

    def append(self, table: Table, frame: pl.DataFrame) -> None:
        """Add rows.

        Raises:
            StoreError: The frame breaks a rule of the table.
        """
        problems = problems_in(frame, table)
        if problems:
            raise StoreError("; ".join(problems) + ". Nothing was published.")
        if frame.is_empty():
            return
        self.changed.add(table.name)
        self.connection.register("incoming", frame)
        self.connection.execute(f"INSERT INTO {table.name} SELECT * FROM incoming")
        self.connection.unregister("incoming")

    def replace(self, table: Table, frame: pl.DataFrame) -> None:
        """Put these rows in place of all that the table holds."""
        self.delete(table, "true")
        self.append(table, frame)

    def sort(self, table: Table) -> None:
        """Order a table's rows by its key, so that rows of one key lie together in the file."""
        self.connection.execute(f"CREATE TEMP TABLE sorted AS FROM {table.name} ORDER BY {', '.join(table.key)}")
        self.connection.execute(f"DELETE FROM {table.name}")
        self.connection.execute(f"INSERT INTO {table.name} FROM sorted")
        self.connection.execute("DROP TABLE sorted")

    def delete(self, table: Table, condition: str, parameters: Parameters = ()) -> None:
        """Remove the rows for which an SQL condition holds."""
        self.changed.add(table.name)
        self.connection.execute(f"DELETE FROM {table.name} WHERE {condition}", parameters)


def open_snapshot(settings: Settings, snapshot_id: str | None = None) -> Snapshot:
    """A snapshot to read from: the named one, or the current one.

    Raises:
        SnapshotMissing: Nothing was published yet, or the named one is gone.
        StoreError: The file is damaged, or another version of the schema wrote it.
    """
    path = _find_file(settings, snapshot_id)
    snapshot = Snapshot(path.stem.removeprefix("store-"), path, _connect_for_reading(path))
    version = _schema_version(snapshot)
    if version != SCHEMA_VERSION:
        snapshot.close()
        raise StoreError(
            f"Snapshot {snapshot.snapshot_id} has schema {version}; expected {SCHEMA_VERSION}. "
            "Run `python -m engine build`: it reads the sources again."
        )
    return snapshot


def open_usable_snapshot(settings: Settings) -> Snapshot | None:
    """The current snapshot where a build can start from it; None where it must start from nothing.

    Another version of Scorelens may read files differently, so its snapshot is no start either.
    """
    try:
        snapshot = open_snapshot(settings)
    except StoreError:
        return None
    return snapshot if snapshot.read("SELECT scorelens_version FROM snapshot").item() == __version__ else None


@contextmanager
def drafting(settings: Settings) -> Iterator[Draft]:
    """A draft that starts as the current snapshot and is published when the block ends well.

    A snapshot of another schema version, or a damaged one, is not built upon: the draft is empty then.

    Raises:
        Busy: Another engine process is writing.
        StoreError: The draft breaks a rule of the schema; nothing is published.
    """
    with engine_lock(settings):
        settings.snapshots.mkdir(parents=True, exist_ok=True)
        snapshots.clear_leftovers(settings)
        snapshot_id = snapshots.next_snapshot_id(settings)
        path = snapshots.draft_path(settings, snapshot_id)
        try:
            with _write_errors_told(settings):
                draft = _start_draft(settings, snapshot_id, path)
            try:
                yield draft
                _seal(draft)
            except duckdb.Error as error:
                raise StoreError(_NOT_WRITTEN.format(settings.snapshots, error)) from error
            finally:
                draft.connection.close()
            with _write_errors_told(settings):
                sync_file(path)
                snapshots.publish_draft(settings, snapshot_id)
        finally:
            for leftover in settings.snapshots.glob(f"{path.name}*"):
                leftover.unlink()


_NOT_WRITTEN = (
    "No snapshot could be written to {}: {}. Nothing was published, the one from before stays. "
    "Expected a folder that can be written, with space for a second copy of the store."
)


@contextmanager
def _write_errors_told(settings: Settings) -> Iterator[None]:
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise StoreError(_NOT_WRITTEN.format(settings.snapshots, error)) from error


def _read(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters, limit: int | None = None
) -> pl.DataFrame:
    relation: duckdb.DuckDBPyRelation | None = connection.sql(sql, params=parameters or None)
    if relation is None:
        return pl.DataFrame()
    rows: pl.DataFrame = (relation if limit is None else relation.limit(limit)).pl()
    return rows


def _find_file(settings: Settings, snapshot_id: str | None) -> Path:
    """The snapshot's file; the pointer is read once more where the file went away in between."""
    wanted = snapshot_id
    for _ in range(2):
        wanted = snapshot_id or current_snapshot_id(settings)
        if wanted is None:
            raise SnapshotMissing(
                f"No snapshot in {settings.snapshots}; expected one. "
                "Run `python -m engine demo`, or `engine add PATH --name NAME` and `engine build`."
            )
        path = snapshot_path(settings, wanted)
        if path.parent == settings.snapshots and path.exists():
            return path
    kept = ", ".join(file.snapshot_id for file in published(settings)) or "none"
    raise SnapshotMissing(f"Snapshot {wanted!r} is gone; kept are: {kept}. Name none to see the newest.")


def _connect_for_reading(path: Path) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "python_enable_replacements": "false",
        "temp_directory": "",
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=config)
    except duckdb.Error as error:
        raise StoreError(
            f"{path} cannot be opened: {error}. Run `python -m engine build`: it reads the sources again."
        ) from error
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def _schema_version(snapshot: Snapshot) -> int | None:
    try:
        return int(snapshot.read("SELECT schema_version FROM snapshot").item())
    except (duckdb.Error, ValueError):
        return None


def _start_draft(settings: Settings, snapshot_id: str, path: Path) -> Draft:
    base = open_usable_snapshot(settings)
    if base:
        mteb_version = base.read("SELECT mteb_version FROM snapshot").item()
        base.close()
        shutil.copyfile(base.path, path)
        return Draft(snapshot_id, _connect_for_writing(path), mteb_version)
    connection = _connect_for_writing(path)
    for table in TABLES:
        connection.execute(create_statement(table))
    return Draft(snapshot_id, connection)


def _connect_for_writing(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(path), config={"python_enable_replacements": "false"})
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def _seal(draft: Draft) -> None:
    """Sign the draft, check its changed tables and those that point into them, finish the file."""
    signature = {
        "schema_version": SCHEMA_VERSION,
        "snapshot_id": draft.snapshot_id,
        "created_at": datetime.now(UTC),
        "scorelens_version": __version__,
        "mteb_version": draft.mteb_version,
    }
    draft.replace(SNAPSHOT, pl.DataFrame([signature], schema=SNAPSHOT.schema))
    concerned = [
        table
        for table in TABLES
        if table.name in draft.changed or any(target in draft.changed for _, target in table.references)
    ]
    problems = broken_rules(draft, concerned)
    if problems:
        raise StoreError("; ".join(problems) + ". Nothing was published; please report this fault of Scorelens.")
    draft.connection.execute("CHECKPOINT")
