"""On which tasks a model must leave its default: models × tasks, filled = in every smallest set, ring = in some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from ui.charts.short_names import short_task
from ui.charts.theme import Palette, base_layout
from ui.formats import counted, label, ordinal, plotly_text, shortened, signed_points

MOST_ROWS = 40
ROW = 28
TOP, SLANTED_TOP = 52, 104
MOST_UPRIGHT = 8
"""Above so many columns their heads are set aslant."""
LONGEST_LABEL = 40
NOTHING = "no rank to gain"


def switch_grid(targets: pl.DataFrame, switches: pl.DataFrame, target: str, palette: Palette) -> Figure:
    """A row a model that has a rank, a column a task that any of the smallest sets names; right: rank and size.

    Clicks give the model in `customdata`.

    Args:
        targets: `FewestSwitches.targets`; the first 40 with a rank are drawn.
        switches: `FewestSwitches.switches`.
        target: A model whose name is bold.
        palette: Colours of the theme.
    """
    rows = list(targets.filter(pl.col("rank_default").is_not_null()).head(MOST_ROWS).iter_rows(named=True))
    at = {row["model_name"]: y for y, row in enumerate(rows)}
    shown = switches.filter(pl.col("model_name").is_in(list(at)))
    tasks = shown["task_name"].unique().sort().to_list()
    marks = _marks(shown, at, {task: x for x, task in enumerate(tasks)})
    slanted = len(tasks) > MOST_UPRIGHT
    top = SLANTED_TOP if slanted else TOP
    layout = base_layout(height=ROW * len(rows) + top + 12, left=8, right=196, top=top, bottom=12) | {
        "xaxis": {
            "side": "top",
            "range": [-0.6, max(len(tasks), 1) - 0.4],
            "tickvals": list(range(len(tasks))),
            "ticktext": [plotly_text(short_task(task), lines=1) for task in tasks],
            "tickangle": -30 if slanted else 0,
            "gridcolor": palette.rule,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "range": [len(rows) - 0.5, -0.5],
            "tickvals": list(range(len(rows))),
            "ticktext": [_row_label(row["model_name"], target) for row in rows],
            "gridcolor": palette.rule,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 8,
        },
        "annotations": [note for y, row in enumerate(rows) for note in _outcome(row, y)] + _heads(),
    }
    return Figure({"data": [_trace(marks, kind, palette) for kind in ("circle", "circle-open")], "layout": layout})


def _marks(shown: pl.DataFrame, rows: Mapping[str, int], columns: Mapping[str, int]) -> list[dict[str, Any]]:
    per_task = shown.group_by("model_name", "task_name", maintain_order=True).agg(
        n_in=pl.len(), change=pl.col("change").first()
    )
    sets = shown.group_by("model_name").agg(n_sets=pl.col("set_number").n_unique())
    return [
        {
            "x": columns[row["task_name"]],
            "y": rows[row["model_name"]],
            "kind": "circle" if row["n_in"] == row["n_sets"] else "circle-open",
            "model": row["model_name"],
            "says": f"<b>{signed_points(row['change'])}</b> points by leaving the default"
            f"<br>{plotly_text(label(row['model_name']) + ' on ' + row['task_name'], lines=2)}"
            f"<br>in {row['n_in']} of {counted(row['n_sets'], 'smallest set')}",
        }
        for row in per_task.join(sets, on="model_name").iter_rows(named=True)
    ]


def _trace(marks: Sequence[Mapping[str, Any]], kind: str, palette: Palette) -> dict[str, Any]:
    own = [mark for mark in marks if mark["kind"] == kind]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": kind,
        "x": [mark["x"] for mark in own],
        "y": [mark["y"] for mark in own],
        "marker": {
            "symbol": kind,
            "size": 14,
            "color": palette.accent,
            "line": {"width": 2.2 if kind == "circle-open" else 0, "color": palette.accent},
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [mark["says"] for mark in own],
        "customdata": [mark["model"] for mark in own],
    }


def _row_label(model: str, target: str) -> str:
    name = plotly_text(shortened(label(model), LONGEST_LABEL), lines=1)
    return f"<b>{name}</b>" if model == target else name


def _outcome(row: Mapping[str, Any], y: int) -> list[dict[str, Any]]:
    if not row["ranks_gained"]:
        return [_beside(0, NOTHING, y=y, opacity=0.75)]
    size = str(row["fewest_switches"]) if row["is_exact"] else f"{row['at_least']}–{row['fewest_switches']}"
    way = f"{ordinal(row['rank_default'])} → <b>{ordinal(row['rank_attainable'])}</b>"
    return [_beside(0, way, y=y), _beside(1, f"<b>{size}</b>", y=y)]


def _heads() -> list[dict[str, Any]]:
    place: dict[str, Any] = {"yref": "paper", "y": 1, "yshift": 8, "yanchor": "bottom", "opacity": 0.75}
    return [_beside(0, "best attainable<br>rank", **place), _beside(1, "tasks", **place)]


def _beside(column: int, text: str, **place: Any) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 1, "xanchor": "left", "xshift": 16 + 128 * column, "align": "left", "text": text,
        "showarrow": False, "font": {"size": 13 if "y" in place and "yref" not in place else 12},
    } | place  # fmt: skip
