"""Numbers and names as they stand on the screen: one rule each, used by pages, charts and tables alike.

Scores are fractions everywhere else; here they become points. A missing value is an en dash, never a zero.
"""

from __future__ import annotations

import html
import math
import textwrap
from collections.abc import Sequence
from datetime import datetime

MINUS = "\u2212"
MISSING = "–"
NARROW_SPACE = "\u202f"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def _is_missing(value: float | None) -> bool:
    return value is None or not math.isfinite(value)


def _rounded(value: float, decimals: int) -> float:
    """The rounded value, with no negative zero."""
    return round(value, decimals) + 0.0


def number(value: float | None, decimals: int = 0) -> str:
    """`1,234.5`: thousands with a comma, a true minus, and never −0."""
    if value is None or _is_missing(value):
        return MISSING
    rounded = _rounded(value, decimals)
    return f"{rounded:,.{decimals}f}".replace("-", MINUS)


def count(value: int | None) -> str:
    """`1,234`."""
    return number(value)


def points(score: float | None) -> str:
    """A fraction × 100 with one decimal: `57.6`."""
    return MISSING if score is None else number(score * 100, 1)


def signed_points(change: float | None) -> str:
    """The same with its sign: `+3.2`, `−0.4`, and `0.0` for what rounds to nothing."""
    if change is None or _is_missing(change):
        return MISSING
    rounded = _rounded(change * 100, 1)
    return ("+" if rounded > 0 else "") + number(rounded, 1)


def percent(share: float | None, decimals: int = 1) -> str:
    """`3.9 %`; `<0.1 %` for something that happened and would round to nothing."""
    if share is None or _is_missing(share):
        return MISSING
    smallest = 10.0**-decimals
    if 0 < share * 100 < smallest / 2:
        return f"<{smallest:.{decimals}f}{NARROW_SPACE}%"
    return number(share * 100, decimals) + f"{NARROW_SPACE}%"


def probability(share: float | None) -> str:
    """A probability in per cent without its sign: `12.3`, `<0.1`, and `0` only for never."""
    if share is None or _is_missing(share):
        return MISSING
    if share == 0:
        return "0"
    return "<0.1" if share * 100 < 0.1 else number(share * 100, 1)


def of(part: int, whole: int) -> str:
    """`37 of 37`."""
    return f"{count(part)} of {count(whole)}"


def ordinal(place: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{count(place)}{ending}"


def counted(amount: int, singular: str, plural: str | None = None) -> str:
    """`1 model`, `2 models`, `0 models`."""
    return f"{count(amount)} {singular if amount == 1 else plural or singular + 's'}"


def listed(words: Sequence[str], *, most: int = 3) -> str:
    """`a, b and c`; beyond `most` the rest is counted: `a, b and 4 more`."""
    shown = list(words[:most])
    if len(words) > most:
        shown.append(f"{count(len(words) - most)} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1] if shown else "none"


def seconds(duration: float) -> str:
    """`8 s`, `2 min 5 s`, `1 h 4 min`."""
    whole = round(duration)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def moment(when: datetime) -> str:
    """`30 Nov 2026, 20:57 UTC`."""
    return f"{when.day} {when:%b %Y, %H:%M} UTC"


def label(model_name: str) -> str:
    """The name after the slash, whole."""
    return model_name.rsplit("/", 1)[-1] or model_name


def isolated(text: str) -> str:
    """The text between direction isolates, so that Arabic and Latin beside it keep their own order."""
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"


def shortened(text: str, most: int) -> str:
    """At most `most` characters, the last an ellipsis when something was cut; joined emoji are not cut in two."""
    if len(text) <= most:
        return text
    end = most - 1
    while end > 0 and (text[end] in "\u200d\ufe0f" or text[end - 1] == "\u200d"):
        end -= 1
    return text[: end or most - 1] + "…"


def plotly_text(text: str, *, width: int = 70, lines: int = 3) -> str:
    """Text for a Plotly label or hover: escaped, direction-isolated, wrapped, cut after `lines` lines.

    Plotly obeys tags and fills in `%{…}`; neither may happen to a prompt.
    """
    wrapped = [part for line in text.splitlines() or [""] for part in textwrap.wrap(line, width) or [""]]
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], shortened(wrapped[lines - 1] + " …", width)]
    safe = (html.escape(line, quote=False).replace("%{", "%&#123;") for line in wrapped)
    return "<br>".join(isolated(line) for line in safe)
