"""The sweeps there are: one sentence, those under way and the newest one in full, any earlier one on demand.

All of it keeps itself up to date, so that a sweep that somebody else started appears, without the page around it
being drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.study.board import Board
from ui import blocks, reads, state
from ui.formats import count, counted, of, percent, seconds
from ui.reads import sweep_history as history
from ui.reads.sweep_history import Sweep
from ui.sweep_one import show_refusal, show_sweep

WATCH_EVERY_SECONDS = 2.0
OPEN_SHOWN = 3


def show_sweeps() -> None:
    """Draws how the sweeps stand; while the page is open it looks every two seconds."""
    st.fragment(_show_sweeps, run_every=WATCH_EVERY_SECONDS)()


def _show_sweeps() -> None:
    sweeps = history.sweeps()
    blocks.show_finding(*_finding(sweeps))
    if obstacle := reads.why_nothing_can_be_asked():
        blocks.show_note(obstacle)
    show_refusal()
    running = [sweep for sweep in sweeps if sweep.is_open]
    shown = [*running[:OPEN_SHOWN], *(sweep for sweep in sweeps[:1] if not sweep.is_open)]
    for sweep in shown:
        show_sweep(sweep)
    if len(running) > OPEN_SHOWN:
        blocks.show_text(f"{counted(len(running) - OPEN_SHOWN, 'further sweep')} wait their turn.")
    _show_earlier([sweep for sweep in sweeps if sweep not in shown])
    _show_provenance()


def _finding(sweeps: Sequence[Sweep]) -> blocks.Sentence:
    """The sentence that says how the newest sweep stands."""
    if not sweeps:
        return (
            "No sweep was asked for here yet. Choose models, tasks and prompts below, look at the preview, and start.",
        )
    newest = sweeps[0]
    name, board = blocks.Quoted(newest.name), history.board_of(newest)
    if board is None:
        words = {
            "waiting": "waits to be begun", "running": "is looking up its models, tasks and prompts",
            "failed": "could not be run", "cancelled": "was stopped before it began", "done": "is done",
        }  # fmt: skip
        return ("Sweep ", name, f" {words[newest.state.value]}.")
    there = blocks.Strong(of(board.done + board.existing, board.total))
    if newest.is_open:
        left = f", about {seconds(board.seconds_left)} to go" if board.seconds_left is not None else ""
        return ("Sweep ", name, " has ", there, f" runs{left}.")
    verb = "was stopped with" if newest.state == "cancelled" else "ended with"
    return ("Sweep ", name, f" {verb} ", there, f" runs{_failed(board)}{_saved(board)}.")


def _failed(board: Board) -> str:
    return f"; {count(board.failed)} failed" if board.failed else ""


def _saved(board: Board) -> str:
    saved = board.texts - board.texts_encoded
    return f"; {percent(saved / board.texts, 0)} of its texts needed no new encoding" if saved else ""


def _show_earlier(earlier: Sequence[Sweep]) -> None:
    """Draws the picker of earlier sweeps, and the one that was picked."""
    titles = {sweep.title: sweep for sweep in earlier}
    asked = state.url_values("sweep")
    picked = _pick_earlier(list(titles)) if titles else None
    state.remember_unknown("sweep", asked, list(titles), picked or "none of the earlier sweeps")
    if picked:
        show_sweep(titles[picked])


def _pick_earlier(titles: list[str]) -> str | None:
    state.keep("sweep")
    if st.session_state.get("sweep") not in titles:
        st.session_state.pop("sweep", None)
    picked = st.selectbox(
        f"Earlier sweeps ({count(len(titles))})", titles, index=None, key="sweep", bind="query-params",
        placeholder="choose one to see how it ended", format_func=str,
    )  # fmt: skip
    return picked if picked in titles else None


def _show_provenance() -> None:
    shown = reads.shown_snapshot_id()
    blocks.show_caption(
        f"Snapshot {shown} is what the other pages show" if shown else "The other pages have nothing to show yet",
        "what a sweep finishes is added while it goes on",
    )
