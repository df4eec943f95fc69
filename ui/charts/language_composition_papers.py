"""Papers side by side: a row a language, width = share of its rows, height = mean; beside it the score that comes out.

What has no score keeps its place, hatched; the line on the right is what the largest task alone does to the score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from plotly.graph_objects import Figure

from engine.analysis.language_papers import LanguagePapers
from ui.charts.short_names import short_task
from ui.charts.theme import TASK_TYPES, Palette, base_layout, mixed, text_on
from ui.formats import count, counted, percent, plotly_text, points, shortened, signed_points

ROW, TALL, WORDS = 38, 92, 24
"""Height of a language's row, of a pinned one's, and of the words above a pinned one's bars."""
TOP, BOTTOM = 44, 30
SMALL = 0.02
"""Tasks with a smaller share are drawn together by type."""
NAMED = 0.08
"""Bars with at least this share carry their task's name, where it fits."""
SCORES = 0.66
"""Where the axis of scores begins, as a share of the width."""
FILLED, GAP = 0.84, 0.9
LONGEST_LABEL = 24


def paper_rows(papers: LanguagePapers, pinned: Sequence[str], palette: Palette) -> Figure:
    """A row a language in the order given; clicks give the language's code in `customdata`.

    Args:
        papers: Papers and marks.
        pinned: Languages drawn twice as tall, with their largest task written out.
        palette: Colours of the theme.
    """
    rows = list(papers.languages.iter_rows(named=True))
    words = [WORDS if row["language"] in pinned else 0 for row in rows]
    heights = [TALL - WORDS if row["language"] in pinned else ROW for row in rows]
    tops = [sum(heights[:at]) + sum(words[: at + 1]) for at in range(len(rows))]
    bars = _bars(papers, dict(zip(papers.languages["language"], zip(tops, heights, strict=True), strict=True)))
    whole = sum(heights) + sum(words)
    layout = base_layout(height=whole + TOP + BOTTOM, left=8, right=150, top=TOP, bottom=BOTTOM) | {
        "barmode": "overlay",
        "uniformtext": {"minsize": 12, "mode": "hide"},
        "xaxis": _axis([0, 1], [0, SCORES - 0.05]) | {"showgrid": False, "showticklabels": False},
        "xaxis2": _axis(_score_range(papers.languages), [SCORES, 1])
        | {"anchor": "y", "side": "bottom", "gridcolor": palette.rule},
        "yaxis": {
            "range": [whole, 0],
            "tickvals": [top + height / 2 for top, height in zip(tops, heights, strict=True)],
            "ticktext": [_label(row, tall=row["language"] in pinned) for row in rows],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticklabelstandoff": 8,
        },
        "shapes": [_ground(top, height, palette) for top, height in zip(tops, heights, strict=True)],
        "annotations": [
            *(_written(row, top) for row, top in zip(rows, tops, strict=True) if row["language"] in pinned),
            *(note for row, top, height in zip(rows, tops, heights, strict=True) for note in _values(row, top, height)),
            *_heads(),
        ],
    }
    traces = [_trace(bars, scored, palette) for scored in (True, False)]
    return Figure({"data": [*traces, *_marks(rows, tops, heights, pinned, palette)], "layout": layout})


def _axis(values: Sequence[float], domain: Sequence[float]) -> dict[str, Any]:
    return {"range": list(values), "domain": list(domain), "zeroline": False, "fixedrange": True}


def _score_range(languages: pl.DataFrame) -> list[float]:
    scores = [value * 100 for name in ("score", "score_without") for value in languages[name].drop_nulls()]
    low, high = min(scores, default=0.0), max(scores, default=100.0)
    room = max(high - low, 5.0) * 0.06
    return [low - room, high + room]


def _bars(papers: LanguagePapers, places: Mapping[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """Bars by language: corpora with the largest share first, the tasks of a corpus side by side."""
    bars = []
    for row in _pooled(papers.tasks).iter_rows(named=True):
        top, height = places[row["language"]]
        full = height * FILLED
        tall = full * max(row["mean"], 0.02) if row["mean"] is not None else full
        bars.append({**row, "bottom": top + height * GAP, "tall": tall})
    return bars


def _pooled(tasks: pl.DataFrame) -> pl.DataFrame:
    """Large tasks as they are, sorted by corpus; small ones by task type at the end; `start` = shares to the left."""
    is_large, of_corpus = pl.col("share") >= SMALL, pl.col("share").sum().over("language", "corpus")
    large = tasks.filter(is_large).sort(of_corpus, "corpus", "share", descending=[True, False, True])
    order = {name: place for place, name in enumerate(TASK_TYPES)}
    is_scored = pl.col("rows") > 0
    mean = (pl.col("mean") * pl.col("rows")).sum() / pl.col("rows").sum()
    small = (
        tasks.filter(~is_large)
        .group_by("language", "task_type", is_scored.alias("is_scored"))
        .agg(pl.col("rows", "rows_described", "share").sum(), n=pl.len(), mean=mean.fill_nan(None))
        .with_columns(
            task_name=pl.lit(""),
            corpus=pl.lit(""),
            place=pl.col("task_type").replace_strict(order, default=len(order), return_dtype=pl.Int64),
        )
        .sort("place", "task_type", "is_scored", descending=[False, False, True])
    )
    return (
        pl.concat([large.with_columns(n=pl.lit(1, pl.UInt32)), small.drop("place", "is_scored")], how="diagonal")
        .sort("language", maintain_order=True)
        .with_columns(start=(pl.col("share").cum_sum() - pl.col("share")).over("language"))
    )


def _trace(bars: Sequence[Mapping[str, Any]], scored: bool, palette: Palette) -> dict[str, Any]:
    own = [bar for bar in bars if (bar["mean"] is not None) is scored]
    fills = [palette.task_colour(bar["task_type"]) for bar in own]
    # Plotly draws the lines of a pattern in the marker's own colour.
    lines = [mixed(fill, palette.page, 0.45) for fill in fills]
    grounds = [mixed(fill, palette.page, 0.1) for fill in fills]
    hatched = {"shape": "/", "bgcolor": grounds, "size": 8, "solidity": 0.22}
    return {
        "type": "bar",
        "orientation": "h",
        "name": "scored" if scored else "no score",
        "base": [bar["start"] for bar in own],
        "x": [bar["share"] for bar in own],
        "y": [bar["bottom"] - bar["tall"] / 2 for bar in own],
        "width": [bar["tall"] for bar in own],
        "text": [_inside(bar) for bar in own],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "textfont": {"size": 12, "color": [text_on(fill) for fill in fills] if scored else palette.ink},
        "marker": {
            "color": fills if scored else lines,
            "line": {"width": 1, "color": palette.page},
            **({} if scored else {"pattern": hatched}),
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hoverinfo": "text",
        "hovertext": [_hover(bar) for bar in own],
        "customdata": [bar["language"] for bar in own],
    }


def _inside(bar: Mapping[str, Any]) -> str:
    if bar["share"] < NAMED or not bar["task_name"]:
        return ""
    name = plotly_text(paper_name(bar["task_name"]), lines=1)
    return f"{name} {percent(bar['share'], 0)}{'' if bar['mean'] is not None else ', no scores'}"


def paper_name(task_name: str) -> str:
    """A task's name without its kind, for a bar: `BibleNLP`, `NTREX`."""
    return shortened(short_task(task_name.removesuffix("BitextMining") or task_name, 24), 24)


def _hover(bar: Mapping[str, Any]) -> str:
    value = f"<b>{points(bar['mean'])}</b>" if bar["mean"] is not None else "<b>no score here</b>"
    rows = f"{counted(max(bar['rows'], bar['rows_described']), 'row')}, {percent(bar['share'])} of the paper"
    who = bar["task_name"] or f"{counted(bar['n'], 'small task')} of type {bar['task_type'] or 'unknown'}"
    return f"{value} over {rows}<br>{plotly_text(who, lines=1)}<br>{plotly_text(bar['corpus'], lines=1)}".rstrip("<br>")


def _ground(top: float, height: float, palette: Palette) -> dict[str, Any]:
    bottom = top + height * GAP
    return {
        "type": "line", "xref": "x", "x0": 0, "x1": 1, "y0": bottom, "y1": bottom,
        "line": {"color": palette.ink3, "width": 1}, "layer": "above",
    }  # fmt: skip


def _marks(
    rows: Sequence[Mapping[str, Any]],
    tops: Sequence[float],
    heights: Sequence[float],
    pinned: Sequence[str],
    palette: Palette,
) -> list[dict[str, Any]]:
    """Line, ring and dot of each language on the axis of scores."""
    own = [(row, top + height / 2) for row, top, height in zip(rows, tops, heights, strict=True)]
    own = [(row, y) for row, y in own if row["score"] is not None]
    inks = [palette.accent if row["language"] in pinned else palette.prompt for row, _ in own]
    ends = [row["score"] if row["score_without"] is None else row["score_without"] for row, _ in own]
    stems = [
        _stem([(row, y, end) for (row, y), end in zip(own, ends, strict=True) if (row["language"] in pinned) is strong],
              palette.accent if strong else palette.prompt, 4.5 if strong else 2.5)
        for strong in (False, True)
    ]  # fmt: skip
    values = {"circle-open": [row["score"] for row, _ in own], "circle": [row["score_without"] for row, _ in own]}
    return stems + [
        {
            "type": "scatter", "mode": "markers", "xaxis": "x2", "cliponaxis": False,
            "x": [None if value is None else value * 100 for value in found],
            "y": [y for _, y in own],
            "marker": {"symbol": symbol, "size": 10, "color": inks, "opacity": 1, "line": {"width": 2, "color": inks}},
            "unselected": {"marker": {"opacity": 1}},
            "hoverinfo": "text",
            "hovertext": [_score_hover(row, symbol) for row, _ in own],
            "customdata": [row["language"] for row, _ in own],
        }
        for symbol, found in values.items()
    ]  # fmt: skip


def _stem(own: Sequence[tuple[Mapping[str, Any], float, float]], ink: str, width: float) -> dict[str, Any]:
    """Lines from the score to the score without. No bars: a second subplot with bars lets small text in the first."""
    return {
        "type": "scatter", "mode": "lines", "xaxis": "x2", "hoverinfo": "skip",
        "x": [value for row, _, end in own for value in (row["score"] * 100, end * 100, None)],
        "y": [value for _, y, _ in own for value in (y, y, None)],
        "line": {"color": ink, "width": width},
    }  # fmt: skip


def _score_hover(row: Mapping[str, Any], symbol: str) -> str:
    name = plotly_text(row["language_name"], lines=1)
    if symbol == "circle-open":
        return f"<b>{points(row['score'])}</b> as published<br>{name}, {counted(row['rows'], 'row')}"
    return f"<b>{points(row['score_without'])}</b> without {plotly_text(row['largest_task'], lines=1)}<br>{name}"


def _label(row: Mapping[str, Any], *, tall: bool) -> str:
    name = plotly_text(shortened(row["language_name"], LONGEST_LABEL), lines=1)
    if tall:
        return f"<b>{name}</b><br>{counted(row['rows_described'] or row['rows'], 'row')}"
    return f"{name} <span style='fill-opacity:0.7'>{count(row['rows_described'] or row['rows'])}</span>"


def _written(row: Mapping[str, Any], top: float) -> dict[str, Any]:
    """What a pinned language's largest task is, above its bar."""
    if row["largest_task"] is None:
        return {"x": 0, "y": top, "text": "", "showarrow": False}
    name = plotly_text(row["largest_task"], lines=1)
    of = f"{counted(row['rows_of_largest'], 'row')}, {percent(row['largest_share'], 0)} of those with a score"
    return {
        "xref": "x", "x": 0, "xanchor": "left", "y": top - WORDS / 2 + 4, "yanchor": "middle", "align": "left",
        "showarrow": False, "font": {"size": 13},
        "text": f"<b>{name}</b>: {of}, mean <b>{points(row['mean_of_largest'])}</b>",
    }  # fmt: skip


def _values(row: Mapping[str, Any], top: float, height: float) -> list[dict[str, Any]]:
    texts = (points(row["score"]), points(row["score_without"]), signed_points(row["change"]))
    return [
        {"xref": "paper", "x": 1, "xanchor": "right", "xshift": 46 + 50 * at, "y": top + height / 2, "text": text,
         "showarrow": False, "font": {"size": 13}, "yanchor": "middle"}
        for at, text in enumerate(texts)
    ]  # fmt: skip


def _heads() -> list[dict[str, Any]]:
    place: dict[str, Any] = {"yref": "paper", "y": 1, "yshift": 6, "yanchor": "bottom", "showarrow": False}
    words: dict[str, Any] = {**place, "opacity": 0.75, "font": {"size": 12}}
    columns = ("○ as<br>published", "● with-<br>out", "change")
    return [
        {**words, "xref": "paper", "x": 0, "xanchor": "left", "text": "the paper: share of rows"},
        {**words, "xref": "paper", "x": SCORES, "xanchor": "left", "text": "the score"},
        *(
            {**words, "xref": "paper", "x": 1, "xanchor": "right", "align": "right", "xshift": 46 + 50 * at,
             "text": text}
            for at, text in enumerate(columns)
        ),
    ]  # fmt: skip
