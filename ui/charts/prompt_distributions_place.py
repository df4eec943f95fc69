"""Where the reference stands among the prompts: one mark a cell, stacked by tenth, and the same cells as a grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.calls import tenth_of
from engine.analysis.references import Reference
from ui.charts.prompt_distributions import HEADS, call_words, model_order, task_order
from ui.charts.short_names import short_names
from ui.charts.strips import Mark, Panel, Picture, Row
from ui.charts.theme import GLYPHS, Palette, base_layout, mixed
from ui.formats import label, number, of, percent, plotly_text, points

TENTHS = 10
MOST_MARKS = 700
STACK_HEIGHT = 400
GRID_ROW = 34
TINT = 0.2


def placed(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with a call, and `tenth`: which tenth of the prompts their reference stands in, 0 to 9."""
    return cells.filter(pl.col("call").is_not_null()).with_columns(tenth=tenth_of(pl.col("place_midrank")))


def place_stack(cells: pl.DataFrame, reference: Reference, palette: Palette) -> Figure:
    """A mark a cell, stacked by the tenth that its reference stands in; beyond 700 cells a bar a tenth."""
    shown = placed(cells).sort("tenth", "place_midrank", "task_name", "model_name")
    counts = Counter(shown["tenth"].to_list())
    tallest = max(counts.values(), default=0)
    abreast = max(4, -(-tallest // 14))
    many = len(shown) > MOST_MARKS
    traces = _stack_bars(counts, abreast, palette) if many else _stack_marks(shown, reference, abreast, palette)
    expected = len(shown) / TENTHS
    top = max(tallest, expected) / abreast + 1.6
    layout = base_layout(height=STACK_HEIGHT, left=18, right=18, top=8, bottom=52)
    layout |= {
        "xaxis": {
            "range": [0, TENTHS],
            "tickvals": list(range(TENTHS + 1)),
            "ticktext": [f"{tenth * 10} %" if tenth in (0, TENTHS) else str(tenth * 10) for tenth in range(TENTHS + 1)],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "ticks": "outside",
            "title": {"text": f"share of prompts below the {HEADS[reference]} score", "font": {"size": 12}},
        },
        "yaxis": {"range": [0, top], "visible": False, "fixedrange": True},
        "shapes": [_expected_line(expected / abreast, palette)],
        "annotations": [*_count_labels(counts, abreast, expected), *_expected_words(expected, abreast)],
        "bargap": 0.2,
    }
    return Figure({"data": traces, "layout": layout})


def _stack_marks(shown: pl.DataFrame, reference: Reference, abreast: int, palette: Palette) -> list[dict[str, Any]]:
    seen: Counter[int] = Counter()
    spots: dict[str, dict[str, list[Any]]] = {}
    for cell in shown.iter_rows(named=True):
        place = seen[cell["tenth"]]
        seen[cell["tenth"]] += 1
        spot = spots.setdefault(cell["call"] or "none", {"x": [], "y": [], "hovertext": [], "customdata": []})
        spot["x"].append(cell["tenth"] + (place % abreast + 0.5) / abreast * 0.88 + 0.06)
        spot["y"].append(place // abreast + 0.55)
        spot["hovertext"].append(cell_hover(cell, reference))
        spot["customdata"].append([cell["model_name"], cell["task_name"]])
    size = 11 if abreast <= 5 else max(5, 44 // abreast)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": call,
            "hoverinfo": "text",
            "marker": {"symbol": _symbol(call), "size": size, "color": _colour(call, palette), "line": {"width": 0}},
            "unselected": {"marker": {"opacity": 0.85}},
            **spot,
        }
        for call, spot in spots.items()
    ]


def _stack_bars(counts: Mapping[int, int], abreast: int, palette: Palette) -> list[dict[str, Any]]:
    tenths = list(range(TENTHS))
    heights = [counts.get(tenth, 0) / abreast for tenth in tenths]
    centres = [tenth + 0.5 for tenth in tenths]
    return [{"type": "bar", "x": centres, "y": heights, "marker": {"color": palette.prompt}, "hoverinfo": "skip"}]


def _symbol(call: str) -> str:
    return GLYPHS[call].plotly_symbol if call in GLYPHS else "square"


def _colour(call: str, palette: Palette) -> str:
    return palette.calls.get(call, palette.ink3)


def _expected_line(height: float, palette: Palette) -> dict[str, Any]:
    ends = {"x0": 0, "x1": TENTHS, "y0": height, "y1": height}
    return {"type": "line", "layer": "below", "line": {"color": palette.ink3, "width": 1.5, "dash": "dot"}, **ends}


def _count_labels(counts: Mapping[int, int], abreast: int, expected: float) -> list[dict[str, Any]]:
    return [
        {
            "x": tenth + 0.5,
            "y": max(-(-counts.get(tenth, 0) // abreast) + 0.1, expected / abreast),
            "text": f"<b>{counts[tenth]}</b>" if counts.get(tenth) else "0",
            "opacity": 1 if counts.get(tenth) else 0.55,
            "showarrow": False,
            "yanchor": "bottom",
            "font": {"size": 15 if counts.get(tenth, 0) == max(counts.values(), default=0) else 12},
        }
        for tenth in range(TENTHS)
    ]


def _expected_words(expected: float, abreast: int) -> list[dict[str, Any]]:
    words = f"{number(expected, 1)} in each tenth, if the reference<br>were a prompt like any other"
    place = {"x": 0, "y": expected / abreast, "xanchor": "left", "yanchor": "bottom", "yshift": 24}
    return [{"text": words, "align": "left", "showarrow": False, "opacity": 0.8, "font": {"size": 12}, **place}]


def share_strips(by_model: pl.DataFrame, cells: pl.DataFrame) -> Picture:
    """A row a model: share of its cells that are high, with Wilson's interval; the line is what chance would give.

    Args:
        by_model: `engine.analysis.calls.calls_by_model`.
        cells: Gives the order of the models.
    """
    known = {row["model_name"]: row for row in by_model.iter_rows(named=True) if row["high_share"] is not None}
    rows = [_share_row(known[model]) for model in model_order(cells) if model in known]
    expected = by_model["expected_share"][0] * 100 if len(by_model) else None
    says = "Share of tasks on which the reference is high, by model, with 95 % intervals"
    heads = ("high", "95 % interval")
    panel = Panel("shares", rows, 0.0, 100.0)
    return Picture([panel], says, (), heads, " %", wide=True, low_rows=True, line=expected, clickable=False)


def _share_row(row: Mapping[str, Any]) -> Row:
    share, low, high = (row[name] * 100 for name in ("high_share", "ci_low", "ci_high"))
    interval = f"{number(low)}–{number(high)} %"
    counted = of(row["high"], row["n_cells"])
    name = label(row["model_name"])
    mark = Mark(share, "high" if row["high"] else "none", f"{counted} tasks high, 95 % interval {interval}")
    says = f"{name}: {counted} high, {interval}"
    return Row(row["model_name"], name, name, says, reach=(low, high), marks=[mark], columns=(counted, interval))


def cell_hover(cell: Mapping[str, Any], reference: Reference) -> str:
    """Value first, then who, then the call: what a cell says under the pointer."""
    who = plotly_text(f"{label(cell['model_name'])} on {cell['task_name']}", lines=2)
    share = percent(cell["place_midrank"], 0)
    return (
        f"<b>{share}</b> of prompts below the {HEADS[reference]} score ({points(cell['reference_score'])})"
        f"<br>{who}<br>{call_words(cell)}"
    )


def place_grid(cells: pl.DataFrame, reference: Reference, palette: Palette) -> Figure:
    """Tasks × models: in each cell the glyph of the call and the place of the reference in per cent.

    Clicks come back from invisible squares that carry model and task in `customdata`; a heat map gives none.
    """
    models, tasks = model_order(cells), task_order(cells)
    column = {model: number for number, model in enumerate(models)}
    row = {task: number for number, task in enumerate(tasks)}
    shown = list(placed(cells).iter_rows(named=True))
    spots = [(column[cell["model_name"]], row[cell["task_name"]]) for cell in shown]
    traces = [_grid_fill(shown, spots, models, tasks, palette)]
    if len(shown) * 2 <= MOST_MARKS:
        traces += [_grid_figures(shown, spots), *_grid_glyphs(shown, spots, palette)]
    traces.append(_grid_targets(shown, spots, reference))
    heads = [_head(name) for name in short_names(models).values()]
    layout = base_layout(height=GRID_ROW * len(tasks) + 64, left=8, right=8, top=56, bottom=8)
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "automargin": True}
    layout |= {
        "xaxis": {
            **axis,
            "side": "top",
            "tickangle": 0,
            "tickvals": list(range(len(models))),
            "ticktext": heads,
            "range": [-0.5, len(models) - 0.5],
        },
        "yaxis": {
            **axis,
            "tickvals": list(range(len(tasks))),
            "ticktext": [plotly_text(task, lines=1) for task in tasks],
            "range": [len(tasks) - 0.5, -0.5],
            "ticklabelstandoff": 8,
        },
    }
    return Figure({"data": traces, "layout": layout})


Spot = tuple[int, int]
Cell = Mapping[str, Any]


def _grid_fill(
    shown: Sequence[Cell], spots: Sequence[Spot], models: Sequence[str], tasks: Sequence[str], palette: Palette
) -> dict[str, Any]:
    codes = {"low": 0, "typical": 1, "high": 2}
    calls: list[list[int | None]] = [[None] * len(models) for _ in tasks]
    for cell, (x, y) in zip(shown, spots, strict=True):
        calls[y][x] = codes.get(cell["call"] or "", 1)
    tints = [mixed(palette.calls[call], palette.page, TINT if call != "typical" else 0.1) for call in codes]
    steps = [(edge / 3, tint) for number, tint in enumerate(tints) for edge in (number, number + 1)]
    fill = {"type": "heatmap", "z": calls, "colorscale": steps, "zmin": 0, "zmax": 2, "showscale": False}
    return {**fill, "xgap": 3, "ygap": 3, "hoverinfo": "skip"}


def _grid_figures(shown: Sequence[Cell], spots: Sequence[Spot]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x + 0.1 for x, _ in spots],
        "y": [y for _, y in spots],
        "text": [number(cell["place_midrank"] * 100) for cell in shown],
        "textfont": {"size": 13},
        "hoverinfo": "skip",
    }


def _grid_glyphs(shown: Sequence[Cell], spots: Sequence[Spot], palette: Palette) -> list[dict[str, Any]]:
    by_call: dict[str, list[Spot]] = {}
    for cell, spot in zip(shown, spots, strict=True):
        by_call.setdefault(cell["call"] or "none", []).append(spot)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": call,
            "x": [x - 0.24 for x, _ in places],
            "y": [y for _, y in places],
            "marker": {"symbol": _symbol(call), "size": 8, "color": _colour(call, palette), "line": {"width": 0}},
            "unselected": {"marker": {"opacity": 1}},
            "hoverinfo": "skip",
        }
        for call, places in by_call.items()
    ]


def _grid_targets(shown: Sequence[Cell], spots: Sequence[Spot], reference: Reference) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "targets",
        "x": [x for x, _ in spots],
        "y": [y for _, y in spots],
        "marker": {"symbol": "square", "size": GRID_ROW - 4, "opacity": 0},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hoverinfo": "text",
        "hovertext": [cell_hover(cell, reference) for cell in shown],
        "customdata": [[cell["model_name"], cell["task_name"]] for cell in shown],
    }


def _head(name: str) -> str:
    parts = plotly_text(name, lines=1)
    cut = name.find("-", 3)
    return parts if len(name) <= 8 or cut < 0 else f"{plotly_text(name[: cut + 1])}<br>{plotly_text(name[cut + 1 :])}"
