"""Which ranks the choice of prompt alone gives one model among all: shares of draws over the axis of ranks."""

from __future__ import annotations

from typing import Any

from plotly.graph_objects import Figure

from engine.analysis.prompt_freedom import PromptFreedom, Setting
from ui.charts.leaderboard_simulator_intervals import veil
from ui.charts.theme import Palette, base_layout
from ui.formats import number, ordinal, percent, plotly_text

HEIGHT = 300
ROOM = 0.12
"""space beside the range of ranks, as a share of it"""


def freedom_bars(freedom: PromptFreedom, colour: str, palette: Palette) -> Figure:
    """Bar = share of draws with that rank; band from best to worst prompts; ring = published; tick = median prompts.

    Args:
        freedom: A ranked model with at least one replaced task.
        colour: Of the model.
        palette: Colours of the theme.
    """
    ranks: dict[str, int] = dict(freedom.ranks.select("setting", "rank").iter_rows())
    published, best, worst = ranks[Setting.PUBLISHED], ranks[Setting.BEST], ranks[Setting.WORST]
    first, last = min(published, best), max(published, worst)
    room = max((last - first) * ROOM, 1.5)
    shares = freedom.draws["probability"].to_list()
    top = max([share * 100 for share in shares], default=1.0) * 1.25
    layout = base_layout(height=HEIGHT, left=8, right=16, top=48, bottom=48) | {
        "xaxis": {
            "range": [max(first - room, 0.3), min(last + room, freedom.n_models + 0.7)],
            "title": {"text": f"rank among {number(freedom.n_models)} models (1 = best)", "font": {"size": 12}},
            "tickformat": "d",
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "range": [0, top],
            "ticksuffix": " %",
            "gridcolor": palette.rule,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 6,
        },
        "bargap": 0.25,
        "shapes": [_band(best, worst, colour), _tick(ranks[Setting.MEDIAN], palette)],
        "annotations": _words(ranks),
    }
    return Figure({"data": [_bars(freedom, colour), _ring(freedom, published, palette)], "layout": layout})


def _bars(freedom: PromptFreedom, colour: str) -> dict[str, Any]:
    ranks, shares = freedom.draws["rank"].to_list(), freedom.draws["probability"].to_list()
    who = plotly_text(freedom.model_name, lines=1)
    return {
        "type": "bar",
        "x": ranks,
        "y": [share * 100 for share in shares],
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{percent(share)}</b> of draws<br>{who}<br>is {ordinal(rank)} of {number(freedom.n_models)}"
            for rank, share in zip(ranks, shares, strict=True)
        ],
        "textposition": "none",
    }


def _ring(freedom: PromptFreedom, published: int, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [published],
        "y": [0],
        "marker": {"symbol": "circle", "size": 12, "color": palette.page, "line": {"width": 2.5, "color": palette.ink}},
        "hoverinfo": "text",
        "hovertext": [f"<b>{ordinal(published)}</b><br>{plotly_text(freedom.model_name, lines=1)}<br>as published"],
        "cliponaxis": False,
    }


def _band(best: int, worst: int, colour: str) -> dict[str, Any]:
    ends = {"x0": best - 0.5, "x1": worst + 0.5, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": veil(colour, 0.13), **ends}


def _tick(rank: int, palette: Palette) -> dict[str, Any]:
    ends = {"x0": rank, "x1": rank, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "line": {"color": palette.ink, "width": 2}, **ends}


def _words(ranks: dict[str, int]) -> list[dict[str, Any]]:
    """What stands over the ends of the band, and over the median where it keeps clear of them."""
    best, median, worst = ranks[Setting.BEST], ranks[Setting.MEDIAN], ranks[Setting.WORST]
    published = ranks[Setting.PUBLISHED]
    place = {"yref": "paper", "y": 1, "yshift": 4, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
    ends = [
        {**place, "x": best - 0.5, "xanchor": "left", "text": f"<b>{ordinal(best)}</b> best prompts", "yshift": 22},
        {**place, "x": worst + 0.5, "xanchor": "right", "text": f"<b>{ordinal(worst)}</b> worst prompts", "yshift": 22},
        {**place, "x": median, "xanchor": "center", "text": f"<b>{ordinal(median)}</b> median prompts"},
    ]
    below = {"yref": "y", "y": 0, "yshift": 10, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
    return [*ends, {**below, "x": published, "xanchor": "left", "xshift": 8, "text": f"published {ordinal(published)}"}]
