"""Rank intervals: a ribbon over all models, and below it a window of rows with two bars and a dot each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout, mixed
from ui.formats import label, number, ordinal, percent, plotly_text, shortened

ROW = 19
RIBBON_HEIGHT = 250
LONGEST_LABEL = 34
PALE = 0.4


def interval_ribbon(
    intervals: pl.DataFrame, window: tuple[int, int], pinned: Mapping[str, str], palette: Palette
) -> Figure:
    """All models in order of rank: band = simultaneous interval, line = rank, tinted = the window drawn below.

    Clicks give a model's place in the order, counted from 0, in `customdata`.

    Args:
        intervals: `model_name`, `rank`, `rank_low`, `rank_high`, in order of rank.
        window: First and last place of the window (from 0, the last included).
        pinned: Colours of the models that are named.
        palette: Colours of the theme.
    """
    rows = list(intervals.iter_rows(named=True))
    named = [(place, row) for place, row in enumerate(rows, start=1) if row["model_name"] in pinned]
    lowest = max((row["rank_high"] for row in rows), default=1)
    axis = {"zeroline": False, "fixedrange": True, "gridcolor": palette.rule}
    layout = base_layout(height=RIBBON_HEIGHT, left=8, right=16, top=24, bottom=44) | {
        "xaxis": {
            **axis,
            "range": [0.2, len(rows) + 0.8],
            "title": {"text": "models in order of rank", "standoff": 6, "font": {"size": 12}},
        },
        "yaxis": {
            **axis,
            "range": [lowest + 0.8, 0.2],
            "tickvals": _rank_ticks(lowest),
            "automargin": True,
            "ticklabelstandoff": 6,
        },
        "shapes": [_window_shape(window, palette)],
        "annotations": _pin_names(named, pinned, len(rows)),
    }
    traces = [*_ribbon(rows, palette), _pins(named, pinned), _targets(rows)]
    return Figure({"data": traces, "layout": layout})


def _ribbon(rows: Sequence[Mapping[str, Any]], palette: Palette) -> list[dict[str, Any]]:
    edge = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "x": list(range(1, len(rows) + 1))}
    low, high, ranks = ([row[name] for row in rows] for name in ("rank_low", "rank_high", "rank"))
    return [
        {**edge, "y": low, "line": {"width": 0}},
        {**edge, "y": high, "line": {"width": 0}, "fill": "tonexty", "fillcolor": veil(palette.prompt, 0.35)},
        {**edge, "y": ranks, "line": {"width": 1.3, "color": palette.ink2}},
    ]


def _targets(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Invisible marks on the line that answer to pointer and click."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(1, len(rows) + 1)),
        "y": [row["rank"] for row in rows],
        "marker": {"size": 14, "opacity": 0},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hoverinfo": "text",
        "hovertext": [interval_hover(row) for row in rows],
        "customdata": list(range(len(rows))),
    }


def _rank_ticks(lowest: int) -> list[int]:
    """The first rank and four or five round ones below it."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**6) if lowest / step <= 5.5)
    return [1, *range(step if step > 1 else 2, lowest + 1, step)]


def veil(colour: str, alpha: float) -> str:
    """The colour with so much opacity, for areas that let others through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def _pins(named: Sequence[tuple[int, Mapping[str, Any]]], pinned: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": [place for place, _ in named],
        "base": [row["rank_low"] - 0.5 for _, row in named],
        "y": [row["rank_high"] - row["rank_low"] + 1 for _, row in named],
        "width": 0.7,
        "marker": {"color": [pinned[row["model_name"]] for _, row in named], "line": {"width": 0}},
        "hoverinfo": "skip",
    }


def _pin_names(
    named: Sequence[tuple[int, Mapping[str, Any]]], pinned: Mapping[str, str], n_models: int
) -> list[dict[str, Any]]:
    """Names above the pinned bars and to their right, below and to the left in the last part: the ribbon falls."""
    notes = []
    for place, row in named:
        above = place <= n_models * 0.6
        name = f"<b>{plotly_text(label(row['model_name']), lines=1)}</b> {interval_words(row)}"
        notes.append(
            {
                "x": place,
                "y": row["rank_low"] - 0.5 if above else row["rank_high"] + 0.5,
                "xanchor": "left" if above else "right",
                "yanchor": "bottom" if above else "top",
                "text": f'<span style="color:{pinned[row["model_name"]]}">{name}</span>',
                "showarrow": False,
                "font": {"size": 12},
            }
        )
    return notes


def _window_shape(window: tuple[int, int], palette: Palette) -> dict[str, Any]:
    return {
        "type": "rect",
        "layer": "below",
        "yref": "paper",
        "x0": window[0] + 0.5,
        "x1": window[1] + 1.5,
        "y0": 0,
        "y1": 1,
        "line": {"width": 0},
        "fillcolor": veil(palette.accent, 0.11),
    }


def interval_words(row: Mapping[str, Any]) -> str:
    """`13–33`, or one figure where the interval is a single rank."""
    low, high = row["rank_low"], row["rank_high"]
    return number(low) if low == high else f"{number(low)}–{number(high)}"


def interval_hover(row: Mapping[str, Any]) -> str:
    """Rank and interval first, then who, then how often it comes first."""
    first = f"<br>first in {percent(row['p_best'])} of resamples" if row.get("p_best") else ""
    alone = f"{row['rank_low_alone']}–{row['rank_high_alone']}"
    return (
        f"<b>{ordinal(row['rank'])}</b>, could be {interval_words(row)} (alone: {alone})"
        f"<br>{plotly_text(row['model_name'], lines=1)}{first}"
    )


def interval_rows(rows: Sequence[Mapping[str, Any]], pinned: Mapping[str, str], palette: Palette) -> Figure:
    """A row a model: wide pale = simultaneous interval, narrow = the model alone, dot = rank, interval in figures.

    Args:
        rows: `model_name`, `rank`, `rank_low`, `rank_high`, `rank_low_alone`, `rank_high_alone`; in order of rank.
        pinned: Colours of the models that stand out.
        palette: Colours of the theme.
    """
    at = list(range(len(rows)))
    colours = [pinned.get(row["model_name"], palette.prompt) for row in rows]
    pale = [mixed(colour, palette.page, PALE if row["model_name"] in pinned else 0.3)
            for colour, row in zip(colours, rows, strict=True)]  # fmt: skip
    alone = [mixed(colour, palette.page, 0.75) for colour in colours]
    low = min((row["rank_low"] for row in rows), default=1)
    high = max((row["rank_high"] for row in rows), default=1)
    layout = base_layout(height=ROW * len(rows) + 62, left=8, right=72, top=52, bottom=10) | {
        "xaxis": {
            "side": "top",
            "range": [low - 0.8, high + 0.8],
            "title": {"text": "rank (1 = best)", "standoff": 4, "font": {"size": 12}},
            "zeroline": False,
            "fixedrange": True,
            "gridcolor": palette.rule,
            "tickformat": "d",
            "dtick": None if high - low > 8 else 1,
        },
        "yaxis": {
            "range": [len(rows) - 0.4, -0.6],
            "tickvals": at,
            "ticktext": [_row_label(row, pinned) for row in rows],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 8,
        },
        "barmode": "overlay",
        "annotations": _figures(rows),
    }
    bars = [
        _bars(rows, ("rank_low", "rank_high"), 0.72, pale),
        _bars(rows, ("rank_low_alone", "rank_high_alone"), 0.24, alone),
    ]
    return Figure({"data": [*bars, _dots(rows, colours, palette)], "layout": layout})


def _dots(rows: Sequence[Mapping[str, Any]], colours: Sequence[str], palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [row["rank"] for row in rows],
        "y": list(range(len(rows))),
        "marker": {"size": 8, "color": [mixed(colour, palette.ink, 0.75) for colour in colours], "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [interval_hover(row) for row in rows],
    }


def _bars(
    rows: Sequence[Mapping[str, Any]], ends: tuple[str, str], width: float, colours: Sequence[str]
) -> dict[str, Any]:
    low, high = ends
    return {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(rows))),
        "base": [row[low] - 0.25 for row in rows],
        "x": [row[high] - row[low] + 0.5 for row in rows],
        "width": width,
        "marker": {"color": list(colours), "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [interval_hover(row) for row in rows],
        "textposition": "none",
    }


def _row_label(row: Mapping[str, Any], pinned: Mapping[str, str]) -> str:
    name = plotly_text(shortened(label(row["model_name"]), LONGEST_LABEL), lines=1)
    words = f"{name}  {number(row['rank'])}"
    return f"<b>{words}</b>" if row["model_name"] in pinned else words


def _figures(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    place = {"xref": "paper", "x": 1, "xanchor": "right", "xshift": 62, "showarrow": False}
    head = {**place, "yref": "paper", "y": 1, "yshift": 6, "yanchor": "bottom", "opacity": 0.75, "font": {"size": 12}}
    values = [{**place, "y": y, "text": interval_words(row), "font": {"size": 12}} for y, row in enumerate(rows)]
    return [{**head, "text": "ranks"}, *values]
