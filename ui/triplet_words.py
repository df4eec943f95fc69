"""Texts of items on screen: each in its own direction, with its gloss, and joiners made visible on demand."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import streamlit as st

from engine.analysis.triplet_tests import TripletTests
from ui.triplet_rows import letter_of

JOINERS = {"\u200d": "ZWJ", "\u200c": "ZWNJ"}
OUTCOMES_KEY = (
    ("right", "right: the same meaning is nearest"),
    ("tie", "tie: equal within what encoding again changes"),
    ("wrong", "wrong: something else is nearer"),
    ("invalid", "invalid, in no rate"),
)


def text_html(text: str, *, joiners: bool = False) -> str:
    """A text in a direction of its own, escaped; joiners as small words where asked for."""
    shown = html.escape(text)
    if joiners:
        for character, word in JOINERS.items():
            shown = shown.replace(character, f'{character}<span class="sl-joiner">{word}</span>')
    return f'<bdi class="sl-user sl-script" dir="auto">{shown}</bdi>'


def has_joiners(texts: Iterable[str]) -> bool:
    """Some text is written with a joiner or non-joiner."""
    return any(character in text for text in texts for character in JOINERS)


def show_item_key(tests: TripletTests, item_id: str) -> None:
    """Draws base and candidates in script and gloss, with the marks that stand for them."""
    of_item = pl.col("item_id") == item_id
    item = tests.items.filter(of_item).row(0, named=True)
    candidates = list(tests.candidates.filter(of_item).sort("role", "position").iter_rows(named=True))
    joiners = has_joiners([item["anchor"], *(row["text"] for row in candidates)]) and st.toggle(
        "Show joiners", key="joiners", bind="query-params", help="ZWJ and ZWNJ are legitimate letters of writing."
    )
    entries = [_entry_html("base", "", item["anchor"], item["anchor_gloss"], joiners=joiners)]
    entries += [_candidate_html(row, joiners=joiners) for row in reversed(candidates) if row["role"] == "positive"]
    entries += [_candidate_html(row, joiners=joiners) for row in candidates if row["role"] == "negative"]
    st.html(f'<div class="sl-item">{"".join(entries)}</div>')


def _candidate_html(row: Mapping[str, Any], *, joiners: bool) -> str:
    if row["role"] == "positive":
        return _entry_html("same meaning", "◆", row["text"], row["gloss"], joiners=joiners, kind="right")
    return _entry_html(letter_of(row["position"]), "○", row["text"], row["gloss"], joiners=joiners)


def _entry_html(word: str, mark: str, text: str, gloss: str | None, *, joiners: bool, kind: str = "other") -> str:
    below = f'<small class="sl-user" dir="auto">{html.escape(gloss)}</small>' if gloss else ""
    sign = f'<i aria-hidden="true">{mark}</i>' if mark else ""
    return (
        f'<span class="sl-item-{kind}">{sign}<em>{html.escape(word)}</em> '
        f"<span>{text_html(text, joiners=joiners)}{below}</span></span>"
    )


def show_outcome_key() -> None:
    """Draws what the heights of the grid mean."""
    marks = "".join(
        f'<span><span class="sl-outcome sl-outcome-{name}" aria-hidden="true"></span>{html.escape(words)}</span>'
        for name, words in OUTCOMES_KEY
    )
    st.html(f'<div class="sl-key">{marks}</div>')
