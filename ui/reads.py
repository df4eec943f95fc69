"""The one window from the app to the engine, and the only place that caches.

A cache is keyed on the snapshot's id and small frozen questions, never on frames; what comes back is shared by all
visitors and must not be changed in place. An argument that begins with `_` takes no part in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import polars as pl
import streamlit as st

from engine import fetch, inbox, lock, snapshots, store
from engine import settings as engine_settings
from engine.analysis.best_prompts import best_prompts as best_of_cells
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_freedom import PromptFreedom
from engine.analysis.prompt_records import PromptRecords
from engine.analysis.readings import Readings, read_every_way
from engine.answers import leaderboard as leaderboards
from engine.answers import leaderboard_boards as boards
from engine.answers import methods
from engine.answers import overview as overviews
from engine.answers import prompt_distributions as prompts
from engine.answers.leaderboard import LeaderboardOptions, LeaderboardQuestion
from engine.answers.leaderboard_boards import Board
from engine.answers.methods import Provenance
from engine.answers.overview import Overview
from engine.answers.prompt_distributions import PromptOptions, PromptQuestion
from engine.answers.prompt_records import read_prompt_cells
from engine.answers.real_board import published_sources, real_board
from engine.errors import SnapshotMissing
from engine.inbox import Request as Request
from engine.inbox import RequestKind
from engine.settings import Settings
from engine.store import Snapshot
from ui import state

Answer = TypeVar("Answer")
_BY_WORDS: dict[str | type[Any], Callable[[Any], Any]] = {
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


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=_BY_WORDS)
def _open(snapshot_id: str, where: Settings) -> Snapshot:
    return store.open_snapshot(where, snapshot_id)


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


def prompt_sources() -> list[str]:
    """Names of the sources that hold prompt experiments, the largest first."""
    here = snapshot()
    return _prompt_sources(here.snapshot_id, here)


@st.cache_data(max_entries=8, show_spinner=False)
def _prompt_sources(snapshot_id: str, _snapshot: Snapshot) -> list[str]:
    sizes = read_prompt_cells(_snapshot).group_by("source_name").len()
    return sizes.sort("len", "source_name", descending=[True, False])["source_name"].to_list()


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


def prompt_readings(question: PromptQuestion) -> Readings:
    """In how many admissible readings each call of a question's answer holds."""
    here = snapshot()
    return _prompt_readings(here.snapshot_id, question, here)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_BY_WORDS)
def _prompt_readings(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> Readings:
    return read_every_way(_prompt_distributions(snapshot_id, question, _snapshot))


def best_prompts(question: PromptQuestion) -> pl.DataFrame:
    """The best prompt of each cell of a question's answer, and what it gains."""
    here = snapshot()
    return _best_prompts(here.snapshot_id, question, here)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_BY_WORDS)
def _best_prompts(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> pl.DataFrame:
    return best_of_cells(_prompt_distributions(snapshot_id, question, _snapshot))


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=_BY_WORDS)
def _answered(snapshot_id: str, what: str, about: object, _answer: Callable[[], Any]) -> Any:
    """What a function answers, kept under its name, the snapshot and what it was asked."""
    return _answer()


def answered(name: str, about: object, answer: Callable[[Snapshot], Answer]) -> Answer:
    """What a function of the snapshot answers, computed once per snapshot, name and question."""
    here = snapshot()
    found: Answer = _answered(here.snapshot_id, name, about, lambda: answer(here))
    return found


def leaderboard_sources() -> tuple[str, ...]:
    """Names of the sources that hold a leaderboard, those with prompt experiments first."""
    return answered("sources", "", leaderboards.sources)


def leaderboard_options(source: str) -> LeaderboardOptions:
    """What a source that holds a leaderboard offers to choose from."""
    here = snapshot()
    found: LeaderboardOptions = _answered(
        here.snapshot_id, "options", source, lambda: leaderboards.options(here, source)
    )
    return found


def published_boards(source: str) -> dict[str, tuple[str, ...]]:
    """Sources of published results beside the given one, and the benchmarks that each covers."""
    here = snapshot()
    found: dict[str, tuple[str, ...]] = _answered(
        here.snapshot_id, "published boards", source, lambda: published_sources(here, source)
    )
    return found


def model_names() -> list[str]:
    """All models with a run, in the order that colours follow."""
    here = snapshot()
    names = "SELECT DISTINCT model_name FROM runs ORDER BY 1"
    found: list[str] = _answered(here.snapshot_id, "models", "", lambda: here.read(names)["model_name"].to_list())
    return found


def board(question: LeaderboardQuestion) -> Board:
    """The scores that a question about a leaderboard ranks; its settings are those of the reading alone.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here, reading = snapshot(), question.reading

    def read() -> Board:
        if not leaderboard_options(reading.source).has_prompts:
            return boards.answer(here, reading)
        return boards.study_board(here, reading, prompt_distributions(reading.prompt_question))

    found: Board = _answered(here.snapshot_id, "board", reading, read)
    return found


def leaderboard(view: Callable[[Board, LeaderboardQuestion], Answer], question: LeaderboardQuestion) -> Answer:
    """What a function of `engine.answers.leaderboard_views` answers, computed once per snapshot and question.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here = snapshot()
    found: Answer = _answered(here.snapshot_id, view.__name__, question, lambda: view(board(question), question))
    return found


def prompt_freedom(question: LeaderboardQuestion) -> PromptFreedom:
    """The range of ranks of the question's target on a published leaderboard.

    Raises:
        UsageError: There is no such board, or the target is not on it.
    """
    return answered("prompt freedom", question, lambda here: real_board(here, question))


def offer(what: str, *, full: bool) -> fetch.Offer:
    """What can be fetched under a name, with its size and time."""
    return fetch.offer_named(what, full=full)


def requests() -> tuple[Request, ...]:
    """What was asked of the engine, oldest first, and how far each is."""
    return inbox.read_requests(settings())


def ask(kind: str, options: Mapping[str, str]) -> None:
    """Asks the engine for something; an equal open request is not made twice.

    Raises:
        UsageError: This dashboard is read-only.
    """
    inbox.ask(settings(), RequestKind(kind), options)


def why_nothing_can_be_asked() -> str:
    """Why buttons are off: read-only, or nobody is there to answer; empty = they are on."""
    if settings().readonly:
        return "This dashboard is read-only: run the command where the data lies."
    if not lock.is_held(settings(), "worker"):
        return "No engine process serves this data folder: run the command, or start all with “make run”."
    return ""
