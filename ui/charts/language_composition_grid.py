"""Languages × properties as a grid of marks: a checklist, or which kinds of test there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import plotly_text, shortened

ROW, TOP = 24, 104
LONGEST_LABEL = 24


@dataclass(frozen=True)
class Mark:
    """One cell of a grid.

    Attributes:
        row: Its row, from 0.
        column: Its column, from 0.
        symbol: Plotly symbol.
        colour: Of the symbol.
        size: In pixels.
        hover: What it says, escaped.
        text: Written in it; empty = nothing.
    """

    row: int
    column: int
    symbol: str
    colour: str
    size: float
    hover: str
    text: str = ""


def mark_grid(
    rows: Sequence[str], columns: Sequence[str], marks: Sequence[Mark], ids: Sequence[str], palette: Palette
) -> Figure:
    """A row a language, a column a property; clicks give the row's id in `customdata`.

    Args:
        rows: Names of the rows.
        columns: Heads of the columns, set aslant.
        marks: What stands in the cells.
        ids: Of the rows, for clicks.
        palette: Colours of the theme.
    """
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [mark.column for mark in marks],
        "y": [mark.row for mark in marks],
        "text": [mark.text for mark in marks],
        "textposition": "middle right",
        "textfont": {"size": 12},
        "cliponaxis": False,
        "marker": {
            "symbol": [mark.symbol for mark in marks],
            "size": [mark.size for mark in marks],
            "color": [mark.colour for mark in marks],
            "opacity": 1,
            "line": {"width": 1.6, "color": [mark.colour for mark in marks]},
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [mark.hover for mark in marks],
        "customdata": [ids[mark.row] for mark in marks],
    }
    at = list(range(len(rows)))
    layout = base_layout(height=ROW * len(rows) + TOP + 8, left=8, right=64, top=TOP, bottom=8) | {
        "xaxis": {
            "side": "top", "range": [-0.5, len(columns) - 0.5], "tickvals": list(range(len(columns))),
            "ticktext": [plotly_text(head, lines=1) for head in columns],
            "tickangle": -30, "showgrid": False, "zeroline": False, "fixedrange": True,
        },
        "yaxis": {
            "range": [len(rows) - 0.5, -0.5], "tickvals": at,
            "ticktext": [plotly_text(shortened(name, LONGEST_LABEL), lines=1) for name in rows],
            "gridcolor": palette.rule, "zeroline": False, "fixedrange": True, "automargin": True,
            "ticklabelstandoff": 8,
        },
    }  # fmt: skip
    return Figure({"data": [trace], "layout": layout})
