"""How sweeps stand: the grid of models and tasks, speed, what reuse saved, errors; the buttons to stop and retry."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from engine.study.board import Board, Cell, CellState
from ui import blocks, reads
from ui.formats import count, counted, label, of, percent, seconds
from ui.reads import Request, sweeps

WATCH_EVERY_SECONDS = 1.0
SHOWN_AT_ONCE = 3
GLYPHS = {CellState.DONE: "●", CellState.RUNNING: "◐", CellState.WAITING: "○", CellState.FAILED: "✕"}


def _show_finding() -> None:
    """Draws the sentence that says how the newest sweep stands."""
    asked = sweeps.sweeps()
    if not asked:
        blocks.show_finding(
            "No sweep was asked for here yet. Choose models, tasks and prompts below, look at the preview, and start."
        )
        return
    newest = asked[0]
    board = sweeps.board_of(newest)
    blocks.show_finding(*_sentence(newest, board))


def _sentence(request: Request, board: Board | None) -> blocks.Sentence:
    name = blocks.Quoted(str(_study(request).get("name", "")))
    if board is None:
        return ("Sweep ", name, f" is {request.status.state.value}.")
    there = board.done + board.existing
    if request.is_open:
        left = f", about {seconds(board.seconds_left)} to go" if board.seconds_left is not None else ""
        return ("Sweep ", name, " has ", blocks.Strong(of(there, board.total)), f" runs{left}.")
    failed = f"; {counted(board.failed, 'run')} failed" if board.failed else ""
    saved = board.texts - board.texts_encoded
    share = f", and {percent(saved / board.texts, 0)} of its texts needed no encoding" if board.texts else ""
    return ("Sweep ", name, " ended with ", blocks.Strong(of(there, board.total)), f" runs{failed}{share}.")


def show_provenance() -> None:
    """Draws the caption: the snapshot that other pages show now."""
    shown = reads.shown_snapshot_id()
    blocks.show_caption(
        f"Snapshot {shown}" if shown else "Nothing was published yet",
        "a sweep’s finished runs are published as it goes",
    )


def show_sweeps() -> None:
    """Draws how the newest sweeps stand, in a sentence and cell by cell; both move while one is open."""
    asked = sweeps.sweeps()
    is_open = any(request.is_open for request in asked)
    st.fragment(_show_newest, run_every=WATCH_EVERY_SECONDS if is_open else None)(is_open)


def _show_newest(was_open: bool) -> None:
    asked = sweeps.sweeps()
    if was_open and not any(request.is_open for request in asked):
        # The whole page, and every other one, now has other data to show.
        st.rerun(scope="app")
    _show_finding()
    for place, request in enumerate(asked[:SHOWN_AT_ONCE]):
        if place == 0 or request.is_open:
            _show_sweep(request)
    earlier = [request for request in asked[1:] if not request.is_open]
    if earlier:
        with st.expander(f"{counted(len(earlier), 'earlier sweep')}"):
            for request in earlier:
                words = f"{request.asked_at[:16].replace('T', ' ')} · {request.status.state.value}"
                blocks.show_text(
                    blocks.Strong(words), " · ", blocks.Quoted(str(_study(request).get("name", ""))), " · ",
                    blocks.Quoted(request.status.message),
                )  # fmt: skip


def _study(request: Request) -> Mapping[str, object]:
    study = request.options.get("study")
    return study if isinstance(study, dict) else {}


def _show_sweep(request: Request) -> None:
    board = sweeps.board_of(request)
    with st.container(border=True, key=f"sweep-{request.request_id}"):
        blocks.show_heading(
            f"{_study(request).get('name', 'sweep')}: {request.status.state.value}",
            blocks.Quoted(_status_words(request, board)),
        )
        if board is None:
            _show_buttons(request, 0)
            return
        if request.is_open:
            settled = board.done + board.existing + board.failed
            st.progress(min(settled / max(board.total, 1), 1.0), text=_pace(board))
        st.html(_grid_html(board))
        _show_saved(board)
        for refusal in board.refused:
            blocks.show_note(f"Left out: {refusal.what} ", blocks.Quoted(refusal.name), f": {refusal.reason}")
        for note in board.notes:
            blocks.show_note(blocks.Quoted(note))
        if board.errors:
            with st.expander(f"{counted(board.failed, 'failed run')}: why", expanded=not request.is_open):
                for fault in board.errors:
                    prompt = "default settings" if fault.prompt_text is None else repr(fault.prompt_text)
                    blocks.show_text(
                        blocks.Strong(f"{label(fault.model_name)} on {fault.task_name}"), " with ",
                        blocks.Quoted(prompt), ": ", blocks.Quoted(fault.cause),
                    )  # fmt: skip
        _show_buttons(request, board.failed)


def _status_words(request: Request, board: Board | None) -> str:
    """What the engine says, as far as the grid below does not say it better."""
    if request.is_open:
        return request.status.stage or "waiting for the engine"
    return "" if board and request.status.state == "done" else request.status.message


def _pace(board: Board) -> str:
    words = [of(board.done + board.existing, board.total) + " runs"]
    if board.texts_per_second:
        words.append(f"{count(round(board.texts_per_second))} texts/s")
    if board.seconds_left is not None:
        words.append(f"about {seconds(board.seconds_left)} left")
    return " · ".join([*words, *board.devices])


def _show_saved(board: Board) -> None:
    if board.texts:
        saved = board.texts - board.texts_encoded
        share = percent(saved / board.texts, 0)
        blocks.show_caption(
            f"{counted(board.texts, 'text')} asked for, {count(saved)} not encoded again ({share})",
            counted(board.existing, "run") + " were there before" if board.existing else "",
        )


def _show_buttons(request: Request, failed: int) -> None:
    obstacle = reads.why_nothing_can_be_asked()
    if request.is_open:
        if st.button("Cancel", key=f"cancel-{request.request_id}", disabled=bool(obstacle)):
            sweeps.cancel(request)
            st.rerun(scope="app")
    elif request.status.state != "done" or failed:
        words = "Retry what failed" if failed else "Go on"
        if st.button(words, key=f"retry-{request.request_id}", disabled=bool(obstacle)):
            sweeps.retry(request)
            st.rerun(scope="app")


def _grid_html(board: Board) -> str:
    """Models × tasks: a glyph, and how many of the runs are there."""
    tasks = list(dict.fromkeys(cell.task_name for cell in board.cells))
    models = list(dict.fromkeys(cell.model_name for cell in board.cells))
    cells = {(cell.model_name, cell.task_name): cell for cell in board.cells}
    heads = "".join(f'<th class="sl-user" title="{html.escape(task)}">{html.escape(task)}</th>' for task in tasks)
    rows = "".join(
        f'<tr><th class="sl-user" title="{html.escape(model)}">{html.escape(label(model))}</th>'
        + "".join(_cell_html(cells.get((model, task))) for task in tasks)
        + "</tr>"
        for model in models
    )
    return (
        '<div class="sl-wide"><table class="sl-board"><thead><tr><th></th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell_html(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    failed = f", {cell.failed} failed" if cell.failed else ""
    told = f"{cell.state.value}: {of(cell.done, cell.total)} runs{failed}"
    return (
        f'<td class="sl-cell sl-cell-{cell.state.value}" title="{told}"><span aria-hidden="true">{GLYPHS[cell.state]}'
        f"</span> {cell.done} of {cell.total}{f'<small>{cell.failed} failed</small>' if cell.failed else ''}</td>"
    )
