"""One item: each model's candidates on its own cosine axis, so that order is seen and scales are not compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plotly.graph_objects import Figure

from ui.charts.theme import Palette, base_layout
from ui.formats import number, ordinal, plotly_text

ROW = 70
HEAD = 26
"""Room above the rows: the heads of the threshold trap, which stands beside this picture, row by row."""
LABELS, VALUES = 200, 176
LABEL_WIDTH = 28
TOGETHER = 0.045
"""Marks nearer than this share of the axis have one label."""
OUTCOME_WORDS = {"right": "right", "tie": "tie", "wrong": "wrong", "invalid": "invalid"}
OUTCOME_SIGNS = {"right": "✓", "tie": "=", "wrong": "✕", "invalid": "–"}
OUTCOME_COLOURS = {"right": "right", "tie": "tie", "wrong": "fail"}


@dataclass(frozen=True)
class Candidate:
    """One text that a model compared with the base."""

    letter: str
    """a, b, c …; empty for a text with the same meaning"""
    text: str
    gloss: str
    similarity: float | None

    @property
    def is_right(self) -> bool:
        """It means the same as the base."""
        return not self.letter


@dataclass(frozen=True)
class ItemRow:
    """What one model under one prompt made of the item."""

    name: str
    prompt: str
    candidates: tuple[Candidate, ...]
    outcome: str
    place: int | None
    margin: float | None
    n_tied: int = 0
    reason: str = ""
    scaled_margin: float | None = None
    """the margin in spreads: standard deviations of the run's cosines of random pairs"""

    @property
    def measured(self) -> tuple[Candidate, ...]:
        """Candidates with a similarity, the least first."""
        known = [each for each in self.candidates if each.similarity is not None]
        return tuple(sorted(known, key=lambda each: each.similarity or 0.0))

    @property
    def right(self) -> Candidate | None:
        """The candidate that has to win: of several with the same meaning the farthest, since all must be nearer."""
        return next((each for each in self.measured if each.is_right), None)

    @property
    def hardest(self) -> Candidate | None:
        """The nearest wrong candidate."""
        return next((each for each in reversed(self.measured) if not each.is_right), None)

    @property
    def verdict(self) -> str:
        """`✕ wrong`."""
        return f"{OUTCOME_SIGNS[self.outcome]} {OUTCOME_WORDS[self.outcome]}"


def item_order(rows: Sequence[ItemRow], palette: Palette) -> Figure:
    """A row per model and prompt: filled = same meaning, hollow = wrong, thick line = margin to the hardest wrong one.

    Args:
        rows: What each model made of the item; at least one.
        palette: Colours of the theme.
    """
    layout = base_layout(height=ROW * len(rows) + 12 + HEAD, left=LABELS, right=VALUES, top=6 + HEAD, bottom=6) | {
        "xaxis": {"range": [-0.04, 1.04], "visible": False, "fixedrange": True},
        "yaxis": {"range": [len(rows) - 0.5, -0.5], "visible": False, "fixedrange": True},
        "shapes": [shape for place, row in enumerate(rows) for shape in _lines(row, place, palette)],
        "annotations": [note for place, row in enumerate(rows) for note in _notes(row, place)],
    }
    traces = [_marks(rows, palette, is_right=False), _marks(rows, palette, is_right=True)]
    return Figure({"data": traces, "layout": layout})


def _spots(row: ItemRow) -> dict[Candidate, float]:
    """Where each measured candidate stands on the row's own axis, 0 to 1; all in the middle where all are equal."""
    known = row.measured
    if not known:
        return {}
    low, high = known[0].similarity or 0.0, known[-1].similarity or 0.0
    span = high - low
    return {each: ((each.similarity or 0.0) - low) / span if span > 0 else 0.5 for each in known}


def _lines(row: ItemRow, place: int, palette: Palette) -> list[dict[str, Any]]:
    spots = _spots(row)
    if not spots:
        return []
    thin = {"type": "line", "x0": 0, "x1": 1, "y0": place, "y1": place, "layer": "below",
            "line": {"color": palette.ink3, "width": 1}}  # fmt: skip
    if not row.right or not row.hardest:
        return [thin]
    ink = palette.outcomes[OUTCOME_COLOURS.get(row.outcome, "fail")]
    ends = {"x0": spots[row.right], "x1": spots[row.hardest]}
    return [thin, thin | ends | {"opacity": 0.45, "line": {"color": ink, "width": 5}}]


def _marks(rows: Sequence[ItemRow], palette: Palette, *, is_right: bool) -> dict[str, Any]:
    drawn = [
        (place, spot, each, row)
        for place, row in enumerate(rows)
        for each, spot in _spots(row).items()
        if each.is_right == is_right
    ]
    ink = palette.outcomes["right"]
    filled = {"symbol": "diamond", "size": 14, "color": ink, "line": {"color": ink, "width": 1}}
    hollow = {"symbol": "circle", "size": 11, "color": palette.page, "line": {"color": palette.ink2, "width": 2}}
    return {
        "type": "scatter", "mode": "markers", "name": "same meaning" if is_right else "looks alike",
        "x": [spot for _, spot, _, _ in drawn], "y": [place for place, _, _, _ in drawn], "cliponaxis": False,
        "marker": filled if is_right else hollow, "hoverinfo": "text",
        "hovertext": [
            f"<b>{number(each.similarity, 4)}</b> {each.letter or 'right'}<br>{plotly_text(row.name, lines=1)}"
            f"<br>{plotly_text(_described(each), lines=1)}"
            for _, _, each, row in drawn
        ],
    }  # fmt: skip


def _described(candidate: Candidate) -> str:
    return f"{candidate.text} ({candidate.gloss})" if candidate.gloss else candidate.text


def row_label(row: ItemRow) -> str:
    """The model's whole name on up to two lines, and below it the prompt."""
    name = plotly_text(row.name, width=LABEL_WIDTH, lines=2)
    return f"{name}<br>{_small(plotly_text(row.prompt, width=LABEL_WIDTH, lines=1))}"


def label_note(row: ItemRow, place: int) -> dict[str, Any]:
    """The label left of a row of the two pictures of an item."""
    return {"y": place, "xref": "paper", "x": 0, "xanchor": "right", "xshift": -14, "align": "right",
            "showarrow": False, "font": {"size": 13}, "text": row_label(row)}  # fmt: skip


def _notes(row: ItemRow, place: int) -> list[dict[str, Any]]:
    right = {"y": place, "xref": "paper", "x": 1, "xanchor": "left", "xshift": 14, "align": "left", "showarrow": False}
    said = "<br>".join(line for line in (f"<b>{row.verdict}</b> {_place(row)}", _margin(row), _scaled(row)) if line)
    return [
        label_note(row, place), right | {"font": {"size": 13}, "text": said}, *_letters(row, place),
        *_values(row, place),
    ]  # fmt: skip


def _place(row: ItemRow) -> str:
    if row.place is None:
        return ""
    return f"{ordinal(row.place)} of {len(row.measured) - sum(each.is_right for each in row.measured) + 1}"


def _small(text: str) -> str:
    return f'<span style="font-size:12px">{text}</span>'


def _margin(row: ItemRow) -> str:
    if row.margin is None:
        return _small(plotly_text(row.reason, width=26, lines=2))
    return _small(f"margin {number(row.margin, 4)}")


def _scaled(row: ItemRow) -> str:
    scaled = f"= {number(row.scaled_margin, 2)} spreads" if row.scaled_margin is not None else ""
    tied = f"ties with {row.n_tied}" if row.n_tied else ""
    words = ", ".join(word for word in (scaled, tied) if word)
    return _small(words) if words else ""


def _letters(row: ItemRow, place: int) -> list[dict[str, Any]]:
    groups: list[tuple[list[float], list[str]]] = []
    for each, spot in _spots(row).items():
        if each.is_right:
            continue
        if groups and spot - groups[-1][0][-1] < TOGETHER:
            groups[-1][0].append(spot)
            groups[-1][1].append(each.letter)
        else:
            groups.append(([spot], [each.letter]))
    base = {"y": place, "yshift": 18, "showarrow": False, "font": {"size": 12}}
    return [base | {"x": sum(spots) / len(spots), "text": " ".join(letters)} for spots, letters in groups]


def _values(row: ItemRow, place: int) -> list[dict[str, Any]]:
    """The ends of the axis, and the right candidate's cosine below its mark where that is no end."""
    spots = _spots(row)
    if not spots:
        return []
    base = {"y": place, "yshift": -18, "showarrow": False, "font": {"size": 12}}
    low, high = row.measured[0], row.measured[-1]
    if spots[high] > spots[low]:
        ends = ((low, "left", -8), (high, "right", 8))
        notes = [
            base | {"x": spots[each], "xanchor": anchor, "xshift": shift, "text": _cosine(each, row)}
            for each, anchor, shift in ends
        ]
    else:
        notes = [base | {"x": spots[low], "text": _cosine(low, row)}]
    right = row.right
    if right and 0.3 < spots[right] < 0.7 and spots[high] > spots[low]:
        notes.append(base | {"x": spots[right], "text": _cosine(right, row)})
    return notes


def _cosine(candidate: Candidate, row: ItemRow) -> str:
    """The cosine, in bold with its word where the right candidate stands there."""
    right = row.right
    is_here = right is not None and candidate.similarity == right.similarity
    return f"<b>right</b> {number(candidate.similarity, 4)}" if is_here else number(candidate.similarity, 4)
