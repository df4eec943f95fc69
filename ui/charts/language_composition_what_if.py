"""What moves a language score: each part left out in turn, and all languages before and after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import counted, plotly_text, points, shortened, signed_points

LOLLIPOP_ROW, MOVE_ROW = 34, 21
MOST_PARTS = 8
LONGEST_LABEL = 34
TOP, BOTTOM = 40, 28


def lollipops(without: pl.DataFrame, named: str, score: float, palette: Palette) -> Figure:
    """A row a part: from the score with everything to the score without it; the largest changes first.

    Clicks give the part in `customdata`.

    Args:
        without: `leave_each_out`.
        named: Its column with the part.
        score: The score with everything (fraction).
        palette: Colours of the theme.
    """
    rows = list(without.drop_nulls("change").head(MOST_PARTS).iter_rows(named=True))
    at = list(range(len(rows)))
    inks = [palette.task_colour(row["task_type"]) for row in rows]
    ends = [row["score_without"] * 100 for row in rows]
    low, high = min([score * 100, *ends]), max([score * 100, *ends])
    room = max(high - low, 4.0)
    stems = {
        "type": "bar", "orientation": "h", "hoverinfo": "skip", "y": at, "width": 0.11, "base": score * 100,
        "x": [end - score * 100 for end in ends], "marker": {"color": inks, "line": {"width": 0}},
    }  # fmt: skip
    dots = {
        "type": "scatter", "mode": "markers", "x": ends, "y": at, "cliponaxis": False,
        "marker": {"size": 11, "color": inks, "opacity": 1, "line": {"width": 0}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{points(row['score_without'])}</b> without {plotly_text(str(row[named]), lines=1)}"
            f"<br>{counted(row['rows'], 'row')} left out"
            for row in rows
        ],
        "customdata": [row[named] for row in rows],
    }  # fmt: skip
    layout = base_layout(height=LOLLIPOP_ROW * len(rows) + TOP + 12, left=8, right=24, top=TOP, bottom=12) | {
        "xaxis": {"range": [low - room * 0.32, high + room * 0.32], "visible": False, "fixedrange": True},
        "yaxis": _rows([f"without {_name(row[named])}" for row in rows]),
        "shapes": [
            {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": score * 100, "x1": score * 100,
             "line": {"color": palette.ink, "width": 1.5}, "layer": "below"}
        ],
        "annotations": [
            {"x": score * 100, "yref": "paper", "y": 1, "yshift": 6, "yanchor": "bottom", "showarrow": False,
             "text": f"<b>{points(score)}</b> with everything", "font": {"size": 13}},
            *(_beside(row, y, max(row["score_without"], score) * 100) for y, row in enumerate(rows)),
        ],
    }  # fmt: skip
    return Figure({"data": [stems, dots], "layout": layout})


def _beside(row: Mapping[str, Any], y: int, x: float) -> dict[str, Any]:
    change = f"<span style='fill-opacity:0.75'>{signed_points(row['change'])}</span>"
    return {
        "x": x, "xanchor": "left", "xshift": 12, "y": y, "showarrow": False, "font": {"size": 13},
        "text": f"<b>{points(row['score_without'])}</b>  {change}",
    }  # fmt: skip


def moved_languages(moved: pl.DataFrame, labels: Mapping[str, str], language: str, palette: Palette) -> Figure:
    """A row a language: ring = before, dot = after, with change and place; clicks give the language's code.

    Args:
        moved: `WhatIfEffect.languages_of`.
        labels: What languages are called.
        language: The one that stands out.
        palette: Colours of the theme.
    """
    rows = list(moved.drop_nulls("score_before").iter_rows(named=True))
    at = list(range(len(rows)))
    inks = [palette.ink if row["language"] == language else palette.other_model for row in rows]
    ends = [row["score_before"] if row["score_after"] is None else row["score_after"] for row in rows]
    stems = {
        "type": "bar", "orientation": "h", "hoverinfo": "skip", "y": at,
        "base": [row["score_before"] * 100 for row in rows],
        "x": [(end - row["score_before"]) * 100 for row, end in zip(rows, ends, strict=True)],
        "width": [0.16 if row["language"] == language else 0.09 for row in rows],
        "marker": {"color": inks, "line": {"width": 0}},
    }  # fmt: skip
    dots = [
        {
            "type": "scatter", "mode": "markers", "y": at, "cliponaxis": False,
            "x": [None if row[column] is None else row[column] * 100 for row in rows],
            "marker": {"symbol": symbol, "size": 10, "color": inks, "opacity": 1, "line": {"width": 2, "color": inks}},
            "unselected": {"marker": {"opacity": 1}},
            "hoverinfo": "text",
            "hovertext": [_hover(row, column, labels) for row in rows],
            "customdata": [row["language"] for row in rows],
        }
        for column, symbol in (("score_before", "circle-open"), ("score_after", "circle"))
    ]  # fmt: skip
    layout = base_layout(height=MOVE_ROW * len(rows) + TOP + BOTTOM, left=8, right=128, top=TOP, bottom=BOTTOM) | {
        "xaxis": {"zeroline": False, "fixedrange": True, "gridcolor": palette.rule},
        "yaxis": _rows([_named(row["language"], labels, strong=row["language"] == language) for row in rows]),
        "annotations": [*_heads(), *(note for y, row in enumerate(rows) for note in _values(row, y))],
    }
    return Figure({"data": [stems, *dots], "layout": layout})


def _rows(labels: Sequence[str]) -> dict[str, Any]:
    return {
        "range": [len(labels) - 0.4, -0.6], "tickvals": list(range(len(labels))), "ticktext": list(labels),
        "showgrid": False, "zeroline": False, "fixedrange": True, "automargin": True, "ticklabelstandoff": 8,
    }  # fmt: skip


def _name(part: object) -> str:
    return plotly_text(shortened(str(part), LONGEST_LABEL), lines=1)


def _named(code: str, labels: Mapping[str, str], *, strong: bool) -> str:
    name = _name(labels.get(code, code))
    return f"<b>{name}</b>" if strong else name


def _hover(row: Mapping[str, Any], column: str, labels: Mapping[str, str]) -> str:
    when = "before" if column == "score_before" else "after"
    rows = counted(row[f"rows_{when}"], "row")
    return f"<b>{points(row[column])}</b> {when}<br>{_name(labels.get(row['language'], row['language']))}, {rows}"


def _values(row: Mapping[str, Any], y: int) -> list[dict[str, Any]]:
    before, after = row["place_before"], row["place_after"]
    place = f"{before}" if before == after else f"{before} → {after if after is not None else '–'}"
    return [_cell(0, signed_points(row["change"]), y=y), _cell(1, place, y=y)]


def _heads() -> list[dict[str, Any]]:
    place: dict[str, Any] = {"yref": "paper", "y": 1, "yshift": 6, "yanchor": "bottom", "opacity": 0.75}
    return [_cell(0, "change", **place), _cell(1, "place", **place)]


def _cell(column: int, text: str, **place: Any) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 1, "xanchor": "right", "xshift": 56 + 62 * column, "text": text, "showarrow": False,
        "font": {"size": 13},
    } | place  # fmt: skip
