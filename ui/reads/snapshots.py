"""The snapshot that a visitor looks at, and answers about it that are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from engine import settings as engine_settings
from engine import snapshots, store
from engine.answers import methods
from engine.answers import overview as overviews
from engine.answers.leaderboard import LeaderboardQuestion
from engine.answers.methods import Provenance
from engine.answers.overview import Overview
from engine.answers.prompt_distributions import PromptQuestion
from engine.errors import SnapshotMissing
from engine.settings import Settings
from engine.store import Snapshot
from ui import state

Answer = TypeVar("Answer")
BY_WORDS: dict[str | type[Any], Callable[[Any], Any]] = {
    Settings: repr,
    PromptQuestion: repr,
    LeaderboardQuestion: repr,
}
"""How arguments are told apart: their words say all that they are."""


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


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_WORDS)
def _open(snapshot_id: str, where: Settings) -> Snapshot:
    return store.open_snapshot(where, snapshot_id)


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=BY_WORDS)
def kept(snapshot_id: str, what: str, about: object, _answer: Callable[[], Any]) -> Any:
    """What a function answers, kept under its name, the snapshot and what it was asked."""
    return _answer()


def answered(name: str, about: object, answer: Callable[[Snapshot], Answer]) -> Answer:
    """What a function of the snapshot answers, computed once per snapshot, name and question."""
    here = snapshot()
    found: Answer = kept(here.snapshot_id, name, about, lambda: answer(here))
    return found


def overview() -> Overview:
    """What the snapshot holds."""
    here = snapshot()
    return _overview(here.snapshot_id, here)


@st.cache_resource(max_entries=4, show_spinner=False)
def _overview(snapshot_id: str, _snapshot: Snapshot) -> Overview:
    return overviews.answer(_snapshot)


def provenance() -> Provenance:
    """What went into the snapshot."""
    here = snapshot()
    return _provenance(here.snapshot_id, here)


@st.cache_resource(max_entries=4, show_spinner=False)
def _provenance(snapshot_id: str, _snapshot: Snapshot) -> Provenance:
    return methods.answer(_snapshot)


def model_names() -> list[str]:
    """All models with a run, in the order that colours follow."""
    here = snapshot()
    names = "SELECT DISTINCT model_name FROM runs ORDER BY 1"
    found: list[str] = kept(here.snapshot_id, "models", "", lambda: here.read(names)["model_name"].to_list())
    return found
