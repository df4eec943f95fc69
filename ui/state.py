"""What a page remembers between reruns beside its widgets: values of the URL that do not exist, and the last snapshot.

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
_SEEN = "_seen_snapshot"
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


def moved_from(snapshot_id: str) -> str | None:
    """The snapshot shown before, where a newer one took its place since this visitor's last rerun."""
    before: str | None = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = snapshot_id
    return before if before != snapshot_id and pinned() is None else None
