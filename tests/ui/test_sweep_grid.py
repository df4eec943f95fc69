"""The grid of a sweep in tests of its own where a page would need thousands of cells."""

import pytest

from engine.study.board import Board, Cell, CellState
from ui import sweep_grid
from ui.sweep_grid import cells_frame, look_of


def board(*cells):
    return Board(0, 0, 0, [Cell(*cell) for cell in cells])


@pytest.mark.parametrize(
    ("state", "done", "failed", "is_open", "words"),
    [
        (CellState.DONE, 4, 0, False, "all runs there"),
        (CellState.FAILED, 3, 1, True, "some failed"),
        (CellState.RUNNING, 2, 0, True, "running"),
        (CellState.RUNNING, 2, 0, False, "stopped before the end"),
        (CellState.RUNNING, 2, 1, False, "some failed"),
        (CellState.RUNNING, 0, 0, False, "not begun"),
        (CellState.WAITING, 0, 0, True, "waiting"),
        (CellState.WAITING, 2, 0, False, "stopped before the end"),
    ],
)
def test_words_of_a_cell(state, done, failed, is_open, words):
    cell = Cell("org/a", "T", done, 4, failed, state)
    assert look_of(cell, is_open=is_open).words == words
    assert cells_frame(Board(0, 0, 0, [cell]), is_open=is_open).row(0)[2:] == (words, done, 4, failed)


def test_large_grid_shows_what_moves_first(monkeypatch):
    monkeypatch.setattr(sweep_grid, "MOST_CELLS", 4)
    shown = board(
        ("a", "T", 1, 1, 0, CellState.DONE), ("a", "U", 1, 1, 0, CellState.DONE),
        ("b", "T", 1, 1, 0, CellState.DONE), ("b", "U", 0, 1, 1, CellState.FAILED),
        ("c", "T", 0, 1, 0, CellState.RUNNING), ("c", "U", 0, 1, 0, CellState.WAITING),
    )  # fmt: skip
    assert sweep_grid.shown_models(shown, 2, is_open=True) == ["c", "b"]
    monkeypatch.setattr(sweep_grid, "MOST_CELLS", 6)
    assert sweep_grid.shown_models(shown, 2, is_open=True) == ["a", "b", "c"]
