"""A window of forty rows over a long leaderboard, chosen by its first place."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.formats import number
from ui.selectors import pick_one

START = "from"
ROWS = 40


@dataclass(frozen=True)
class Window:
    """First and last place that are drawn, counted from 0, and whether there is more."""

    first: int
    last: int
    is_part: bool

    def title(self, n_models: int) -> str:
        """What the rows are called."""
        if not self.is_part:
            return f"All {number(n_models)} models"
        return f"Places {number(self.first + 1)} to {number(self.last + 1)} of {number(n_models)}"


def pick_window(n_models: int) -> Window:
    """The window that the picker says; without a picker where all models fit."""
    starts = [str(first + 1) for first in range(0, n_models, ROWS)] or ["1"]
    first = 0
    if len(starts) > 1:
        with st.container(width=160):
            first = int(pick_one("Rows from place", starts, parameter=START)) - 1
    return Window(first, min(first + ROWS, n_models) - 1, len(starts) > 1)


def window_with(place: object) -> str:
    """The start of the window that holds a place (counted from 0), as the picker names it."""
    return str(int(float(str(place))) // ROWS * ROWS + 1)
