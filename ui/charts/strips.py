"""What a picture of strips is made of: one strip a row, one dot a prompt, marks over it; drawn by `ui.strips`.

A picture is data. It says which value stands where and what is said of it; where that is in pixels is known only
in the browser. Values are in the unit of the axis: points (score × 100) or per cent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_DOTS = 3000
"""Above this many dots a picture shows bands alone, and says so."""


@dataclass(frozen=True)
class Mark:
    """One score with a meaning of its own among the dots."""

    value: float
    shape: str
    """a call (`high`, `typical`, `low`), `none` for no call, or a second mark: `published`, `harness`"""
    says: str
    text: str = ""
    """what ran, where that is known"""
    hollow: bool = False

    def as_data(self) -> dict[str, Any]:
        """The mark as JSON can carry it."""
        return {
            "value": round(self.value, 4),
            "shape": self.shape,
            "says": self.says,
            "text": self.text,
            "hollow": self.hollow,
        }


@dataclass(frozen=True)
class Row:
    """One strip."""

    id: str
    label: str
    name: str
    says: str
    values: Sequence[float] = ()
    texts: Sequence[int] = ()
    """for every value the number of its text in the picture"""
    band: tuple[float, float] | None = None
    reach: tuple[float, float] | None = None
    """lowest and highest value, drawn where the dots themselves are not"""
    median: float | None = None
    marks: Sequence[Mark] = ()
    named: Sequence[tuple[int, str]] = ()
    """dots with a name beside them: place among the values, name"""
    columns: Sequence[str] = ()
    tone: str = ""
    """the call that colours the first and last column"""
    note: str = ""
    message: str = ""
    zero: float = 0.0
    """what was taken off every value, so that the hover can say the score itself"""

    def as_data(self) -> dict[str, Any]:
        """The row as JSON can carry it."""
        return {
            "id": self.id,
            "label": self.label,
            "name": self.name,
            "says": self.says,
            "values": [round(value, 4) for value in self.values],
            "texts": list(self.texts),
            "band": None if self.band is None else list(self.band),
            "reach": None if self.reach is None else list(self.reach),
            "median": self.median,
            "marks": [mark.as_data() for mark in self.marks],
            "named": [list(pair) for pair in self.named],
            "columns": list(self.columns),
            "tone": self.tone,
            "note": self.note,
            "message": self.message,
            "zero": self.zero,
        }


@dataclass(frozen=True)
class Panel:
    """Strips on one axis."""

    id: str
    rows: Sequence[Row]
    lo: float
    hi: float
    title: str = ""
    note: str = ""

    def as_data(self) -> dict[str, Any]:
        """The panel as JSON can carry it."""
        says = ", ".join(part for part in (self.title, self.note) if part)
        return {
            "id": self.id,
            "rows": [row.as_data() for row in self.rows],
            "lo": self.lo,
            "hi": self.hi,
            "title": self.title,
            "note": self.note,
            "says": says,
        }


@dataclass(frozen=True)
class Text:
    """What the hover says of a dot, beside its value; `id` comes back with a click."""

    shown: str
    by: str = ""
    id: str = ""


@dataclass(frozen=True)
class Picture:
    """A whole picture: many small panels, or one wide one with value columns."""

    panels: Sequence[Panel]
    says: str
    """the picture in one sentence, for screen readers"""
    texts: Sequence[Text] = ()
    heads: Sequence[str] = field(default=("",))
    suffix: str = ""
    wide: bool = False
    roomy: bool = False
    """few strips: panels are larger"""
    ends: bool = False
    """write the texts of the lowest and highest dot under the two ends of each strip"""
    low_rows: bool = False
    line: float | None = None
    """a value that all strips share, drawn as a line"""
    away: str = ""
    """from what values are distances, as in `the reference`; empty = they are scores themselves"""
    clickable: bool = True

    @property
    def dots(self) -> int:
        """How many dots it has."""
        return sum(len(row.values) for panel in self.panels for row in panel.rows)

    def as_data(self) -> dict[str, Any]:
        """The picture as JSON can carry it."""
        return {
            "panels": [panel.as_data() for panel in self.panels],
            "says": self.says,
            "texts": [[text.shown, text.by, text.id] for text in self.texts],
            "heads": list(self.heads),
            "suffix": self.suffix,
            "wide": self.wide,
            "roomy": self.roomy,
            "ends": self.ends,
            "low_rows": self.low_rows,
            "line": self.line,
            "away": self.away,
            "clickable": self.clickable,
        }


def digest(picture: dict[str, Any]) -> str:
    """A short hash of a picture's data: the browser redraws only when it changes."""
    return hashlib.blake2b(json.dumps(picture, ensure_ascii=False).encode(), digest_size=8).hexdigest()
