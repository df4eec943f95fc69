"""Place on the leaderboard against declared training tasks; models that declare nothing have a lane of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import counted, label, ordinal, plotly_text

HEIGHT = 380


def declared_against_rank(models: pl.DataFrame, chosen: str, palette: Palette) -> Figure:
    """A dot a ranked model: across = rank, up = declared tasks; a ring below the axis = it declares nothing.

    Clicks give the model in `customdata`.

    Args:
        models: `Declarations.models`.
        chosen: The model that stands out.
        palette: Colours of the theme.
    """
    ranked = models.drop_nulls("rank")
    most = max([count or 0 for count in ranked["n_declared"]], default=0)
    lane = -max(most * 0.1, 1.0)
    known = list(ranked.drop_nulls("n_declared").iter_rows(named=True))
    unknown = list(ranked.filter(pl.col("n_declared").is_null()).iter_rows(named=True))
    layout = base_layout(height=HEIGHT, left=44, right=16, top=16, bottom=44) | {
        "xaxis": {
            "title": {"text": "rank on the leaderboard", "font": {"size": 12}}, "zeroline": False, "fixedrange": True,
            "range": [-ranked.height * 0.015, ranked.height * 1.015 + 1], "gridcolor": palette.rule,
        },
        "yaxis": {
            "title": {"text": "declared tasks", "font": {"size": 12}}, "range": [lane * 1.7, max(most, 1) * 1.06],
            "gridcolor": palette.rule, "zerolinecolor": palette.ink3, "fixedrange": True,
            "tickvals": [value for value in range(0, most + 1, max(1, (most + 4) // 5))],
        },
        "annotations": [
            {"xref": "paper", "x": 1, "xanchor": "right", "y": lane, "yshift": -14, "showarrow": False,
             "text": f"unknown: {counted(len(unknown), 'model')} declare nothing", "font": {"size": 12}},
            *_named([*known, *unknown], chosen, lane),
        ],
    }  # fmt: skip
    traces = [
        _dots(known, [row["n_declared"] for row in known], "circle", chosen, palette),
        _dots(unknown, [lane] * len(unknown), "circle-open", chosen, palette),
    ]
    return Figure({"data": traces, "layout": layout})


def _dots(
    rows: Sequence[dict[str, Any]], heights: Sequence[float], symbol: str, chosen: str, palette: Palette
) -> dict[str, Any]:
    inks = [palette.accent if row["model_name"] == chosen else palette.other_model for row in rows]
    return {
        "type": "scatter", "mode": "markers", "name": symbol, "x": [row["rank"] for row in rows], "y": list(heights),
        "cliponaxis": False,
        "marker": {
            "symbol": symbol, "color": inks, "opacity": 0.85, "line": {"width": 1.4, "color": inks},
            "size": [11 if row["model_name"] == chosen else 6.5 for row in rows],
        },
        "selected": {"marker": {"opacity": 0.85}},
        "unselected": {"marker": {"opacity": 0.85}},
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{_declares(row)}</b><br>{plotly_text(row['model_name'], lines=1)}, {ordinal(row['rank'])}"
            for row in rows
        ],
        "customdata": [row["model_name"] for row in rows],
    }  # fmt: skip


def _declares(row: dict[str, Any]) -> str:
    return "declares nothing" if row["n_declared"] is None else f"{counted(row['n_declared'], 'declared task')}"


def _named(rows: Sequence[dict[str, Any]], chosen: str, lane: float) -> list[dict[str, Any]]:
    return [
        {"x": row["rank"], "y": lane if row["n_declared"] is None else row["n_declared"], "showarrow": False,
         "xanchor": "left", "xshift": 10, "yshift": 10, "font": {"size": 13},
         "text": f"<b>{plotly_text(label(chosen), lines=1)}</b>"}
        for row in rows
        if row["model_name"] == chosen
    ]  # fmt: skip
