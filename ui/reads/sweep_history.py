"""The sweeps there are: those that pages asked for, and those that a terminal runs; how each stands, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import streamlit as st

from engine import inbox
from engine.analysis.prompt_sets import PromptLimit
from engine.answers.prompt_distributions import PromptQuestion
from engine.errors import EngineError
from engine.inbox import OPEN_STATES, Request, RequestKind, RequestState
from engine.study.board import Board, from_json
from engine.study.file import make_study
from engine.study.standing import Standing, board_files, read_standing
from ui.formats import moment
from ui.reads.prompts import prompt_limit, prompt_sources
from ui.reads.snapshots import settings, shown_snapshot_id


@dataclass(frozen=True)
class Sweep:
    """One sweep, and how far it is."""

    sweep_id: str
    """of its request, or of its file"""
    study: Mapping[str, Any]
    begun_at: str
    state: RequestState
    stage: str = ""
    message: str = ""
    is_from_terminal: bool = False
    is_stopping: bool = False
    """somebody asked for it to be dropped"""

    @property
    def name(self) -> str:
        """What its study is called."""
        return str(self.study.get("name", "sweep"))

    @property
    def title(self) -> str:
        """Its name and when it was begun: what stays the same however far it is."""
        return f"{self.name}, {self.begun}"

    @property
    def begun(self) -> str:
        """When it was asked for, to the second."""
        try:
            when = datetime.fromisoformat(self.begun_at)
        except ValueError:
            return "at an unknown time"
        return moment(when).replace(" UTC", f":{when:%S} UTC")

    @property
    def is_open(self) -> bool:
        """It waits or runs."""
        return self.state in OPEN_STATES


def sweeps() -> list[Sweep]:
    """All sweeps, newest first."""
    asked = [_of_request(each) for each in inbox.read_requests(settings()) if each.kind is RequestKind.SWEEP]
    standings = [(path, _standing(path)) for path in board_files(settings())]
    others = [_of_terminal(path, standing) for path, standing in standings if standing]
    return sorted([*asked, *others], key=lambda sweep: (sweep.begun_at, sweep.sweep_id), reverse=True)


def _of_request(request: Request) -> Sweep:
    status, study = request.status, request.options.get("study")
    return Sweep(
        request.request_id, study if isinstance(study, dict) else {}, request.asked_at, status.state, status.stage,
        status.message, is_stopping=inbox.is_cancelled(settings(), request.request_id),
    )  # fmt: skip


def _of_terminal(path: Path, standing: Standing) -> Sweep:
    return Sweep(
        str(path.relative_to(settings().results)), standing.study, standing.begun_at, standing.state,
        message=standing.message, is_from_terminal=True,
    )  # fmt: skip


def board_of(sweep: Sweep) -> Board | None:
    """How a sweep stands, cell by cell; None before it has begun."""
    if sweep.is_from_terminal:
        standing = _standing(settings().results / sweep.sweep_id)
        return standing.board if standing else None
    if sweep.is_open:
        return _answered_board(sweep.sweep_id)
    return _kept_board(str(settings().requests), sweep.sweep_id)


def _answered_board(request_id: str) -> Board | None:
    return from_json(inbox.read_answer(settings(), request_id), Board)


@st.cache_resource(max_entries=256, show_spinner=False)
def _kept_board(folder: str, request_id: str) -> Board | None:
    """The board of a sweep that is over: it changes no more."""
    return _answered_board(request_id)


def _standing(path: Path) -> Standing | None:
    try:
        changed = path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    standing = _kept_standing(str(path), changed)
    # Whether it still runs is a matter of time, not of what the file says.
    return read_standing(path) if standing and standing.state is RequestState.RUNNING else standing


@st.cache_resource(max_entries=256, show_spinner=False)
def _kept_standing(path: str, changed: int) -> Standing | None:
    return read_standing(Path(path))


def published_source(sweep: Sweep) -> str:
    """The source of a sweep, where the shown snapshot holds runs of it under prompts; else empty."""
    try:
        source = make_study(sweep.study).source_name
        return source if shown_snapshot_id() is not None and source in prompt_sources() else ""
    except EngineError:
        # No study, or a snapshot that cannot be read: the pages that show it say so.
        return ""


def limit_of(sweep: Sweep) -> PromptLimit | None:
    """The model that limits which prompts are shared in a sweep's source, as far as it was published."""
    source = published_source(sweep)
    return prompt_limit(PromptQuestion(source=source)) if source else None


def cancel(sweep: Sweep) -> None:
    """Asks for a sweep to be dropped.

    Raises:
        UsageError: This dashboard is read-only.
    """
    inbox.cancel(settings(), sweep.sweep_id)


def repeat(sweep: Sweep) -> None:
    """Asks for the same study once more: what failed and what is missing is tried, nothing else.

    Raises:
        UsageError: This dashboard is read-only.
    """
    if sweep.is_from_terminal:
        inbox.ask(settings(), RequestKind.SWEEP, {"study": dict(sweep.study)})
    else:
        inbox.retry(settings(), sweep.sweep_id)
