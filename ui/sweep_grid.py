"""The grid of a sweep, a row for each model and a column for each task: shape and word say the state, not colour."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import polars as pl
import streamlit as st

from engine.study.board import Board, Cell, CellState
from ui import blocks
from ui.formats import counted, label, of

MOST_CELLS = 1_500
"""Beyond that a browser takes long to draw the grid; the table has all."""


@dataclass(frozen=True)
class Look:
    """How a state looks and reads."""

    glyph: str
    kind: str
    """its class in the style sheet"""
    words: str


DONE = Look("●", "done", "all runs there")
RUNNING = Look("◐", "running", "running")
WAITING = Look("○", "waiting", "waiting")
FAILED = Look("✕", "failed", "some failed")
STOPPED = Look("◐", "waiting", "stopped before the end")
NOT_BEGUN = Look("○", "waiting", "not begun")
_ORDER = (RUNNING, FAILED, STOPPED, WAITING, NOT_BEGUN, DONE)
"""What is most worth seeing, first."""
_UNDER_WAY = {
    CellState.DONE: DONE, CellState.RUNNING: RUNNING, CellState.WAITING: WAITING, CellState.FAILED: FAILED
}  # fmt: skip


def look_of(cell: Cell, *, is_open: bool) -> Look:
    """How a cell looks: in a sweep that is over, nothing waits or runs any more."""
    if is_open or cell.state in (CellState.DONE, CellState.FAILED):
        return _UNDER_WAY[cell.state]
    if cell.failed:
        return FAILED
    return STOPPED if cell.done else NOT_BEGUN


def show_grid(board: Board, *, is_open: bool) -> None:
    """Draws the grid, below the words for its signs; of a very large one the models that matter most."""
    tasks = list(dict.fromkeys(cell.task_name for cell in board.cells))
    models = shown_models(board, len(tasks), is_open=is_open)
    looks = {look_of(cell, is_open=is_open) for cell in board.cells}
    key = "".join(f"<span>{_glyph(look)} {html.escape(look.words)}</span>" for look in _ORDER if look in looks)
    st.html(f'<div class="sl-key sl-board-key">{key}</div>{_grid_html(board, models, tasks, is_open=is_open)}')
    n_models = len({cell.model_name for cell in board.cells})
    if len(models) < n_models:
        blocks.show_caption(f"Too many to draw at once: {counted(n_models - len(models), 'further model')} not shown")


def shown_models(board: Board, n_tasks: int, *, is_open: bool) -> list[str]:
    """The models to draw, as the study orders them; where they are too many, those under way or failed first."""
    names = list(dict.fromkeys(cell.model_name for cell in board.cells))
    most = max(1, MOST_CELLS // max(1, n_tasks))
    if len(names) <= most:
        return names
    places = {name: len(_ORDER) for name in names}
    for cell in board.cells:
        place = _ORDER.index(look_of(cell, is_open=is_open))
        places[cell.model_name] = min(places[cell.model_name], place)
    return sorted(names, key=lambda name: places[name])[:most]


def cells_frame(board: Board, *, is_open: bool) -> pl.DataFrame:
    """One row per model and task: its state in words, and how many runs are there, planned and failed."""
    return pl.DataFrame(
        [
            (cell.model_name, cell.task_name, look_of(cell, is_open=is_open).words, cell.done, cell.total, cell.failed)
            for cell in board.cells
        ],
        schema={
            "model_name": pl.String, "task_name": pl.String, "state": pl.String, "n_runs_there": pl.Int64,
            "n_runs_planned": pl.Int64, "n_runs_failed": pl.Int64,
        },
        orient="row",
    )  # fmt: skip


def _grid_html(board: Board, models: list[str], tasks: list[str], *, is_open: bool) -> str:
    cells = {(cell.model_name, cell.task_name): cell for cell in board.cells}
    heads = "".join(
        f'<th scope="col" class="sl-user" title="{html.escape(task)}">{_wrapped(task)}</th>' for task in tasks
    )
    rows = "".join(
        f'<tr><th scope="row" class="sl-user" title="{html.escape(model)}">{html.escape(label(model))}</th>'
        + "".join(_cell_html(cells.get((model, task)), is_open=is_open) for task in tasks)
        + "</tr>"
        for model in models
    )
    return (
        '<div class="sl-wide"><table class="sl-board"><thead><tr><th scope="col">'
        f'<span class="sl-hidden">model</span></th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _wrapped(task: str) -> str:
    """A task's name that may break where a word begins: `STS22.v2`, `Scorelens|Home|Command|Pairs`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "<wbr>", html.escape(task))


def _cell_html(cell: Cell | None, *, is_open: bool) -> str:
    if cell is None:
        return "<td></td>"
    look = look_of(cell, is_open=is_open)
    failed = f"<small>{cell.failed} failed</small>" if cell.failed else ""
    runs = of(cell.done, cell.total)
    return (
        f'<td class="sl-cell sl-cell-{look.kind}" title="{look.words}: {runs} runs are there">{_glyph(look)}'
        f'<span class="sl-hidden">{look.words}: </span> {runs}{failed}</td>'
    )


def _glyph(look: Look) -> str:
    return f'<span class="sl-glyph sl-cell-{look.kind}" aria-hidden="true">{look.glyph}</span>'
