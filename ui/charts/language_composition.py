"""What a language score is made of: bars whose width is rows and height the mean, so that areas add up to the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.language_composition import LanguageComposition
from ui.charts.language_composition_papers import paper_name
from ui.charts.theme import TASK_TYPES, Palette, base_layout, text_on
from ui.formats import count, counted, percent, plotly_text, points

HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 258, 30, 26, 36, 62
ALONE = 0.012
"""Tasks with at least this share of the rows are drawn alone; the rest together by task type."""
NAMED = 0.035


class Grouping(StrEnum):
    """What stands side by side."""

    TASK_TYPE = "task type"
    CORPUS = "corpus"
    NONE = "none"


def variwide(composition: LanguageComposition, grouping: Grouping, palette: Palette) -> Figure:
    """Bars from left to right, the score as a dotted line across; clicks give the task in `customdata`.

    Args:
        composition: What the score is made of; it has one.
        grouping: In which order bars stand.
        palette: Colours of the theme.
    """
    bars = _bars(composition, grouping)
    score = (composition.score or 0.0) * 100
    fills = [palette.task_colour(bar["task_type"]) for bar in bars]
    starts = [0.0]
    for bar in bars:
        starts.append(starts[-1] + bar["share"])
    trace = {
        "type": "bar",
        "x": [start + bar["share"] / 2 for start, bar in zip(starts, bars, strict=False)],
        "width": [bar["share"] for bar in bars],
        "y": [bar["mean"] * 100 for bar in bars],
        "text": [_inside(bar) for bar in bars],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "textfont": {"size": 12, "color": [text_on(fill) for fill in fills]},
        "marker": {"color": fills, "line": {"width": 1, "color": palette.page}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [_hover(bar) for bar in bars],
        "customdata": [bar["task_name"] for bar in bars],
    }
    layout = base_layout(height=HEIGHT, left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM) | {
        "uniformtext": {"minsize": 12, "mode": "hide"},
        "xaxis": {"range": [0, 1], "visible": False, "fixedrange": True},
        "yaxis": {
            "range": [min(0.0, *(bar["mean"] * 100 for bar in bars)), 100],
            "tickvals": [0, 50, 100],
            "gridcolor": palette.rule,
            "zeroline": True,
            "zerolinecolor": palette.ink3,
            "fixedrange": True,
        },
        "shapes": [
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": score, "y1": score,
             "line": {"color": palette.ink, "width": 2, "dash": "dot"}}
        ],
        "annotations": [*_heads(composition, bars), _score(score)],
    }  # fmt: skip
    return Figure({"data": [trace], "layout": layout})


def _bars(composition: LanguageComposition, grouping: Grouping) -> list[dict[str, Any]]:
    held = composition.tasks.filter(pl.col("rows") > 0).with_columns(n=pl.lit(1))
    alone, small = held.filter(pl.col("share") >= ALONE), held.filter(pl.col("share") < ALONE)
    pooled = small.group_by("task_type", maintain_order=True).agg(
        pl.col("n", "rows", "share", "contribution").sum(), uses_train=pl.col("uses_train").any()
    ).with_columns(mean=pl.col("contribution") / pl.col("share"), task_name=pl.lit(""), corpus=pl.lit(""))  # fmt: skip
    columns = ("task_name", "task_type", "corpus", "n", "rows", "share", "mean", "uses_train")
    bars = [
        *alone.select(columns).iter_rows(named=True),
        *pooled.select(columns).iter_rows(named=True),
    ]
    place = {name: at for at, name in enumerate(TASK_TYPES)}
    by_corpus: dict[str, float] = {}
    for bar in bars:
        by_corpus[bar["corpus"]] = by_corpus.get(bar["corpus"], 0.0) + bar["share"]

    def order(bar: Mapping[str, Any]) -> tuple[Any, ...]:
        is_pool, of_type = not bar["task_name"], place.get(bar["task_type"], len(place))
        if grouping is Grouping.TASK_TYPE:
            return (of_type, is_pool, -bar["share"], bar["task_name"])
        if grouping is Grouping.CORPUS:
            return (is_pool, 0 if is_pool else -by_corpus[bar["corpus"]], bar["corpus"], -bar["share"], of_type)
        return (is_pool, 0 if is_pool else -bar["share"], of_type, bar["task_name"])

    return sorted(bars, key=order)


def _inside(bar: Mapping[str, Any]) -> str:
    if bar["share"] < NAMED:
        return ""
    name = plotly_text(paper_name(bar["task_name"]) if bar["task_name"] else f"{bar['n']} small", lines=1)
    train = " (train)" if bar["uses_train"] else ""
    return f"<b>{name}</b>{train}<br>{points(bar['mean'])}<br>{percent(bar['share'], 0)}"


def _hover(bar: Mapping[str, Any]) -> str:
    who = bar["task_name"] or f"{counted(bar['n'], 'small task')} of type {bar['task_type'] or 'unknown'}"
    corpus = f"<br>corpus {plotly_text(bar['corpus'], lines=1)}" if bar["corpus"] not in ("", bar["task_name"]) else ""
    adds = points(bar["mean"] * bar["share"])
    rows = f"{counted(bar['rows'], 'row')}, {percent(bar['share'])}: adds {adds}"
    return f"<b>{points(bar['mean'])}</b> over {rows}<br>{plotly_text(who, lines=1)}{corpus}"


def _heads(composition: LanguageComposition, bars: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    held = composition.tasks.filter(pl.col("rows") > 0)
    name = plotly_text(composition.language_name, lines=1)
    words: dict[str, Any] = {"xref": "paper", "yref": "paper", "y": 1, "yshift": 8, "yanchor": "bottom",
                             "showarrow": False}  # fmt: skip
    small = [bar for bar in bars if not bar["task_name"]]
    rest = ""
    if small:
        share = sum(bar["share"] for bar in small)
        pooled = counted(sum(bar["n"] for bar in small), "task")
        rest = f"{pooled} under {percent(ALONE)} each: {percent(share, 0)} of the weight"
    about = f"<b>{name}</b>  {count(composition.rows)} rows · {counted(held.height, 'task')}"
    return [
        {**words, "x": 0, "xanchor": "left", "text": about, "font": {"size": 14}},
        {**words, "x": 1, "xanchor": "right", "text": rest, "opacity": 0.75, "font": {"size": 12}},
    ]


def _score(score: float) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 1, "xanchor": "left", "xshift": 10, "y": score, "text": f"<b>{points(score / 100)}</b>",
        "showarrow": False, "font": {"size": 15},
    }  # fmt: skip
