"""Rows with a dot and its interval: a short list of models, or how far languages agree with the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import plotly_text, shortened

ROW, TOP, BOTTOM = 23, 44, 30
LONGEST_LABEL = 34
COLUMN = 74


@dataclass(frozen=True)
class Estimate:
    """One row.

    Attributes:
        id: What a click gives.
        label: Its name.
        value: Where the dot stands, on the scale of the axis.
        low: Lower bound; None = no interval.
        high: Upper bound.
        strong: It stands out.
        hover: What it says, escaped.
        columns: Words right of the picture.
    """

    id: str
    label: str
    value: float
    low: float | None
    high: float | None
    strong: bool
    hover: str
    columns: Sequence[str] = ()


def estimates(
    rows: Sequence[Estimate], heads: Sequence[str], palette: Palette, *, bounds: tuple[float, float] | None = None
) -> Figure:
    """A row each, in the order given; clicks give the id in `customdata`.

    Args:
        rows: What is drawn.
        heads: Of the value columns on the right.
        palette: Colours of the theme.
        bounds: Between which the axis stays, where values have limits of their own.
    """
    low, high = bounds or (None, None)
    at = list(range(len(rows)))
    inks = [palette.accent if row.strong else palette.prompt for row in rows]
    bars = {
        "type": "bar", "orientation": "h", "hoverinfo": "skip", "y": at, "width": 0.5,
        "base": [row.value if row.low is None else row.low for row in rows],
        "x": [0.0 if row.low is None or row.high is None else row.high - row.low for row in rows],
        "marker": {"color": palette.band, "line": {"width": 0}},
    }  # fmt: skip
    dots = {
        "type": "scatter", "mode": "markers", "x": [row.value for row in rows], "y": at, "cliponaxis": False,
        "marker": {"size": 9, "color": inks, "opacity": 1, "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [row.hover for row in rows],
        "customdata": [row.id for row in rows],
    }  # fmt: skip
    right = 24 + COLUMN * len(heads)
    layout = base_layout(height=ROW * len(rows) + TOP + BOTTOM, left=8, right=right, top=TOP, bottom=BOTTOM) | {
        "xaxis": {
            "zeroline": False, "fixedrange": True, "gridcolor": palette.rule,
            "autorangeoptions": {"minallowed": low, "maxallowed": high},
        },
        "yaxis": {
            "range": [len(rows) - 0.4, -0.6], "tickvals": at, "ticktext": [_label(row) for row in rows],
            "showgrid": False, "zeroline": False, "fixedrange": True, "automargin": True, "ticklabelstandoff": 8,
        },
        "annotations": [
            *(_cell(column, head, yref="paper", y=1, yshift=6, yanchor="bottom", opacity=0.75)
              for column, head in enumerate(heads)),
            *(_cell(column, words, y=y) for y, row in enumerate(rows) for column, words in enumerate(row.columns)),
        ],
    }  # fmt: skip
    return Figure({"data": [bars, dots], "layout": layout})


def _label(row: Estimate) -> str:
    name = plotly_text(shortened(row.label, LONGEST_LABEL), lines=1)
    return f"<b>{name}</b>" if row.strong else name


def _cell(column: int, text: str, **place: Any) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 1, "xanchor": "right", "xshift": COLUMN * (column + 1), "align": "right", "text": text,
        "showarrow": False, "font": {"size": 12.5},
    } | place  # fmt: skip
