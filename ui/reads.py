"""The one window from the app to the engine, and the only place that caches.

A cache is keyed on the snapshot's id and small frozen questions, never on frames; what comes back is shared by all
visitors and must not be changed in place.
"""

from __future__ import annotations

import streamlit as st

from engine import settings as engine_settings
from engine import snapshots, store
from engine.errors import SnapshotMissing
from engine.settings import Settings
from engine.store import Snapshot
from ui import state


def settings() -> Settings:
    """The settings of this dashboard."""
    return engine_settings.from_environment()


def kept_snapshots() -> list[str]:
    """Ids of the snapshots that can be opened, newest first."""
    return [file.snapshot_id for file in reversed(snapshots.published(settings()))]


def shown_snapshot_id() -> str | None:
    """Id of the snapshot that this visitor looks at; None where nothing was published yet."""
    return state.pinned() or snapshots.current_snapshot_id(settings())


def snapshot() -> Snapshot:
    """The snapshot that this visitor looks at: the pinned one, or the newest; the pointer is read anew each time.

    Raises:
        SnapshotMissing: Nothing was published yet, or the pinned one is gone.
    """
    snapshot_id = shown_snapshot_id()
    try:
        # With nothing published, the store's own words say what to do.
        return _open(snapshot_id, settings()) if snapshot_id else store.open_snapshot(settings())
    except SnapshotMissing:
        # A builder may clean the file away between the look at the pointer and the opening.
        return store.open_snapshot(settings(), state.pinned())


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs={Settings: repr})
def _open(snapshot_id: str, where: Settings) -> Snapshot:
    return store.open_snapshot(where, snapshot_id)
