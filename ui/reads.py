"""The one window from the app to the engine, and the only place that caches.

A cache is keyed on the snapshot's id and small frozen questions, never on frames; what comes back is shared by all
visitors and must not be changed in place. An argument that begins with `_` takes no part in the key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import streamlit as st

from engine import settings as engine_settings
from engine import snapshots, store
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_records import PromptRecords
from engine.answers import prompt_distributions as prompts
from engine.answers.prompt_distributions import PromptOptions, PromptQuestion
from engine.answers.prompt_records import read_prompt_cells
from engine.errors import SnapshotMissing
from engine.settings import Settings
from engine.store import Snapshot
from ui import state

_BY_WORDS: dict[str | type[Any], Callable[[Any], Any]] = {Settings: repr, PromptQuestion: repr}
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


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=_BY_WORDS)
def _open(snapshot_id: str, where: Settings) -> Snapshot:
    return store.open_snapshot(where, snapshot_id)


def prompt_sources() -> list[str]:
    """Names of the sources that hold prompt experiments."""
    here = snapshot()
    return _prompt_sources(here.snapshot_id, here)


@st.cache_data(max_entries=8, show_spinner=False)
def _prompt_sources(snapshot_id: str, _snapshot: Snapshot) -> list[str]:
    return read_prompt_cells(_snapshot)["source_name"].unique().sort().to_list()


def prompt_options(source: str) -> PromptOptions:
    """What a source with prompt experiments offers to choose from."""
    here = snapshot()
    return _prompt_options(here.snapshot_id, source, here)


@st.cache_data(max_entries=32, show_spinner=False)
def _prompt_options(snapshot_id: str, source: str, _snapshot: Snapshot) -> PromptOptions:
    return prompts.options(_snapshot, source)


def prompt_distributions(question: PromptQuestion) -> PromptDistributions:
    """The distributions that a question asks for.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here = snapshot()
    return _prompt_distributions(here.snapshot_id, question, here)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_WORDS)
def _prompt_distributions(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> PromptDistributions:
    records = _prompt_records(snapshot_id, _only_records(question), _snapshot)
    return prompts.answer_from(records, _snapshot, question)


def chosen_prompts(question: PromptQuestion) -> pl.DataFrame:
    """The prompts that a question selects, one row per prompt and task."""
    here = snapshot()
    return prompts.chosen_prompts(_prompt_records(here.snapshot_id, _only_records(question), here), question)


def _only_records(question: PromptQuestion) -> PromptQuestion:
    """The part of a question that its records depend on: questions that differ elsewhere share them."""
    return PromptQuestion(
        source=question.source,
        tasks=question.tasks,
        exclude_tasks=question.exclude_tasks,
        published=question.published,
    )


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_WORDS)
def _prompt_records(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> PromptRecords:
    return prompts.read(_snapshot, question)
