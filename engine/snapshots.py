"""The folder of published snapshots: which are there, which one is current, which stay.

Only names are handled here; what is inside a file belongs to `engine.store`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from engine.atomic import sync_folder, write_atomically
from engine.errors import UsageError
from engine.settings import Settings

KEPT = 3
"""Published snapshots that stay beside the pinned ones."""


@dataclass(frozen=True)
class PublishedFile:
    """One snapshot's file in the data folder."""

    snapshot_id: str
    path: Path
    is_current: bool
    is_pinned: bool

    @property
    def number(self) -> int:
        """Running number at the front of the id: later snapshots have higher ones."""
        return _number_of(self.snapshot_id)


def current_snapshot_id(settings: Settings) -> str | None:
    """The id that the pointer names; None where nothing was published yet."""
    try:
        return (settings.snapshots / "CURRENT").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None


def snapshot_path(settings: Settings, snapshot_id: str) -> Path:
    """Where a snapshot's file lies, or would lie."""
    return settings.snapshots / f"store-{snapshot_id}.duckdb"


def draft_path(settings: Settings, snapshot_id: str) -> Path:
    """Where a snapshot's file grows before it is published."""
    return settings.snapshots / f"building-{snapshot_id}.duckdb"


def published(settings: Settings) -> tuple[PublishedFile, ...]:
    """The snapshots in the data folder, oldest first."""
    current = current_snapshot_id(settings)
    files = []
    for path in settings.snapshots.glob("store-*.duckdb"):
        snapshot_id = path.stem.removeprefix("store-")
        pinned = path.with_suffix(".pin").exists()
        files.append(PublishedFile(snapshot_id, path, snapshot_id == current, pinned))
    return tuple(sorted(files, key=lambda file: file.number))


def pin_snapshot(settings: Settings, snapshot_id: str) -> None:
    """Keep a snapshot for good.

    Raises:
        UsageError: There is no such snapshot.
    """
    _published_named(settings, snapshot_id).path.with_suffix(".pin").touch()


def unpin_snapshot(settings: Settings, snapshot_id: str) -> None:
    """Let a snapshot go with the others when it is old.

    Raises:
        UsageError: There is no such snapshot.
    """
    _published_named(settings, snapshot_id).path.with_suffix(".pin").unlink(missing_ok=True)


def next_snapshot_id(settings: Settings) -> str:
    """A new id: a running number that sorts, and a random end, so that no name is ever used twice."""
    number = max((file.number for file in published(settings)), default=0) + 1
    return f"{number:04d}-{secrets.token_hex(2)}"


def publish_draft(settings: Settings, snapshot_id: str) -> None:
    """Give a finished draft its name, move the pointer to it, let old snapshots go."""
    draft_path(settings, snapshot_id).rename(snapshot_path(settings, snapshot_id))
    sync_folder(settings.snapshots)
    write_atomically(settings.snapshots / "CURRENT", f"{snapshot_id}\n")
    for file in published(settings)[:-KEPT]:
        if not file.is_pinned:
            file.path.unlink()


def clear_leftovers(settings: Settings) -> None:
    """Remove what a killed build left: unfinished files, and finished ones that the pointer never named."""
    unfinished = [
        settings.snapshots.glob("building-*"),
        settings.snapshots.glob("*.part"),
        settings.data.glob("*.part"),
    ]
    for path in chain.from_iterable(unfinished):
        path.unlink()
    current = current_snapshot_id(settings)
    for file in published(settings):
        if file.number > (_number_of(current) if current else 0) and not file.is_pinned:
            file.path.unlink()


def _number_of(snapshot_id: str) -> int:
    return int(snapshot_id.split("-")[0])


def _published_named(settings: Settings, snapshot_id: str) -> PublishedFile:
    files = {file.snapshot_id: file for file in published(settings)}
    if snapshot_id not in files:
        raise UsageError(f"No snapshot {snapshot_id!r}; there are: {', '.join(files) or 'none'}.")
    return files[snapshot_id]
