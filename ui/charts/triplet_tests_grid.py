"""All items at once: a column per item, a row per model; full = right, half = tie, stub = wrong, frame = invalid.

All bars of one outcome are one closed path, one invisible heat map answers the pointer, and a dot below each column
opens the item: few marks for a browser to draw, however many models there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import percent, plotly_text, shortened

ROW = 36
MOST_IDS = 42
"""So many ids find room below their columns."""
LONGEST_ID = 14
LABELS, VALUES, LABEL_WIDTH = 290, 150, 44
TOP, BOTTOM, LETTER = 40, 34, 7
FOOT = 0.6
"""Room for the dots, in rows."""
ZERO_WIDTH = "\u200b"
"""Makes names different that read the same."""
HEIGHTS = {"right": 0.80, "tie": 0.40, "wrong": 0.14, "invalid": 0.80}


@dataclass(frozen=True)
class GridRow:
    """A model under a prompt, or a shortcut that knows no language, and its rate."""

    name: str
    outcomes: Mapping[str, str]
    """by item id"""
    pass_rate: float | None
    ci_low: float | None
    ci_high: float | None
    is_baseline: bool = False


@dataclass(frozen=True)
class GridColumn:
    """An item, and what the pointer says of it."""

    item_id: str
    words: str


def outcome_grid(rows: Sequence[GridRow], columns: Sequence[GridColumn], order: str, palette: Palette) -> Figure:
    """Items × models, with rate and interval at the right; shortcuts stand below a line.

    Args:
        rows: Models first, then shortcuts.
        columns: Items as they are laid out; their ids are written below where there is room.
        order: What orders the items, in words, for the foot of the picture.
        palette: Colours of the theme.
    """
    n_models = sum(not row.is_baseline for row in rows)
    hidden = {"type": "category", "visible": False, "fixedrange": True}
    ids = [shortened(column.item_id, LONGEST_ID) for column in columns] if len(columns) <= MOST_IDS else []
    bottom = BOTTOM + LETTER * max(map(len, ids), default=0)
    height = round(ROW * (len(rows) + FOOT)) + TOP + bottom
    layout = base_layout(height=height, left=LABELS, right=VALUES, top=TOP, bottom=bottom) | {
        "clickmode": "event+select",
        "xaxis": {"range": [0, max(len(columns), 1)], "fixedrange": True, "showgrid": False, "zeroline": False,
                  **_ids(ids)},
        "yaxis": {"range": [len(rows) + FOOT, 0], "visible": False, "fixedrange": True},
        "xaxis2": hidden | {"overlaying": "x", "range": [-0.5, max(len(columns), 1) - 0.5]},
        "yaxis2": hidden | {"overlaying": "y", "range": [len(rows) - 0.5 + FOOT, -0.5]},
        "shapes": _lines(rows, columns, n_models, palette),
        "annotations": [*_row_words(rows), *_brackets_words(rows, columns), _foot(order, bottom)],
    }  # fmt: skip
    traces = [_bars(rows, columns, outcome, palette) for outcome in HEIGHTS]
    return Figure({"data": [*traces, _pointer(rows, columns), _dots(rows, columns, palette)], "layout": layout})


def _ids(ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {"visible": False}
    return {
        "tickvals": [place + 0.5 for place in range(len(ids))], "tickangle": -90, "ticklabelstandoff": 4,
        "ticktext": [plotly_text(item_id, lines=1) for item_id in ids],
    }  # fmt: skip


def agreed(rows: Sequence[GridRow], columns: Sequence[GridColumn], outcomes: Sequence[str]) -> list[int]:
    """Numbers of the columns where all models (not the shortcuts) with a valid outcome have one of those outcomes."""
    models = [row for row in rows if not row.is_baseline]
    found = []
    for place, column in enumerate(columns):
        valid = {row.outcomes.get(column.item_id, "invalid") for row in models} - {"invalid"}
        if valid and valid <= set(outcomes):
            found.append(place)
    return found


def _bars(rows: Sequence[GridRow], columns: Sequence[GridColumn], outcome: str, palette: Palette) -> dict[str, Any]:
    gap = 0.09 if len(columns) < 120 else 0.0
    xs: list[float] = []
    ys: list[float] = []
    for place, row in enumerate(rows):
        floor, top = place + 0.9, place + 0.9 - HEIGHTS[outcome]
        for number, column in enumerate(columns):
            if row.outcomes.get(column.item_id) == outcome:
                left, right = number + gap, number + 1 - gap
                xs += [left, left, right, right, left, nan]
                ys += [floor, top, top, floor, floor, nan]
    hollow = outcome == "invalid"
    ink = palette.ink2 if hollow else palette.outcomes[{"right": "pass", "wrong": "fail"}.get(outcome, outcome)]
    return {
        "type": "scatter", "mode": "lines", "name": outcome, "hoverinfo": "skip",
        "x": np.array(xs, dtype="float32"), "y": np.array(ys, dtype="float32"),
        "fill": "none" if hollow else "toself", "fillcolor": ink,
        "line": {"color": ink, "width": 1 if hollow else 0, "dash": "dot" if hollow else "solid", "shape": "linear"},
    }  # fmt: skip


def _pointer(rows: Sequence[GridRow], columns: Sequence[GridColumn]) -> dict[str, Any]:
    """What answers the pointer: items and models are said once, as categories of axes that nobody sees."""
    clear = "rgba(0,0,0,0)"
    return {
        "type": "heatmap", "name": "pointer", "showscale": False, "colorscale": [[0, clear], [1, clear]],
        "xaxis": "x2", "yaxis": "y2", "z": np.zeros((len(rows), len(columns)), dtype="int8"),
        "x": [plotly_text(column.words, lines=2) + ZERO_WIDTH * place for place, column in enumerate(columns)],
        "y": [f"{plotly_text(row.name, lines=1)}{ZERO_WIDTH * place}" for place, row in enumerate(rows)],
        "text": [[row.outcomes.get(column.item_id, "not run") for column in columns] for row in rows],
        "hovertemplate": "<b>%{text}</b> %{y}<br>%{x}<extra></extra>",
    }  # fmt: skip


def _dots(rows: Sequence[GridRow], columns: Sequence[GridColumn], palette: Palette) -> dict[str, Any]:
    """A dot below each column: a click on it opens the item."""
    size = 7 if len(columns) <= MOST_IDS else 4
    return {
        "type": "scatter", "mode": "markers", "name": "open", "hoverinfo": "text",
        "x": [place + 0.5 for place in range(len(columns))], "y": [len(rows) + FOOT * 0.6] * len(columns),
        "customdata": [column.item_id for column in columns],
        "hovertext": [f"<b>open</b> {plotly_text(column.words, lines=2)}" for column in columns],
        "marker": {"size": size, "color": palette.ink3, "line": {"width": 0}}, "unselected": {"marker": {"opacity": 1}},
    }  # fmt: skip


def _lines(
    rows: Sequence[GridRow], columns: Sequence[GridColumn], n_models: int, palette: Palette
) -> list[dict[str, Any]]:
    line: dict[str, Any] = {"type": "line", "line": {"color": palette.ink3, "width": 1.5}}
    drawn: list[dict[str, Any]] = []
    if 0 < n_models < len(rows):
        drawn.append(line | {"x0": 0, "x1": len(columns), "y0": n_models, "y1": n_models})
    for run in (_run(agreed(rows, columns, ("right",)), len(columns)), _run(_failed(rows, columns), len(columns))):
        if run:
            drawn.append(line | {"x0": run[0], "x1": run[1], "yref": "paper", "y0": 1, "y1": 1})
    return drawn


def _failed(rows: Sequence[GridRow], columns: Sequence[GridColumn]) -> list[int]:
    return agreed(rows, columns, ("wrong", "tie"))


def _run(places: Sequence[int], n_columns: int) -> tuple[int, int] | None:
    """From where to where a bracket goes, if the columns stand together at one end of the picture."""
    if not places or places[-1] - places[0] + 1 != len(places):
        return None
    if places[0] != 0 and places[-1] != n_columns - 1:
        return None
    return places[0], places[-1] + 1


def _brackets_words(rows: Sequence[GridRow], columns: Sequence[GridColumn]) -> list[dict[str, Any]]:
    base = {"yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 2, "showarrow": False, "font": {"size": 12}}
    passed, failed = agreed(rows, columns, ("right",)), _failed(rows, columns)
    here = base | {"xref": "paper"}
    notes = [
        here | {"x": 1, "xanchor": "left", "xshift": 14, "text": "right"},
        here | {"x": 1, "xanchor": "left", "xshift": 62, "text": "95 % interval"},
    ]
    if passed:
        notes.append(here | {"x": 0, "xanchor": "left", "text": f"{len(passed)} of these: all right"})
    if failed:
        notes.append(here | {"x": 1, "xanchor": "right", "text": f"{len(failed)}: none right"})
    return notes


def _row_words(rows: Sequence[GridRow]) -> list[dict[str, Any]]:
    notes = []
    for place, row in enumerate(rows):
        base = {"xref": "paper", "y": place + 0.55, "showarrow": False, "font": {"size": 13}}
        right = base | {"x": 1, "xanchor": "left"}
        notes += [
            base
            | {
                "x": 0,
                "xanchor": "right",
                "xshift": -10,
                "text": plotly_text(row.name, width=LABEL_WIDTH, lines=2),
                "align": "right",
            },
            right | {"xshift": 14, "text": f"<b>{percent(row.pass_rate, 0)}</b>"},
            right | {"xshift": 62, "text": interval(row.ci_low, row.ci_high), "opacity": 0.8},
        ]
    return notes


def interval(low: float | None, high: float | None) -> str:
    """`25–52`, in per cent."""
    return "" if low is None or high is None else f"{low * 100:.0f}–{high * 100:.0f}"


def _foot(order: str, bottom: int) -> dict[str, Any]:
    return {"xref": "paper", "x": 0.5, "yref": "paper", "y": 0, "yanchor": "bottom", "yshift": 8 - bottom,
            "showarrow": False, "text": f"items, {order}", "font": {"size": 12}}  # fmt: skip
