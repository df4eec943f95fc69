"""Every model as the target at once: the rank that each reaches in each scenario, as one ladder a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.leaderboard_simulator import Scenario
from ui.charts.short_names import short_names
from ui.charts.theme import Palette, base_layout, text_on
from ui.formats import counted, ordinal, plotly_text

STEPS = {
    "A": Scenario.DEFAULT,
    "B": Scenario.BEST_VS_DEFAULT,
    "C": Scenario.DEFAULT_VS_WORST,
    "D": Scenario.BEST_VS_WORST,
}
"""Own choice alone (B) stands before the rivals' handicap alone (C): where B equals A, the rivals did it all."""
STEP_WORDS = {
    "A": "all use their default",
    "B": "it alone picks its best prompts",
    "C": "it keeps its default, the others get their worst",
    "D": "both",
}
MOST_LADDERS = 8
"""Above so many models a ladder is too narrow for its marks; the table has them all."""
TOP, BOTTOM = 44, 34
PANEL = len(STEPS) + 0.7
"""width of one ladder in steps, with the space to the next"""


def target_ladders(targets: pl.DataFrame, colours: Mapping[str, str], target: str, palette: Palette) -> Figure:
    """A ladder for each target: its rank under A, B, C and D, 1 on top; clicks give the model in `customdata`.

    Args:
        targets: `engine.analysis.leaderboard_simulator.rank_targets`, of at most 8 models.
        colours: A colour for each model.
        target: The chosen one, whose name is underlined.
        palette: Colours of the theme.
    """
    models = targets["target_model_name"].unique(maintain_order=True).to_list()
    ranks = {(row["target_model_name"], row["scenario"]): row for row in targets.iter_rows(named=True) if row["rank"]}
    lowest = max((row["rank"] for row in ranks.values()), default=1)
    layout = base_layout(height=max(400, 30 * lowest + TOP + BOTTOM), left=8, right=8, top=TOP, bottom=BOTTOM) | {
        "xaxis": {
            "range": [-0.6, len(models) * PANEL - 0.95],
            "tickvals": [_x(i, step) for i in range(len(models)) for step in range(len(STEPS))],
            "ticktext": list(STEPS) * len(models),
            "tickangle": 0,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "range": [lowest + 0.5, 0.5],
            "tickvals": list(range(1, lowest + 1)),
            "ticktext": [ordinal(rank) for rank in range(1, lowest + 1)],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 6,
        },
        "shapes": _rungs(len(models), lowest, palette),
        "annotations": _names(models, target),
    }
    return Figure({"data": [_ladder(i, model, ranks, colours[model]) for i, model in enumerate(models)],
                   "layout": layout})  # fmt: skip


def _x(panel: int, step: int) -> float:
    return panel * PANEL + step


def _ladder(panel: int, model: str, ranks: Mapping[tuple[str, str], Mapping[str, Any]], colour: str) -> dict[str, Any]:
    steps = [(step, letter, ranks[key]) for step, (letter, scenario) in enumerate(STEPS.items())
             if (key := (model, scenario.value)) in ranks]  # fmt: skip
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "name": model,
        "x": [_x(panel, step) for step, _, _ in steps],
        "y": [row["rank"] for _, _, row in steps],
        "text": [f"<b>{row['rank']}</b>" for _, _, row in steps],
        "textfont": {"size": 12, "color": text_on(colour)},
        "hoverinfo": "text",
        "hovertext": [_hover(model, letter, row) for _, letter, row in steps],
        "customdata": [model] * len(steps),
        "line": {"width": 2, "color": colour},
        "marker": {"size": 18, "color": colour, "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}, "textfont": {"color": text_on(colour)}},
        "cliponaxis": False,
    }


def _hover(model: str, letter: str, row: Mapping[str, Any]) -> str:
    sharing = row["models_sharing_rank"] - 1
    tie = f", shared with {counted(sharing, 'other')}" if sharing else ""
    who = plotly_text(model, lines=1)
    return f"<b>{ordinal(row['rank'])}</b>{tie}<br>{who}<br>{letter}: {STEP_WORDS[letter]}"


def _rungs(panels: int, lowest: int, palette: Palette) -> list[dict[str, Any]]:
    look = {"type": "line", "layer": "below", "line": {"color": palette.rule, "width": 1}}
    return [
        {**look, "x0": _x(panel, 0) - 0.45, "x1": _x(panel, len(STEPS) - 1) + 0.45, "y0": rank, "y1": rank}
        for panel in range(panels)
        for rank in range(1, lowest + 1)
    ]


def _names(models: Sequence[str], target: str) -> list[dict[str, Any]]:
    """Names over the ladders, every word of a long one on its own line, so that neighbours do not touch."""
    names = short_names(models, 14)
    return [
        {
            "x": _x(panel, 0) + (len(STEPS) - 1) / 2,
            "xref": "x",
            "yref": "paper",
            "y": 1,
            "yshift": 6,
            "yanchor": "bottom",
            "text": _two_lines(names[model], chosen=model == target),
            "showarrow": False,
            "font": {"size": 12},
        }
        for panel, model in enumerate(models)
    ]


def _two_lines(name: str, *, chosen: bool) -> str:
    middle = [at for at, letter in enumerate(name) if letter == "-" and at]
    cut = min(middle, key=lambda at: abs(at - len(name) / 2)) + 1 if len(name) > 8 and middle else len(name)
    lines = [plotly_text(part, lines=1) for part in (name[:cut], name[cut:]) if part]
    words = "<br>".join(lines)
    return f"<b><u>{words}</u></b>" if chosen else f"<b>{words}</b>"
