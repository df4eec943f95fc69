"""A leaderboard as rows on the axis of points: one board alone, or movements of more models than slopes bear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from engine.analysis.ranking import Aggregate
from ui.charts.leaderboard_simulator import Movement, worth
from ui.charts.theme import Palette, base_layout
from ui.formats import label, number, ordinal, plotly_text, shortened

MOST_ROWS = 40
ROW = 21
LONGEST_LABEL = 40
TOP, BOTTOM = 40, 34


def shown_rows(movement: Movement) -> list[str]:
    """Models of the last board by rank, at most 40: those around the target."""
    last = movement.boards[-1]
    order = sorted(last.points, key=lambda model: (last.ranks[model], model))
    if len(order) <= MOST_ROWS:
        return order
    at = order.index(movement.target) if movement.target in order else 0
    start = min(max(at - MOST_ROWS // 2, 0), len(order) - MOST_ROWS)
    return order[start : start + MOST_ROWS]


def board_rows(movement: Movement, models: Sequence[str], colours: Mapping[str, str], palette: Palette) -> Figure:
    """A row a model: ring = points on the first board, dot = points on the last, line between; clicks give the model.

    Args:
        movement: One board or more; with one there is no ring.
        models: Which to draw, in the order of the rows.
        colours: Of the models that stand out.
        palette: Colours of the theme.
    """
    first, last = movement.boards[0], movement.boards[-1]
    moved = len(movement.boards) > 1
    scale = 1.0 if movement.aggregate is Aggregate.BORDA else 100.0
    inks = [colours.get(model, palette.prompt) for model in models]
    rows = list(range(len(models)))
    traces = [_stems(movement, models, colours, palette, scale)] if moved else []
    if moved:
        traces.append(_dots([first.points.get(model) for model in models], rows, "circle-open", inks, scale))
    traces.append(_dots([last.points[model] for model in models], rows, "circle", inks, scale))
    traces[-1] |= {
        "hoverinfo": "text",
        "hovertext": [_hover(movement, model) for model in models],
        "customdata": models,
    }
    layout = base_layout(height=ROW * len(rows) + TOP + BOTTOM, left=8, right=96, top=TOP, bottom=BOTTOM) | {
        "xaxis": {"side": "top", "zeroline": False, "fixedrange": True, "gridcolor": palette.rule},
        "yaxis": {
            "range": [len(rows) - 0.4, -0.6],
            "tickvals": rows,
            "ticktext": [_row_label(movement, model, strong=model in colours) for model in models],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 8,
        },
        "annotations": [*_values(movement, models), *_value_heads(moved=moved)],
    }
    return Figure({"data": traces, "layout": layout})


def _stems(
    movement: Movement, models: Sequence[str], colours: Mapping[str, str], palette: Palette, scale: float
) -> dict[str, Any]:
    first, last = movement.boards[0], movement.boards[-1]
    pairs = [(first.points.get(model), last.points[model]) for model in models]
    return {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(models))),
        "base": [None if start is None else start * scale for start, _ in pairs],
        "x": [0.0 if start is None else (end - start) * scale for start, end in pairs],
        "width": [0.24 if model in colours else 0.1 for model in models],
        "marker": {
            "color": [colours.get(model, palette.other_model) for model in models],
            "line": {"width": 0},
        },
        "hoverinfo": "skip",
    }


def _dots(
    values: Sequence[float | None], rows: Sequence[int], symbol: str, colours: Sequence[str], scale: float
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None if value is None else value * scale for value in values],
        "y": list(rows),
        "marker": {"symbol": symbol, "size": 9, "color": colours, "line": {"width": 1.6, "color": colours}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _row_label(movement: Movement, model: str, *, strong: bool) -> str:
    name = plotly_text(shortened(label(model), LONGEST_LABEL), lines=1)
    rank = number(movement.boards[-1].ranks[model])
    return f"<b>{name}  {rank}</b>" if strong else f"{name}  <b>{rank}</b>"


def _hover(movement: Movement, model: str) -> str:
    last = movement.boards[-1]
    value = f"<b>{worth(last.points[model], movement.aggregate)}</b> points, {ordinal(last.ranks[model])}"
    was = movement.boards[0].ranks.get(model)
    before = f"<br>{ordinal(was)} with all at their default" if len(movement.boards) > 1 and was else ""
    return f"{value}<br>{plotly_text(model, lines=1)}{before}"


def _values(movement: Movement, models: Sequence[str]) -> list[dict[str, Any]]:
    last, first = movement.boards[-1], movement.boards[0]
    moved = len(movement.boards) > 1
    columns = [[worth(last.points[model], movement.aggregate) for model in models]]
    if moved:
        columns.append([number(first.ranks.get(model)) for model in models])
    return [
        {"xref": "paper", "x": 1, "xanchor": "right", "xshift": 42 + 50 * at, "y": row, "text": value,
         "showarrow": False, "font": {"size": 13}}
        for at, column in enumerate(columns)
        for row, value in enumerate(column)
    ]  # fmt: skip


def _value_heads(*, moved: bool) -> list[dict[str, Any]]:
    heads = ["points", "rank<br>before"] if moved else ["points"]
    return [
        {"xref": "paper", "x": 1, "xanchor": "right", "xshift": 42 + 50 * at, "yref": "paper", "y": 1, "yshift": 6,
         "yanchor": "bottom", "align": "right", "text": head, "showarrow": False, "opacity": 0.75, "font": {"size": 12}}
        for at, head in enumerate(heads)
    ]  # fmt: skip
