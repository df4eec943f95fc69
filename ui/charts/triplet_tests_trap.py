"""The threshold trap: what a cut-off would accept of an item's right and wrong candidates, beside the order test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.charts.triplet_tests import HEAD, LABELS, ROW, Candidate, ItemRow, label_note
from ui.formats import number, plotly_text

VERDICT = 84
SPACING = 0.135
"""Room of one mark, as a share of a column."""
MOST_WRONG = 6


def threshold_trap(rows: Sequence[ItemRow], cutoffs: Sequence[float], chosen: float, palette: Palette) -> Figure:
    """A row per model, a column per cut-off: ◆ and ● filled = accepted, hollow = rejected; the order test comes last.

    Args:
        rows: What each model made of the item; at least one.
        cutoffs: Cosines from which a candidate would be accepted, in order.
        chosen: The one that the reader set; its head is bold.
        palette: Colours of the theme.
    """
    layout = base_layout(height=ROW * len(rows) + 12 + HEAD, left=LABELS, right=VERDICT, top=6 + HEAD, bottom=6) | {
        "xaxis": {"range": [0, len(cutoffs)], "visible": False, "fixedrange": True},
        "yaxis": {"range": [len(rows) - 0.5, -0.5], "visible": False, "fixedrange": True},
        "shapes": [_rule(place, palette) for place in range(1, len(cutoffs) + 1)],
        "annotations": [*_heads(cutoffs, chosen), *_words(rows)],
    }  # fmt: skip
    traces = [
        _marks(rows, cutoffs, palette, is_right=is_right, is_accepted=is_accepted)
        for is_right in (True, False)
        for is_accepted in (True, False)
    ]
    return Figure({"data": traces, "layout": layout})


def spread_cutoffs(rows: Sequence[ItemRow], chosen: float) -> tuple[float, ...]:
    """The chosen cut-off and up to three that lie among the item's cosines, in order."""
    values = sorted(each.similarity for row in rows for each in row.measured if each.similarity is not None)
    quarters = [values[round(share * (len(values) - 1))] for share in (0.1, 0.5, 0.9)] if values else []
    return tuple(sorted({round(chosen, 2), *(round(value, 2) for value in quarters)}))


def accepts(candidate: Candidate, cutoff: float) -> bool:
    """The candidate's cosine is at least the cut-off."""
    return candidate.similarity is not None and candidate.similarity >= cutoff


def _rule(place: int, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.rule, "width": 1}
    return {"type": "line", "x0": place, "x1": place, "yref": "paper", "y0": 0, "y1": 1, "layer": "below", "line": line}


def _marks(
    rows: Sequence[ItemRow], cutoffs: Sequence[float], palette: Palette, *, is_right: bool, is_accepted: bool
) -> dict[str, Any]:
    drawn = [
        (column + SPACING * (slot + 0.7), place, each, cutoff, row)
        for column, cutoff in enumerate(cutoffs)
        for place, row in enumerate(rows)
        for slot, each in enumerate(_laid_out(row))
        if each.is_right == is_right and accepts(each, cutoff) == is_accepted
    ]
    ink = palette.outcomes["right" if is_right else "fail"]
    return {
        "type": "scatter", "mode": "markers", "x": [x for x, *_ in drawn], "y": [place for _, place, *_ in drawn],
        "name": f"{'right' if is_right else 'wrong'}, {'accepted' if is_accepted else 'rejected'}",
        "marker": {
            "symbol": "diamond" if is_right else "circle", "size": 12 if is_right else 9,
            "color": ink if is_accepted else palette.page, "line": {"color": ink, "width": 1.6},
        },
        "hoverinfo": "text",
        "hovertext": [
            f"<b>{'accepted' if is_accepted else 'rejected'}</b> {number(each.similarity, 4)} at {number(cutoff, 2)}"
            f"<br>{plotly_text(row.name, lines=1)}<br>{plotly_text(each.text, lines=1)}"
            for _, _, each, cutoff, row in drawn
        ],
    }  # fmt: skip


def _laid_out(row: ItemRow) -> list[Candidate]:
    """The right candidate, then the hardest wrong ones as far as there is room."""
    wrong = [each for each in reversed(row.measured) if not each.is_right][:MOST_WRONG]
    return [*([row.right] if row.right else []), *wrong]


def _heads(cutoffs: Sequence[float], chosen: float) -> list[dict[str, Any]]:
    base = {"yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}, "yshift": 4}
    heads = [
        base
        | {"x": column + 0.5, "text": f"<b>≥ {cutoff:.2f}</b>" if cutoff == round(chosen, 2) else f"≥ {cutoff:.2f}"}
        for column, cutoff in enumerate(cutoffs)
    ]
    return [*heads, base | {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 10, "text": "order"}]


def _words(rows: Sequence[ItemRow]) -> list[dict[str, Any]]:
    verdict = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 10, "showarrow": False, "font": {"size": 13}}
    notes = []
    for place, row in enumerate(rows):
        notes += [label_note(row, place), verdict | {"y": place, "text": f"<b>{row.verdict}</b>"}]
    return notes
