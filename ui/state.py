"""What a page remembers between reruns beside its widgets: values of the URL that do not exist, and seen snapshots.

Widgets keep themselves in the URL (`bind="query-params"`), and Streamlit drops a value that is no option in
silence. So the raw value is looked at before the widget is drawn, and named until the visitor chooses anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

SNAPSHOT_PARAMETER = "snapshot"
_UNKNOWN = "_unknown_values"
_PAGE = "_page"
_SEEN = "_seen_snapshots"
_KNOWN = "_known_snapshot"
_FIRST = "first of all"
_PINNED = "_pinned_snapshot"


@dataclass(frozen=True)
class Unknown:
    """A value of the URL that is no option here, and what is shown in its place."""

    parameter: str
    value: str
    instead: str


def url_values(parameter: str) -> tuple[str, ...]:
    """The values of a parameter as they stand in the URL now."""
    return tuple(st.query_params.get_all(parameter))


def keep(*parameters: str) -> None:
    """Holds what was chosen in widgets that a rerun may not draw, so that it is there when they are drawn again."""
    for parameter in parameters:
        if parameter in st.session_state:
            st.session_state[parameter] = st.session_state[parameter]


def enter_page(stem: str) -> None:
    """Forgets what was remembered for another page."""
    if st.session_state.get(_PAGE) != stem:
        st.session_state[_PAGE] = stem
        st.session_state.pop(_KNOWN, None)
        st.session_state[_UNKNOWN] = {}


def remember_unknown(parameter: str, asked: Sequence[str], options: Sequence[str], shown: str) -> None:
    """Keeps the asked values that are no options, to be named; forgets them once something else is chosen."""
    notes: dict[str, list[Unknown]] = st.session_state.setdefault(_UNKNOWN, {})
    known = set(options)
    if fresh := [Unknown(parameter, value, shown) for value in asked if value and value not in known]:
        notes[parameter] = fresh
    elif any(note.instead != shown for note in notes.get(parameter, [])):
        del notes[parameter]


def unknown_values() -> list[Unknown]:
    """The values to be named on this page."""
    notes: dict[str, list[Unknown]] = st.session_state.get(_UNKNOWN, {})
    return [note for found in notes.values() for note in found]


def pin(snapshot_id: str | None) -> None:
    """Keeps which snapshot this visitor looks at; None is the newest."""
    st.session_state[_PINNED] = snapshot_id


def pinned() -> str | None:
    """The snapshot that this visitor pinned."""
    found: str | None = st.session_state.get(_PINNED)
    return found


def moved_from(snapshot_id: str | None) -> str | None:
    """What this visitor knew when they came to this page, where newer data have taken its place since; "" for nothing.

    They knew what this page showed when they left it last, or, on a page that they have not seen yet, what was there
    when they first came. So the note stays for as long as they are on the page, and waits on the others. Data looked
    at by a pin are neither new nor known.
    """
    if pinned() is not None:
        return None
    now = snapshot_id or ""
    seen: dict[str, str] = st.session_state.setdefault(_SEEN, {})
    page, first = st.session_state.get(_PAGE, ""), seen.setdefault(_FIRST, now)
    known: str = st.session_state.setdefault(_KNOWN, seen.get(page, first))
    seen[page] = now
    return known if known != now else None
