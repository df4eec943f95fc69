"""Pickers that keep themselves in the URL: the parameter's name is the widget's key, the option's words its value.

An option must read the same tomorrow: no counts and no other figures of the data in it, or old links break.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from engine.analysis.dataset_revisions import Data
from ui import reads, state

NEWEST = "newest"
REVISIONS = {Data.ANY.value: "all revisions", Data.COMMON.value: "the commonest"}


def pick_one(
    label: str, options: Sequence[str], *, parameter: str, default: str | None = None, help: str | None = None
) -> str:
    """The chosen one of the options, which must not be empty; the default is the first."""
    asked = state.url_values(parameter)
    start = options.index(default) if default in options else 0
    chosen = st.selectbox(label, options, index=start, key=parameter, bind="query-params", help=help)
    picked = chosen if chosen in options else options[start]
    state.remember_unknown(parameter, asked, options, picked)
    return picked


def pick_many(
    label: str,
    options: Sequence[str],
    *,
    parameter: str,
    default: Sequence[str] = (),
    placeholder: str = "all",
    help: str | None = None,
) -> tuple[str, ...]:
    """The chosen options in the order of `options`; none chosen is an empty tuple, which a page reads as all."""
    asked = state.url_values(parameter)
    chosen = st.multiselect(
        label,
        options,
        default=[option for option in default if option in options],
        key=parameter,
        bind="query-params",
        placeholder=placeholder,
        help=help,
    )
    picked = tuple(option for option in options if option in chosen)
    state.remember_unknown(parameter, asked, options, ", ".join(picked) or placeholder)
    return picked


def pick_view(
    label: str, options: Sequence[str], *, parameter: str, default: str | None = None, help: str | None = None
) -> str:
    """The chosen one of a few options, all in sight as buttons; the default is the first."""
    asked = state.url_values(parameter)
    start = default if default is not None and default in options else options[0]
    chosen: str = st.segmented_control(
        label, options, default=start, key=parameter, bind="query-params", required=True, help=help
    )
    picked = chosen if chosen in options else start
    state.remember_unknown(parameter, asked, options, picked)
    return picked


def pick_named(
    label: str, words: Mapping[str, str], *, parameter: str, default: str | None = None, help: str | None = None
) -> str:
    """The chosen one of a few values, shown as buttons by their words.

    The address holds the words, as for every widget; the values themselves, as commands take them, are understood too.
    """
    for asked in state.url_values(parameter):
        if words.get(asked, asked) != asked and parameter not in st.session_state:
            st.query_params[parameter] = words[asked]
            st.rerun()
    start = words[default] if default is not None else None
    chosen = pick_view(label, list(words.values()), parameter=parameter, default=start, help=help)
    return next(value for value, said in words.items() if said == chosen)


def pick_text(label: str, *, parameter: str, placeholder: str = "", help: str | None = None) -> str:
    """The typed text, as it is."""
    return st.text_input(label, key=parameter, bind="query-params", placeholder=placeholder, help=help) or ""


def pick_data() -> Data:
    """Which revisions of a task's data are compared with each other."""
    return Data(
        pick_named(
            "Data of a task",
            REVISIONS,
            parameter="data",
            help="Where the data behind a task changed, models were scored on different texts. The commonest: of each "
            "task only the revision that most models ran on.",
        )
    )


def pick_snapshot() -> str | None:
    """The pinned snapshot, or None for the newest; drawn by the frame on every page."""
    kept = reads.kept_snapshots()
    picked = pick_one(
        "Snapshot",
        [NEWEST, *kept],
        parameter=state.SNAPSHOT_PARAMETER,
        help="A pinned snapshot stands in the address: whoever opens that link sees these very numbers.",
    )
    return None if picked == NEWEST else picked


def pick_number(label: str, default: float, *, parameter: str, help: str | None = None) -> float:
    """The chosen fraction, 0 to 1."""
    asked = state.url_values(parameter)
    chosen = st.number_input(
        label, 0.0, 1.0, default, step=0.05, format="%.2f", key=parameter, bind="query-params", help=help
    )
    known = [value for value in asked if _is_fraction(value)]
    state.remember_unknown(parameter, asked, known, f"{chosen:g}")
    return chosen


def _is_fraction(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
