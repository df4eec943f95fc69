"""How often each model takes each rank when prompts are drawn: a heat map with figures, the default rank framed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.ranking import Aggregate
from ui.charts.leaderboard_simulator import worth
from ui.charts.theme import Palette, base_layout, mixed, text_on
from ui.formats import label, number, ordinal, plotly_text, probability, shortened

MOST_ROWS = 40
MOST_FIGURES = 600
ROW, NARROW_ROW = 34, 19
LONGEST_LABEL = 36
SMALL = 0.005
"""Below this share a figure is set small and faint, so that the eye stays with the ranks that matter."""


def rank_heat(
    models: pl.DataFrame, probabilities: pl.DataFrame, aggregate: Aggregate, target: str, palette: Palette
) -> Figure:
    """Models × ranks: colour and figure = share of draws; frame = rank with the default prompts; right: expectation.

    Args:
        models: `RankProbabilities.models`, in the order of the rows; the first 40 are drawn.
        probabilities: `RankProbabilities.probabilities`.
        aggregate: What is expected.
        target: A model whose name is bold.
        palette: Colours of the theme.
    """
    ranked = models.filter(pl.col("model_name").is_in(probabilities["model_name"].unique().to_list()))
    rows = list(ranked.head(MOST_ROWS).iter_rows(named=True))
    at = {row["model_name"]: i for i, row in enumerate(rows)}
    columns = _columns(probabilities, rows)
    shares: list[list[float]] = [[0.0] * columns for _ in rows]
    for cell in probabilities.filter(pl.col("rank") <= columns).iter_rows(named=True):
        if cell["model_name"] in at:
            shares[at[cell["model_name"]]][cell["rank"] - 1] = cell["probability"]
    row_height = ROW if len(rows) <= 12 else NARROW_ROW
    traces = [_fill(shares, rows, palette)]
    if len(rows) * columns <= MOST_FIGURES and columns <= 20:
        traces += _figures(shares, palette)
    layout = base_layout(height=row_height * len(rows) + 52, left=8, right=104, top=44, bottom=8) | {
        "xaxis": _axis(
            side="top",
            range=[-0.5, columns - 0.5],
            tickvals=list(range(columns)),
            ticktext=[ordinal(rank + 1) if columns <= 20 else number(rank + 1) for rank in range(columns)],
            tickangle=0,
        ),
        "yaxis": _axis(
            range=[len(rows) - 0.5, -0.5],
            tickvals=list(range(len(rows))),
            ticktext=[_row_label(row["model_name"], target) for row in rows],
            ticklabelstandoff=8,
        ),
        "shapes": _frames(rows, columns, palette),
        "annotations": [_expected_head(aggregate), *_expected(rows, aggregate)],
    }
    if columns > 20:
        del layout["xaxis"]["tickvals"], layout["xaxis"]["ticktext"]
        layout["xaxis"] |= {"tickvals": list(range(4, columns, 5)), "ticktext": list(range(5, columns + 1, 5))}
    return Figure({"data": traces, "layout": layout})


def _columns(probabilities: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> int:
    """How many ranks are drawn: as far as the shown models ever get, or stand by default."""
    shown = [row["model_name"] for row in rows]
    taken = probabilities.filter(pl.col("model_name").is_in(shown), pl.col("probability") > 0)
    farthest = taken["rank"].max()
    defaults = [row["rank_default"] or 1 for row in rows]
    return max([int(farthest) if isinstance(farthest, int) else 1, *defaults, 1])


def _axis(**settings: Any) -> dict[str, Any]:
    return {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "automargin": True} | settings


def _row_label(model: str, target: str) -> str:
    name = plotly_text(shortened(label(model), LONGEST_LABEL), lines=1)
    return f"<b>{name}</b>" if model == target else name


def _fill(shares: list[list[float]], rows: Sequence[Mapping[str, Any]], palette: Palette) -> dict[str, Any]:
    steps = len(palette.sequential) - 1
    hovers = [
        [f"<b>{probability(share)} %</b> of draws<br>{plotly_text(row['model_name'], lines=1)}<br>"
         f"takes the {ordinal(rank + 1)} rank" for rank, share in enumerate(line)]
        for row, line in zip(rows, shares, strict=True)
    ]  # fmt: skip
    return {
        "type": "heatmap",
        "z": shares,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[step / steps, colour] for step, colour in enumerate(palette.sequential)],
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
        "hoverinfo": "text",
        "hovertext": hovers,
    }


def _fill_colour(share: float, palette: Palette) -> str:
    place = share * (len(palette.sequential) - 1)
    below = min(int(place), len(palette.sequential) - 2)
    return mixed(palette.sequential[below + 1], palette.sequential[below], place - below)


def _figures(shares: list[list[float]], palette: Palette) -> list[dict[str, Any]]:
    """Large figures on their fill, and small faint ones where a rank hardly ever happens; nothing for never."""
    spots = [(x, y, share) for y, line in enumerate(shares) for x, share in enumerate(line) if share > 0]
    large = [spot for spot in spots if spot[2] >= SMALL]
    small = [spot for spot in spots if spot[2] < SMALL]
    colours = [text_on(_fill_colour(share, palette)) for _, _, share in large]
    looks: list[tuple[list[tuple[int, int, float]], Any]] = [
        (large, {"size": 13, "color": colours}),
        (small, {"size": 11, "color": palette.ink3}),
    ]
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": [x for x, _, _ in chosen],
            "y": [y for _, y, _ in chosen],
            "text": [probability(share) for _, _, share in chosen],
            "textfont": font,
            "hoverinfo": "skip",
        }
        for chosen, font in looks
        if chosen
    ]


def _frames(rows: Sequence[Mapping[str, Any]], columns: int, palette: Palette) -> list[dict[str, Any]]:
    return [
        {"type": "rect", "x0": rank - 1.485, "x1": rank - 0.515, "y0": y - 0.46, "y1": y + 0.46,
         "line": {"color": palette.ink, "width": 2}}
        for y, row in enumerate(rows)
        if (rank := row["rank_default"]) is not None and rank <= columns
    ]  # fmt: skip


def _expected_head(aggregate: Aggregate) -> dict[str, Any]:
    words = "expected<br>points" if aggregate is Aggregate.BORDA else "expected<br>mean"
    return _beside(words, yref="paper", y=1, yshift=6, yanchor="bottom", align="right", opacity=0.75, font={"size": 12})


def _expected(rows: Sequence[Mapping[str, Any]], aggregate: Aggregate) -> list[dict[str, Any]]:
    column = f"{aggregate.column}_expected"
    values = [number(row[column], 1) if aggregate is Aggregate.BORDA else worth(row[column], aggregate) for row in rows]
    return [_beside(value, y=y, font={"size": 13}) for y, value in enumerate(values)]


def _beside(text: str, **place: Any) -> dict[str, Any]:
    return {"xref": "paper", "x": 1, "xanchor": "right", "xshift": 80, "text": text, "showarrow": False} | place
