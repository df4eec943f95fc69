"""How many prompts are enough: agreement with all prompts, and the error of the median, against prompts a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.leaderboard_simulator_intervals import veil
from ui.charts.theme import Palette, base_layout
from ui.formats import count, counted, percent, points

HEIGHT = 340
LINES = {"share_first": "first place", "share_order": "whole order"}


def agreement_curves(numbers: pl.DataFrame, chosen: int, palette: Palette) -> Figure:
    """Per cent of draws whose first place (thick) and whose whole order (thin) are those of all prompts.

    Clicks give the number of prompts in `customdata`.

    Args:
        numbers: `engine.analysis.robust_leaderboard.PromptNumbers.numbers`.
        chosen: The number of prompts that is marked and written out.
        palette: Colours of the theme.
    """
    rows = list(numbers.iter_rows(named=True))
    looks = {"share_first": (palette.accent, 3), "share_order": (palette.ink2, 1.8)}
    traces = [_curve(rows, column, *look) for column, look in looks.items()]
    marked = next((row for row in rows if row["k"] == chosen), None)
    layout = _layout(rows, palette, [0, 104], " %") | {
        "shapes": [_mark(chosen, palette)] if marked else [],
        "annotations": [_written(marked, column, looks[column][0], rows[-1]["k"]) for column in looks]
        if marked
        else [],
    }
    return Figure({"data": traces, "layout": layout})


def _curve(rows: Sequence[Mapping[str, Any]], column: str, colour: str, width: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": column,
        "x": [row["k"] for row in rows],
        "y": [row[column] * 100 for row in rows],
        "line": {"color": colour, "width": width},
        "marker": {"size": 7, "color": colour, "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [_hover(row, column) for row in rows],
        "customdata": [row["k"] for row in rows],
        "cliponaxis": False,
    }


def _hover(row: Mapping[str, Any], column: str) -> str:
    cost = f"{count(row['n_runs'])} runs a model"
    texts = f", {count(row['n_texts'])} texts" if row["n_texts"] else ""
    return (
        f"<b>{percent(row[column], 0)}</b> of draws: {LINES[column]} as with all prompts"
        f"<br>{counted(row['k'], 'prompt')} a task<br>{cost}{texts}"
    )


def _written(row: Mapping[str, Any], column: str, colour: str, last: int) -> dict[str, Any]:
    """The value at the chosen number of prompts, on the side where there is room."""
    words = f'<span style="color:{colour}"><b>{LINES[column]}</b> {percent(row[column], 0)}</span>'
    side, above = "right" if row["k"] > last / 2 else "left", column == "share_first"
    place = {
        "xanchor": side,
        "xshift": -6 if side == "right" else 6,
        "yanchor": "bottom" if above else "top",
        "yshift": 12 if above else -12,
    }
    return {"x": row["k"], "y": row[column] * 100, "text": words, "showarrow": False, "font": {"size": 13}, **place}


def median_errors(numbers: pl.DataFrame, chosen: int, palette: Palette) -> Figure:
    """How far a median of k prompts lies from that of all, in points: line = mean, shade to the 95th percentile."""
    rows = list(numbers.iter_rows(named=True))
    prompts = [row["k"] for row in rows]
    edge = {"type": "scatter", "mode": "lines", "x": prompts, "hoverinfo": "skip", "line": {"width": 0}}
    mean = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": prompts,
        "y": [row["median_error"] * 100 for row in rows],
        "line": {"color": palette.ink2, "width": 2},
        "marker": {"size": 6, "color": palette.ink2, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [_error_hover(row) for row in rows],
        "cliponaxis": False,
    }
    traces = [
        {**edge, "y": [0] * len(rows)},
        {
            **edge,
            "y": [row["median_error_high"] * 100 for row in rows],
            "fill": "tonexty",
            "fillcolor": veil(palette.prompt, 0.25),
        },
        mean,
    ]
    top = max((row["median_error_high"] * 100 for row in rows), default=1.0)
    layout = _layout(rows, palette, [0, top * 1.05 or 1.0], "") | {"shapes": [_mark(chosen, palette)]}
    return Figure({"data": traces, "layout": layout})


def _error_hover(row: Mapping[str, Any]) -> str:
    high = f"95 % of cells and draws within {points(row['median_error_high'])}"
    return f"<b>{points(row['median_error'])}</b> points on average<br>{counted(row['k'], 'prompt')} a task<br>{high}"


def _mark(chosen: int, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.ink3, "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "layer": "below",
        "x0": chosen,
        "x1": chosen,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": line,
    }


def _layout(rows: Sequence[Mapping[str, Any]], palette: Palette, span: Sequence[float], suffix: str) -> dict[str, Any]:
    axis = {"zeroline": False, "fixedrange": True, "gridcolor": palette.rule}
    last = max((row["k"] for row in rows), default=1)
    return base_layout(height=HEIGHT, left=8, right=16, top=16, bottom=48) | {
        "xaxis": {
            **axis,
            "range": [0.4, last + 0.6],
            "showgrid": False,
            "title": {"text": "prompts a task", "standoff": 8, "font": {"size": 12}},
        },
        "yaxis": {**axis, "range": list(span), "ticksuffix": suffix, "automargin": True, "ticklabelstandoff": 6},
    }
