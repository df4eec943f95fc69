"""A second speaker's answer, given without seeing which candidate the author takes for the right one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from engine.errors import EngineError
from ui import blocks
from ui.blocks import Strong
from ui.formats import of
from ui.reads import triplets
from ui.reads.triplets import StoredSet
from ui.triplet_words import text_html

UNSURE = "none of them, or more than one"


def show_second_speaker(stored: StoredSet) -> None:
    """Draws the next item without an answer of this speaker, candidates in random order, and how many agree so far."""
    asked = [item for item in stored.items if item.get("second_opinion")]
    agreed = sum(bool(item["second_opinion"].get("agrees")) for item in asked)
    if asked:
        blocks.show_text("A second speaker agrees on ", Strong(of(agreed, len(asked))), " items so far.")
    speaker = st.text_input("Name of the second speaker", key="second-speaker")
    left = [item for item in stored.items if not item.get("second_opinion") and item.get("author") != speaker]
    if not speaker or not left:
        blocks.show_text("Every item has a second answer." if not left else "Say who answers.")
        return
    _show_question(stored, left[0], speaker)


def _show_question(stored: StoredSet, item: Mapping[str, Any], speaker: str) -> None:
    texts = [each["text"] for each in (*item["positives"], *item["negatives"])]
    # The order hangs on item and speaker alone, so that a rerun does not deal anew.
    random.Random(f"{item['id']}\0{speaker}").shuffle(texts)
    st.html(f'<p class="sl-prose">Which means the same as {text_html(item["anchor"])}?</p>')
    key = f"second/{stored.name}/{item['id']}"
    chosen = st.radio(
        "Same meaning", [*range(len(texts)), -1], index=None, key=key, label_visibility="collapsed",
        format_func=lambda number: UNSURE if number < 0 else f"{number + 1}",
        captions=[*(_plain(text) for text in texts), ""],
    )  # fmt: skip
    if st.button("Answer", key="second-answer", disabled=chosen is None):
        text = texts[chosen] if chosen is not None and chosen >= 0 else None
        _keep(stored, item, speaker, text)


def _plain(text: str) -> str:
    """The text where Streamlit reads Markdown: every sign that could mean something is escaped."""
    return "".join(f"\\{character}" if character in r"\`*_{}[]()#+-.!|$<>~:" else character for character in text)


def _keep(stored: StoredSet, item: Mapping[str, Any], speaker: str, text: str | None) -> None:
    opinion = {
        "by": speaker,
        "chosen": text,
        "agrees": text in [each["text"] for each in item["positives"]],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    items = [{**each, "second_opinion": opinion} if each["id"] == item["id"] else each for each in stored.items]
    try:
        triplets.save(stored.name, items, stored.digest)
    except EngineError as error:
        blocks.show_error(str(error))
        return
    st.rerun()
