"""Prompts × models on one task: does one prompt suit every model?"""

from __future__ import annotations

from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.short_names import short_names
from ui.charts.theme import Palette, base_layout, text_on
from ui.formats import label, plotly_text, points, shortened, signed_points

ROW = 20
MOST_ROWS = 120
LONGEST_LABEL = 46
EMPTY = "<i>empty prompt</i>"


def prompt_heat(matrix: pl.DataFrame, models: list[str], palette: Palette) -> Figure:
    """Colour = place of the prompt among those of the model (0 worst, 1 best), figure = score × 100.

    Rows from the best prompt on average over models to the worst, at most 120 of them.

    Args:
        matrix: `engine.analysis.variation.prompt_matrix` of one task.
        models: Order of the columns.
        palette: Colours of the theme.
    """
    shown = _with_places(matrix).filter(pl.col("place") < MOST_ROWS)
    prompts = shown.unique("place").sort("place")
    rows = {place: number for number, place in enumerate(prompts["place"])}
    columns = {model: number for number, model in enumerate(models)}
    heat: list[list[float | None]] = [[None] * len(models) for _ in rows]
    cells = []
    for cell in shown.iter_rows(named=True):
        spot = (columns[cell["model_name"]], rows[cell["place"]])
        heat[spot[1]][spot[0]] = cell["share"]
        cells.append((spot, cell))
    steps = len(palette.sequential) - 1
    scale = [[step / steps, colour] for step, colour in enumerate(palette.sequential)]
    fill = {
        "type": "heatmap", "z": heat, "colorscale": scale, "zmin": 0, "zmax": 1, "showscale": False,
        "xgap": 2, "ygap": 1, "hoverinfo": "skip",
    }  # fmt: skip
    layout = base_layout(height=ROW * len(rows) + 58, left=8, right=8, top=50, bottom=8) | {
        "xaxis": _axis(range=[-0.5, len(models) - 0.5], tickvals=list(range(len(models))), side="top", tickangle=0)
        | {"ticktext": [_two_lines(name) for name in short_names(models).values()]},
        "yaxis": _axis(range=[len(rows) - 0.5, -0.5], tickvals=list(range(len(rows))), ticklabelstandoff=8)
        | {"ticktext": [_row_label(prompt) for prompt in prompts["prompt_text"]]},
    }
    return Figure({"data": [fill, _figures(cells, palette)], "layout": layout})


def _with_places(matrix: pl.DataFrame) -> pl.DataFrame:
    score = pl.col("score")
    share = (score.rank("average").over("model_name") - 1) / (score.count().over("model_name") - 1)
    return matrix.with_columns(share=pl.when(score.count().over("model_name") > 1).then(share))


def _figures(cells: list[tuple[tuple[int, int], dict[str, Any]]], palette: Palette) -> dict[str, Any]:
    last = len(palette.sequential) - 1
    fills = [palette.sequential[round((cell["share"] or 0) * last)] for _, cell in cells]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for (x, _), _ in cells],
        "y": [y for (_, y), _ in cells],
        "text": [points(cell["score"]) for _, cell in cells],
        "textfont": {"size": 12, "color": [text_on(fill) for fill in fills]},
        "hoverinfo": "text",
        "hovertext": [_hover(cell) for _, cell in cells],
        "customdata": [[cell["model_name"], cell["prompt_id"]] for _, cell in cells],
    }


def _hover(cell: dict[str, Any]) -> str:
    away = signed_points(cell["from_median"])
    who = plotly_text(label(cell["model_name"]), lines=1)
    text = plotly_text(cell["prompt_text"]) if cell["prompt_text"] else EMPTY
    return f"<b>{points(cell['score'])}</b> ({away} points from its median prompt)<br>{who}<br>{text}"


def _row_label(prompt_text: str) -> str:
    return (
        plotly_text(shortened(" ".join(prompt_text.split()), LONGEST_LABEL), lines=1)
        if prompt_text
        else "<i>empty prompt</i>"
    )


def _axis(**settings: Any) -> dict[str, Any]:
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "automargin": True}
    return {**plain, **settings}


def _two_lines(name: str) -> str:
    cut = name.find("-", 3)
    if len(name) <= 8 or cut < 0:
        return plotly_text(name, lines=1)
    return f"{plotly_text(name[: cut + 1])}<br>{plotly_text(name[cut + 1 :])}"
