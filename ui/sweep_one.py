"""One sweep: how far it is, its grid, what it saved, what failed and why; the buttons to stop it and to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import streamlit as st

from engine.errors import EngineError
from engine.study.board import Board, Fault
from ui import blocks, reads
from ui.blocks import Quoted, Strong
from ui.formats import count, counted, label, of, percent, seconds
from ui.navigation import page_named
from ui.prompt_limit import show_prompt_limit
from ui.reads import sweep_history as history
from ui.reads.sweep_history import Sweep
from ui.sweep_grid import cells_frame, show_grid
from ui.tables import show_table

FAULTS_SHOWN = 20
_ERROR = "_sweep_error"
NEXT_PAGES = {
    "prompt_distributions": "Its scores under each prompt", "leaderboard_simulator": "How its models rank"
}  # fmt: skip
STATES = {
    "waiting": "waiting", "running": "running", "done": "done", "failed": "could not be run", "cancelled": "stopped"
}  # fmt: skip


def show_sweep(sweep: Sweep) -> None:
    """Draws one sweep with all that is known about it."""
    board = history.board_of(sweep)
    with st.container(border=True, key=f"sweep-{_key(sweep)}"):
        blocks.show_heading(f"{sweep.name}: {state_words(sweep, board)}", _origin(sweep))
        if sweep.is_open and sweep.message:
            blocks.show_note("It waits: ", Quoted(sweep.message))
        elif sweep.state == "failed":
            blocks.show_error(sweep.message)
        if board is not None:
            _show_board(sweep, board)
        _show_buttons(sweep, board)


def state_words(sweep: Sweep, board: Board | None) -> str:
    """How a sweep stands, in a word or two."""
    if sweep.state == "done" and board and (board.failed or board.refused):
        return "done in part"
    return STATES[sweep.state.value]


def _origin(sweep: Sweep) -> str:
    limit = sweep.study.get("limit")
    words = [f"Begun {sweep.begun}", "from a terminal" if sweep.is_from_terminal else ""]
    return " · ".join(word for word in (*words, f"at most {limit} texts or queries a task" if limit else "") if word)


def _key(sweep: Sweep) -> str:
    """The sweep's id as part of a widget's key."""
    return sweep.sweep_id.replace("/", "-").replace(".", "-")


def _show_board(sweep: Sweep, board: Board) -> None:
    if sweep.is_open:
        settled = board.done + board.existing + board.failed
        st.progress(min(settled / max(board.total, 1), 1.0), text=_pace(sweep, board))
    if board.cells:
        show_grid(board, is_open=sweep.is_open)
    _show_saved(board)
    for refusal in board.refused:
        blocks.show_note(f"Left out: {refusal.what} ", Quoted(refusal.name), ": ", Quoted(refusal.reason))
    for note in board.notes:
        blocks.show_note(Quoted(note))
    if board.errors:
        _show_faults(board, is_open=sweep.is_open)
    if not sweep.is_open:
        _show_outcome(sweep, board)


def _pace(sweep: Sweep, board: Board) -> str:
    words = [of(board.done + board.existing, board.total) + " runs", sweep.stage]
    if board.texts_per_second:
        words.append(f"{count(round(board.texts_per_second))} texts/s")
    if board.seconds_left is not None:
        words.append(f"about {seconds(board.seconds_left)} left")
    if board.devices:
        words.append(f"on {', '.join(board.devices)}")
    return " · ".join(word for word in words if word)


def _show_saved(board: Board) -> None:
    saved = board.texts - board.texts_encoded
    reused = f"{count(saved)} of {counted(board.texts, 'text')} ({percent(saved / board.texts, 0)})" if saved else ""
    blocks.show_caption(
        f"Saved by reuse: {reused} were encoded before and not again" if reused else "",
        f"{counted(board.existing, 'run')} were there before" if board.existing else "",
    )


def _show_faults(board: Board, *, is_open: bool) -> None:
    """Draws what failed, the last first; what failed alike is said once."""
    alike: Counter[tuple[str, str, str]] = Counter()
    latest: dict[tuple[str, str, str], Fault] = {}
    for fault in reversed(board.errors):
        each = (fault.model_name, fault.task_name, fault.cause)
        alike[each] += 1
        latest.setdefault(each, fault)
    with st.expander(f"{counted(board.failed, 'failed run')}: why", expanded=not is_open):
        for (model_name, task_name, cause), amount in list(alike.items())[:FAULTS_SHOWN]:
            prompt = latest[model_name, task_name, cause].prompt_text
            settings = "default settings" if prompt is None else repr(prompt)
            more = f" and {counted(amount - 1, 'other prompt')}" if amount > 1 else ""
            blocks.show_text(
                Strong(label(model_name)), " on ", Strong(task_name), " with ", Quoted(settings), f"{more}: ",
                Quoted(cause),
            )  # fmt: skip
        if board.failed > len(board.errors) or len(alike) > FAULTS_SHOWN:
            blocks.show_caption(
                f"The last ones of {counted(board.failed, 'failed run')}; a sweep from a terminal lists them too"
            )


def _show_outcome(sweep: Sweep, board: Board) -> None:
    """Draws what a sweep that is over has brought: its cells as a table, what limits it, and where to read scores."""
    if any(cell.done < cell.total for cell in board.cells):
        show_prompt_limit(history.limit_of(sweep))
    if not board.cells:
        return
    with st.expander("As a table"):
        settings = {"sweep": sweep.name, "begun": sweep.begun}
        show_table(cells_frame(board, is_open=False), name=f"cells-{_key(sweep)}", settings=settings)
    if source := history.published_source(sweep):
        with st.container(horizontal=True, gap="medium"):
            for stem, words in NEXT_PAGES.items():
                st.page_link(page_named(stem).path, label=words, query_params={"source": source})


def _show_buttons(sweep: Sweep, board: Board | None) -> None:
    is_off = bool(reads.why_nothing_can_be_asked())
    if sweep.is_open and sweep.is_from_terminal:
        blocks.show_caption("It is stopped where it runs, with Ctrl+C; what is done is kept")
    elif sweep.is_open:
        words = "Stopping …" if sweep.is_stopping else "Cancel"
        st.button(
            words, key=f"cancel-{_key(sweep)}", on_click=_do, args=(history.cancel, sweep), icon=":material/stop:",
            disabled=is_off or sweep.is_stopping, help="What is done is kept, and the sweep can go on later.",
        )  # fmt: skip
    elif words := _what_is_left(sweep, board):
        st.button(
            words, key=f"retry-{_key(sweep)}", on_click=_do, args=(history.repeat, sweep), icon=":material/replay:",
            disabled=is_off, help="Runs only what is missing: what is there is not done again.",
        )  # fmt: skip


def _do(act: Callable[[Sweep], None], sweep: Sweep) -> None:
    """Do what a button says; why it cannot be done is kept for the page, since nothing draws while a click is told.

    A button may be older than what it is about: somebody else has removed the request meanwhile.
    """
    st.session_state.pop(_ERROR, None)
    try:
        act(sweep)
    except EngineError as error:
        st.session_state[_ERROR] = f"{sweep.title}: {error}"


def show_refusal() -> None:
    """Draws why the last click on a sweep's button came to nothing, until the next one."""
    if message := st.session_state.get(_ERROR):
        blocks.show_error(message)


def _what_is_left(sweep: Sweep, board: Board | None) -> str:
    """The words of the button that runs what is missing; none where nothing is."""
    if sweep.state == "cancelled":
        return "Go on"
    if sweep.state == "failed":
        return "Try again"
    if board and board.failed:
        return "Retry failed"
    return "Try what was left out" if board and board.refused else ""
