"""How ranks move from one leaderboard to the next: columns of models, height = points, the target in its colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.leaderboard_simulator import Cause, Scenario, ScenarioLeaderboard, Step
from engine.analysis.ranking import Aggregate
from ui.charts.label_places import pushed_apart
from ui.charts.short_names import short_names
from ui.charts.theme import Palette, base_layout
from ui.formats import MINUS, label, number, ordinal, plotly_text, points

MOST_SLOPES = 20
"""Above so many models a slope cannot be followed; rows on the axis of points take over."""
LONGEST_LABEL = 28
ROW_GAP = 19
TOP, BOTTOM = 58, 58
FAINT = "fill-opacity:0.78"


@dataclass(frozen=True)
class Board:
    """One leaderboard of a movement: a column of the picture."""

    title: str
    points: Mapping[str, float]
    ranks: Mapping[str, int]


@dataclass(frozen=True)
class Move:
    """What happens between two boards, and what it does to the target."""

    title: str
    words: str


@dataclass(frozen=True)
class Movement:
    """Boards from left to right, and what moves the target from each to the next."""

    boards: Sequence[Board]
    moves: Sequence[Move]
    target: str
    aggregate: Aggregate


def worth(value: float | None, aggregate: Aggregate) -> str:
    """The aggregate as it stands on the screen: Borda points as they are, means × 100."""
    if aggregate is not Aggregate.BORDA:
        return points(value)
    return number(value, 0 if value is None or float(value).is_integer() else 1)


def signed_worth(value: float, aggregate: Aggregate) -> str:
    """A change of the aggregate with its sign and a true minus."""
    written = worth(abs(value), aggregate)
    nothing = float(written.replace(",", "")) == 0
    return written if nothing else f"{'+' if value > 0 else MINUS}{written}"


_HEADS = {
    Scenario.DEFAULT: ("All default", "All default", "All default"),
    Scenario.DEFAULT_VS_WORST: ("All default", "Others worst,<br>target default", ""),
    Scenario.BEST_VS_DEFAULT: ("All default", "", "Target best,<br>others default"),
    Scenario.BEST_VS_WORST: ("All default", "Others worst,<br>target default", "Others worst,<br>target best"),
    Scenario.CUSTOM: ("All default", "Others as chosen,<br>target default", "All as chosen"),
}


def movement_of(leaderboard: ScenarioLeaderboard) -> Movement:
    """The movement of a scenario: only the boards that its rules tell apart, and the causes between them."""
    aggregate = leaderboard.rules.aggregate
    heads = _HEADS[leaderboard.scenario]
    steps = [step for step, head in zip(Step, heads, strict=True) if head]
    if leaderboard.scenario is Scenario.DEFAULT:
        steps = steps[:1]
    boards = [_board(leaderboard.movement, step, heads[list(Step).index(step)], aggregate) for step in steps]
    causes = {row["cause"]: row for row in leaderboard.causes.iter_rows(named=True)}
    at_end = {Step.RIVALS: Cause.RIVALS, Step.END: Cause.OWN}
    moves = [_move(causes[at_end[step]], aggregate) for step in steps[1:]]
    return Movement(boards, moves, leaderboard.target_model_name, aggregate)


def _board(movement: pl.DataFrame, step: Step, title: str, aggregate: Aggregate) -> Board:
    rows = movement.filter(pl.col("step") == step.value, pl.col("rank").is_not_null())
    names = rows["model_name"].to_list()
    worths = dict(zip(names, rows[aggregate.column].to_list(), strict=True))
    return Board(title, worths, dict(zip(names, rows["rank"].to_list(), strict=True)))


def _move(cause: Mapping[str, Any], aggregate: Aggregate) -> Move:
    gained = cause["gained"]
    if gained is None:
        return Move(cause["cause"], "not ranked")
    unit = "point" if worth(abs(gained), aggregate) == "1" else "points"
    return Move(cause["cause"], f"{ranks_words(cause['ranks_gained'])}, {signed_worth(gained, aggregate)} {unit}")


def ranks_words(ranks_gained: int) -> str:
    """`+5 ranks`, `−1 rank`, `same rank`."""
    if ranks_gained == 0:
        return "same rank"
    sign = "+" if ranks_gained > 0 else MINUS
    return f"{sign}{abs(ranks_gained)} rank{'' if abs(ranks_gained) == 1 else 's'}"


def picture_names(model_names: Sequence[str]) -> dict[str, str]:
    """Names as labels of a picture: whole after the slash, or all short where one would be too long."""
    whole = {name: label(name) for name in model_names}
    return (
        short_names(model_names, LONGEST_LABEL) if max(map(len, whole.values()), default=0) > LONGEST_LABEL else whole
    )


def slopes(movement: Movement, colour: str, palette: Palette) -> Figure:
    """Columns of models from board to board; height = points, rank bold, points grey, the target drawn last.

    Clicks come back with the model's name in `customdata`.

    Args:
        movement: At least one board, all of the same models.
        colour: The target's.
        palette: Colours of the theme.
    """
    boards = movement.boards
    names = picture_names(list(boards[0].points))
    every = [value for board in boards for value in board.points.values()]
    low, high = min(every, default=0.0), max(every, default=1.0)
    height = max(400, ROW_GAP * len(names) + TOP + BOTTOM)
    room = (high - low or 1.0) * 0.04
    unit = (high - low + 2 * room or 1.0) / (height - TOP - BOTTOM)
    side = 30 + round(6.7 * (max(map(len, names.values()), default=0) + 7))
    layout = base_layout(height=height, left=side, right=side, top=TOP, bottom=BOTTOM) | {
        "xaxis": {"range": [0, max(len(boards) - 1, 1)], "visible": False, "fixedrange": True},
        "yaxis": {"range": [low - room, high + room], "visible": False, "fixedrange": True},
        "shapes": [_pole(x, palette) for x in range(len(boards))],
    }
    annotations: list[dict[str, Any]] = []
    for x, board in enumerate(boards):
        place = "left" if x == 0 else "right" if x == len(boards) - 1 else "middle"
        annotations += _labels(movement, x, place, names, ROW_GAP * unit, colour, palette)
        annotations.append(_head(board.title, x, place))
        layout["shapes"] += _leaders(board, x, place, ROW_GAP * unit, palette)
    annotations += [_move_words(move, x) for x, move in enumerate(movement.moves)]
    layout["annotations"] = annotations
    return Figure({"data": _slope_traces(movement, names, colour, palette), "layout": layout})


def _slope_traces(movement: Movement, names: Mapping[str, str], colour: str, palette: Palette) -> list[dict[str, Any]]:
    rivals: dict[str, list[Any]] = {"x": [], "y": [], "hovertext": [], "customdata": []}
    own: dict[str, list[Any]] = {"x": [], "y": [], "hovertext": [], "customdata": []}
    for model in names:
        spots = own if model == movement.target else rivals
        for x, board in enumerate(movement.boards):
            known = model in board.points
            spots["x"].append(x)
            spots["y"].append(board.points[model] if known else None)
            spots["hovertext"].append(_hover(movement, model, x) if known else "")
            spots["customdata"].append(model)
        if model != movement.target:
            for column, gap in (("x", None), ("y", None), ("hovertext", ""), ("customdata", None)):
                spots[column].append(gap)
    look = {"type": "scatter", "mode": "lines+markers", "hoverinfo": "text", "connectgaps": False, "cliponaxis": False}
    still = {"unselected": {"marker": {"opacity": 1}}, "selected": {"marker": {"opacity": 1}}}
    return [
        {**look, **still, **rivals, "name": "rivals", "line": {"width": 1.6, "color": palette.other_model},
         "marker": {"size": 7, "color": palette.other_model, "line": {"width": 0}}},
        {**look, **still, **own, "name": "target", "line": {"width": 4, "color": colour},
         "marker": {"size": 12, "color": colour, "line": {"width": 0}}},
    ]  # fmt: skip


def _hover(movement: Movement, model: str, x: int) -> str:
    board = movement.boards[x]
    value = f"<b>{worth(board.points[model], movement.aggregate)}</b> points, {ordinal(board.ranks[model])}"
    return f"{value}<br>{plotly_text(model, lines=1)}<br>{board.title.replace('<br>', ' ')}"


def _pole(x: int, palette: Palette) -> dict[str, Any]:
    ends = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "layer": "below", "line": {"color": palette.rule, "width": 1}, **ends}


def _labels(
    movement: Movement, x: int, place: str, names: Mapping[str, str], gap: float, colour: str, palette: Palette
) -> list[dict[str, Any]]:
    board = movement.boards[x]
    models = list(board.points)
    heights = pushed_apart([board.points[model] for model in models], gap)
    anchors = {"left": ("right", -18), "right": ("left", 18), "middle": ("left", 11)}
    anchor, shift = anchors[place]
    ground = {"bgcolor": palette.page, "borderpad": 1} if place == "middle" else {}
    return [
        {
            "x": x,
            "y": height,
            "text": _label(movement, x, place, model, names[model], colour),
            "showarrow": False,
            "xanchor": anchor,
            "xshift": shift,
            "font": {"size": 13},
            **ground,
        }
        for model, height in zip(models, heights, strict=True)
    ]


def _label(movement: Movement, x: int, place: str, model: str, name: str, colour: str) -> str:
    board = movement.boards[x]
    rank = f"<b>{number(board.ranks[model])}</b>"
    value = f'<span style="{FAINT}">{worth(board.points[model], movement.aggregate)}</span>'
    who = plotly_text(name, lines=1)
    target = model == movement.target
    strong = f'<span style="color:{colour}"><b>{who}</b></span>' if target else who
    coloured = f'<span style="color:{colour}">{rank}</span>' if target else rank
    words = {"left": f"{strong} {value}  {coloured}", "right": f"{coloured}  {strong} {value}"}
    return words.get(place, f"{coloured}  {value}")


def _leaders(board: Board, x: int, place: str, gap: float, palette: Palette) -> list[dict[str, Any]]:
    """Short lines from a mark to a label that had to move away from it."""
    models = list(board.points)
    heights = pushed_apart([board.points[model] for model in models], gap)
    ends = {"left": (-7, -16), "right": (7, 16), "middle": (5, 10)}[place]
    return [
        {
            "type": "line",
            "layer": "below",
            "xref": "x",
            "xsizemode": "pixel",
            "xanchor": x,
            "x0": ends[0],
            "x1": ends[1],
            "y0": board.points[model],
            "y1": height,
            "line": {"color": palette.ink3, "width": 1},
        }
        for model, height in zip(models, heights, strict=True)
        if abs(height - board.points[model]) > gap / 5
    ]


def _head(title: str, x: int, place: str) -> dict[str, Any]:
    anchor = {"left": "right", "right": "left", "middle": "center"}[place]
    shift = {"left": 8, "right": -8, "middle": 0}[place]
    return {
        "x": x,
        "xref": "x",
        "yref": "paper",
        "y": 1,
        "yshift": 14,
        "yanchor": "bottom",
        "xanchor": anchor,
        "xshift": shift,
        "align": anchor,
        "text": f"<b>{title}</b>",
        "showarrow": False,
        "font": {"size": 13},
    }


def _move_words(move: Move, x: int) -> dict[str, Any]:
    return {
        "x": x + 0.5,
        "xref": "x",
        "yref": "paper",
        "y": 0,
        "yshift": -14,
        "yanchor": "top",
        "text": f"<b>{move.title[:1].upper()}{move.title[1:]}</b><br>{move.words}",
        "showarrow": False,
        "font": {"size": 12},
    }
