"""Items being written: kept for this visitor over reruns and other pages until they are saved or thrown away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

_DRAFTS = "_triplet_drafts"
_SEEN = "_triplet_seen"
SOURCES = ("native", "adapted", "translated")
FEWEST_NEGATIVES = 2
"""Rows for wrong candidates that a new item begins with."""


@dataclass(frozen=True)
class Text:
    """A text and what it means in a language that others read."""

    text: str = ""
    gloss: str = ""


@dataclass(frozen=True)
class Draft:
    """An item as it stands in the form, whole or not."""

    item_id: str = ""
    language: str = ""
    anchor: str = ""
    anchor_gloss: str = ""
    positives: tuple[Text, ...] = (Text(),)
    negatives: tuple[Text, ...] = (Text(),) * FEWEST_NEGATIVES
    phenomenon: str = ""
    note: str = ""
    author: str = ""
    source: str = SOURCES[0]
    status: str = "draft"
    kept: Mapping[str, Any] | None = None
    """fields of the stored item that the form does not show"""

    def as_item(self) -> dict[str, Any]:
        """The record of the item; empty candidates are left out."""
        return {
            **(self.kept or {}),
            "id": self.item_id.strip(),
            "language": self.language,
            "anchor": self.anchor,
            "positives": _texts(self.positives),
            "negatives": _texts(self.negatives),
            "anchor_gloss": self.anchor_gloss,
            "phenomenon": self.phenomenon.strip(),
            "note": self.note,
            "author": self.author.strip(),
            "source": self.source,
            "status": self.status,
        }

    def with_more(self, side: str) -> Draft:
        """The draft with one more empty row."""
        return self.with_side(side, (*self.side(side), Text()))

    def side(self, side: str) -> tuple[Text, ...]:
        """The candidates of a side: `positives` or `negatives`."""
        return self.positives if side == "positives" else self.negatives

    def with_side(self, side: str, texts: tuple[Text, ...]) -> Draft:
        """The draft with other candidates on a side."""
        return replace(self, positives=texts) if side == "positives" else replace(self, negatives=texts)


def _texts(texts: Sequence[Text]) -> list[dict[str, str]]:
    return [{"text": each.text, "gloss": each.gloss} for each in texts if each.text.strip()]


def draft_of(item: Mapping[str, Any]) -> Draft:
    """The form's content for a stored item."""
    shown = {
        name: str(item.get(name) or "")
        for name in ("language", "anchor", "anchor_gloss", "phenomenon", "note", "author", "status")
    }
    return Draft(
        item_id=item["id"], source=item.get("source") or SOURCES[0], kept=dict(item),
        positives=_rows(item["positives"]) or (Text(),), negatives=_rows(item["negatives"]) or (Text(),), **shown,
    )  # fmt: skip


def _rows(texts: Sequence[Mapping[str, str]]) -> tuple[Text, ...]:
    return tuple(Text(each["text"], each.get("gloss") or "") for each in texts)


def kept_draft(set_name: str, key: str) -> Draft | None:
    """What was written and not saved yet; None where nothing was."""
    drafts: dict[tuple[str, str], Draft] = st.session_state.get(_DRAFTS, {})
    return drafts.get((set_name, key))


def keep_draft(set_name: str, key: str, draft: Draft) -> None:
    """Keeps what is in the form."""
    st.session_state.setdefault(_DRAFTS, {})[set_name, key] = draft


def drop_draft(set_name: str, key: str) -> None:
    """Forgets what was in the form."""
    st.session_state.get(_DRAFTS, {}).pop((set_name, key), None)


def unsaved(set_name: str) -> list[str]:
    """Keys of the drafts of a set."""
    return sorted(key for name, key in st.session_state.get(_DRAFTS, {}) if name == set_name)


def note_seen(set_name: str, item_id: str) -> None:
    """Remembers that this visitor has seen how a model answers the item."""
    st.session_state.setdefault(_SEEN, set()).add((set_name, item_id))


def was_seen(set_name: str, item_id: str) -> bool:
    """This visitor has seen how a model answers the item."""
    return (set_name, item_id) in st.session_state.get(_SEEN, set())
