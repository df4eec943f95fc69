"""What a script costs in tokens: per language against English, and beside the score that a leaderboard gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import label, number, percent, plotly_text, points

ROW = 30
LABELS = 160
UNKNOWN = 0.1
"""From this share of tokens on a mark is hollow."""
CROWDED_ACROSS, CROWDED_UP = 0.08, 0.045
"""Dots nearer than these shares of the picture have their names above and below."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon")


@dataclass(frozen=True)
class Cost:
    """What a model's tokenizer makes of a language."""

    model_name: str
    language: str
    ratio: float | None
    """tokens against English on the same texts, or per character where there is no English"""
    unknown_share: float | None


def token_costs(costs: Sequence[Cost], axis: str, palette: Palette, colours: dict[str, str]) -> Figure:
    """A row per language, a mark per model: across = how many tokens; hollow = a tenth or more are unknown.

    Args:
        costs: Model × language; at least one with a ratio.
        axis: What the axis says, in words.
        palette: Colours of the theme.
        colours: The colour of each model.
    """
    languages = list(dict.fromkeys(cost.language for cost in costs))
    models = list(dict.fromkeys(cost.model_name for cost in costs))
    layout = base_layout(height=ROW * len(languages) + 62, left=LABELS, right=24, top=8, bottom=48) | {
        "xaxis": {"title": {"text": axis}, "fixedrange": True, "rangemode": "tozero", "gridcolor": palette.rule,
                  "zerolinecolor": palette.rule},
        "yaxis": {"range": [len(languages) - 0.5, -0.5], "fixedrange": True, "zeroline": False,
                  "gridcolor": palette.rule, "tickvals": list(range(len(languages))), "ticklabelstandoff": 8,
                  "ticktext": [plotly_text(language, lines=1) for language in languages]},
    }  # fmt: skip
    traces = [
        _marks([cost for cost in costs if cost.model_name == model], languages, SYMBOLS[place % len(SYMBOLS)],
               colours.get(model, palette.other_model), palette)
        for place, model in enumerate(models)
    ]  # fmt: skip
    return Figure({"data": traces, "layout": layout})


def _marks(
    costs: Sequence[Cost], languages: Sequence[str], symbol: str, colour: str, palette: Palette
) -> dict[str, Any]:
    known = [cost for cost in costs if cost.ratio is not None]
    return {
        "type": "scatter", "mode": "markers", "name": plotly_text(label(known[0].model_name)) if known else "",
        "x": [cost.ratio for cost in known], "y": [languages.index(cost.language) for cost in known],
        "marker": {
            "symbol": symbol, "size": 10, "line": {"color": colour, "width": 2},
            "color": [palette.page if (cost.unknown_share or 0) >= UNKNOWN else colour for cost in known],
        },
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{number(cost.ratio, 2)}</b> {plotly_text(cost.language, lines=1)}<br>"
            f"{plotly_text(label(cost.model_name), lines=1)}<br>unknown {percent(cost.unknown_share)}"
            for cost in known
        ],
    }  # fmt: skip


@dataclass(frozen=True)
class CostBesideScore:
    """One language: what it costs a model in tokens, and the score that is published for it."""

    language: str
    ratio: float
    score: float
    unknown_share: float | None = None


def hardly_read(pairs: Sequence[CostBesideScore]) -> tuple[CostBesideScore, ...]:
    """Languages in the quarter “hardly reads it, scores high”: both above the medians of all languages shown."""
    if len(pairs) < 4:
        return ()
    ratio, score = median(pair.ratio for pair in pairs), median(pair.score for pair in pairs)
    return tuple(pair for pair in pairs if pair.ratio > ratio and pair.score > score)


def cost_beside_score(pairs: Sequence[CostBesideScore], palette: Palette) -> Figure:
    """A dot per language: across = tokens against English, up = published score; the telling quarter is shaded.

    Args:
        pairs: Languages with both; at least one.
        palette: Colours of the theme.
    """
    told = set(hardly_read(pairs))
    axis = {"fixedrange": True, "zeroline": False, "gridcolor": palette.rule}
    layout = base_layout(height=420, left=56, right=30, top=26, bottom=48) | {
        "xaxis": axis | {"title": {"text": "tokens for the same text, English = 1"}},
        "yaxis": axis | {"title": {"text": "published score"}},
        "shapes": _quarter(pairs, palette),
        "annotations": _quarter_words(pairs),
    }
    inks = [palette.calls["high"] if pair in told else palette.other_model for pair in pairs]
    trace = {
        "type": "scatter", "mode": "markers+text", "name": "languages", "cliponaxis": False,
        "x": [pair.ratio for pair in pairs], "y": [pair.score * 100 for pair in pairs],
        "text": [plotly_text(pair.language, lines=1) if pair in told or len(pairs) <= 30 else "" for pair in pairs],
        "textposition": _name_places(pairs), "hoverinfo": "text",
        "marker": {"size": 9, "line": {"width": 2, "color": inks},
                   "color": [palette.page if (pair.unknown_share or 0) >= UNKNOWN else ink
                             for pair, ink in zip(pairs, inks, strict=True)]},
        "hovertext": [
            f"<b>{number(pair.ratio, 1)} × tokens, score {points(pair.score)}</b><br>"
            f"{plotly_text(pair.language, lines=1)}<br>unknown {percent(pair.unknown_share)}"
            for pair in pairs
        ],
    }  # fmt: skip
    return Figure({"data": [trace], "layout": layout})


def _name_places(pairs: Sequence[CostBesideScore]) -> list[str]:
    """Names above their dots; below where another dot with its name above is near."""
    across = max(pair.ratio for pair in pairs) - min(pair.ratio for pair in pairs)
    up = max(pair.score for pair in pairs) - min(pair.score for pair in pairs)
    above: list[CostBesideScore] = []
    for pair in sorted(pairs, key=lambda pair: -pair.score):
        if not any(
            abs(pair.ratio - other.ratio) < CROWDED_ACROSS * across and abs(pair.score - other.score) < CROWDED_UP * up
            for other in above
        ):
            above.append(pair)
    return ["top center" if pair in above else "bottom center" for pair in pairs]


def _quarter(pairs: Sequence[CostBesideScore], palette: Palette) -> list[dict[str, Any]]:
    if len(pairs) < 4:
        return []
    ratio, score = median(pair.ratio for pair in pairs), median(pair.score for pair in pairs)
    right, top = max(pair.ratio for pair in pairs) * 1.06, max(pair.score for pair in pairs) * 106
    return [
        {"type": "rect", "x0": ratio, "x1": right, "y0": score * 100, "y1": top, "layer": "below",
         "fillcolor": palette.band, "opacity": 0.6, "line": {"width": 0}}
    ]  # fmt: skip


def _quarter_words(pairs: Sequence[CostBesideScore]) -> list[dict[str, Any]]:
    if len(pairs) < 4:
        return []
    return [
        {"x": max(pair.ratio for pair in pairs) * 1.06, "y": max(pair.score for pair in pairs) * 106,
         "xanchor": "right", "yanchor": "top", "showarrow": False, "text": "hardly reads it, scores high",
         "font": {"size": 13}}
    ]  # fmt: skip
