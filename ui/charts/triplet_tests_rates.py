"""How often a model is right, with its interval; and that beside what a leaderboard says of the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import of, percent, plotly_text, points

ROW = 34
LABELS, VALUES, LABEL_WIDTH = 290, 150, 44


@dataclass(frozen=True)
class RateRow:
    """One rate: whose, how often right of how many, and its interval."""

    name: str
    n: int
    n_right: int
    pass_rate: float | None
    ci_low: float | None
    ci_high: float | None
    is_faint: bool = False


def rate_rows(rows: Sequence[RateRow], palette: Palette) -> Figure:
    """A row per rate: dot = share that is right, line = 95 % Wilson interval, then k of n; no rate below 5 items.

    Args:
        rows: From top to bottom; at least one.
        palette: Colours of the theme.
    """
    layout = base_layout(height=ROW * len(rows) + 44, left=LABELS, right=VALUES, top=8, bottom=36) | {
        "xaxis": {"range": [-2, 102], "fixedrange": True, "zeroline": False, "gridcolor": palette.rule,
                  "tickvals": [0, 25, 50, 75, 100], "ticktext": ["0", "25", "50", "75", "100 % right"]},
        "yaxis": {"range": [len(rows) - 0.5, -0.5], "visible": False, "fixedrange": True},
        "shapes": [_interval(row, place, palette) for place, row in enumerate(rows) if row.ci_low is not None],
        "annotations": [note for place, row in enumerate(rows) for note in _words(row, place)],
    }  # fmt: skip
    known = [(place, row) for place, row in enumerate(rows) if row.pass_rate is not None]
    trace = {
        "type": "scatter", "mode": "markers", "name": "rate", "y": [place for place, _ in known],
        "x": [(row.pass_rate or 0.0) * 100 for _, row in known],
        "marker": {"size": 10, "color": [_ink(row, palette) for _, row in known], "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [f"<b>{percent(row.pass_rate)}</b><br>{plotly_text(row.name, lines=1)}<br>{of(row.n_right, row.n)}"
                      for _, row in known],
    }  # fmt: skip
    return Figure({"data": [trace], "layout": layout})


def _ink(row: RateRow, palette: Palette) -> str:
    return palette.prompt if row.is_faint else palette.outcomes["right"]


def _interval(row: RateRow, place: int, palette: Palette) -> dict[str, Any]:
    return {
        "type": "line", "x0": (row.ci_low or 0.0) * 100, "x1": (row.ci_high or 0.0) * 100, "y0": place, "y1": place,
        "layer": "below", "opacity": 0.45, "line": {"color": _ink(row, palette), "width": 6},
    }  # fmt: skip


def _words(row: RateRow, place: int) -> list[dict[str, Any]]:
    base = {"xref": "paper", "y": place, "showarrow": False, "font": {"size": 13}}
    right = base | {"x": 1, "xanchor": "left"}
    rate = percent(row.pass_rate, 0) if row.pass_rate is not None else "too few"
    return [
        base
        | {
            "x": 0,
            "xanchor": "right",
            "xshift": -12,
            "align": "right",
            "text": plotly_text(row.name, width=LABEL_WIDTH, lines=2),
        },
        right | {"xshift": 12, "text": f"<b>{rate}</b>"},
        right | {"xshift": 72, "text": of(row.n_right, row.n), "opacity": 0.8},
    ]


@dataclass(frozen=True)
class ScorePoint:
    """A model's published score in a language beside its rate on the items, with the rate's interval."""

    name: str
    score: float
    pass_rate: float
    n: int
    n_right: int
    ci_low: float
    ci_high: float


def rate_against_score(pairs: Sequence[ScorePoint], language: str, palette: Palette) -> Figure:
    """A dot per model: across = published language score, up = share of items that are right, line = its interval.

    Args:
        pairs: Models with both; at least one.
        language: Name of the language.
        palette: Colours of the theme.
    """
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": palette.rule}
    low, high = min(pair.score for pair in pairs) * 100, max(pair.score for pair in pairs) * 100
    room = max((high - low) * 0.12, 2.0)
    layout = base_layout(height=360, left=56, right=24, top=16, bottom=48) | {
        "xaxis": axis
        | {
            "title": {"text": f"published score in {plotly_text(language, lines=1)}"},
            "range": [low - room, high + room],
        },
        "yaxis": axis | {"title": {"text": "items right, %"}, "range": [-5, 105]},
    }  # fmt: skip
    ink = palette.outcomes["right"]
    trace = {
        "type": "scatter", "mode": "markers+text", "name": "models", "cliponaxis": False,
        "x": [pair.score * 100 for pair in pairs], "y": [pair.pass_rate * 100 for pair in pairs],
        "text": [f" {plotly_text(pair.name, lines=1)} " for pair in pairs],
        "textposition": ["middle left" if pair.score * 100 > (low + high) / 2 else "middle right" for pair in pairs],
        "marker": {"size": 10, "color": ink, "line": {"width": 0}}, "hoverinfo": "text",
        "error_y": {
            "type": "data", "symmetric": False, "color": ink, "thickness": 1.5, "width": 4,
            "array": [(pair.ci_high - pair.pass_rate) * 100 for pair in pairs],
            "arrayminus": [(pair.pass_rate - pair.ci_low) * 100 for pair in pairs],
        },
        "hovertext": [
            f"<b>{of(pair.n_right, pair.n)} right, score {points(pair.score)}</b><br>"
            f"{plotly_text(pair.name, lines=1)}"
            for pair in pairs
        ],
    }  # fmt: skip
    return Figure({"data": [trace], "layout": layout})
