"""What a triplet item is, and how one line of a set's file says it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

SOURCES = ("native", "adapted", "translated")
STATUSES = ("draft", "reviewed")
WRITTEN = ("before", "after")
LONGEST = 100_000
"""Characters of a text; models read a few thousand at most."""
EXCERPT = 60
"""Characters of a value in a message."""


@dataclass(frozen=True)
class GlossedText:
    """A text, and what it means in a language that others read."""

    text: str
    gloss: str = ""


@dataclass(frozen=True)
class TripletItem:
    """A base, one text or more that mean the same, one or more that mean something else."""

    item_id: str
    language: str
    anchor: str
    positives: tuple[GlossedText, ...]
    negatives: tuple[GlossedText, ...]
    anchor_gloss: str = ""
    phenomenon: str = ""
    note: str = ""
    author: str = ""
    source: str = ""
    """native, adapted, translated, or empty where nobody said"""
    status: str = "draft"
    written: str = ""
    """`before` or `after` its author saw how a model answers it; empty where nobody recorded it"""
    second_opinion: Mapping[str, Any] | None = None
    """a second speaker's blind answer: by, chosen, agrees, at"""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts: the base, then those with the same meaning, then the others."""
        return (self.anchor, *(each.text for each in (*self.positives, *self.negatives)))

    @property
    def digest(self) -> str:
        """Changes when a text or its role does, and with nothing else: results belong to it."""
        said = [self.anchor, [each.text for each in self.positives], [each.text for each in self.negatives]]
        return sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def as_record(self) -> dict[str, Any]:
        """The item as a line of the file says it."""
        return {
            "id": self.item_id,
            "language": self.language,
            "anchor": self.anchor,
            "positives": [{"text": each.text, "gloss": each.gloss} for each in self.positives],
            "negatives": [{"text": each.text, "gloss": each.gloss} for each in self.negatives],
            "anchor_gloss": self.anchor_gloss,
            "phenomenon": self.phenomenon,
            "note": self.note,
            "author": self.author,
            "source": self.source,
            "status": self.status,
            "written": self.written or None,
            "second_opinion": dict(self.second_opinion) if self.second_opinion else None,
        }


def parse_item(record: Mapping[str, Any]) -> TripletItem:
    """The item of a record.

    Raises:
        ValueError: A part is missing or of the wrong kind; the message says which and what is expected.
    """
    opinion = record.get("second_opinion")
    if opinion is not None and not isinstance(opinion, dict):
        raise ValueError(f"second_opinion is {_excerpt(opinion)}; expected an object or nothing")
    return TripletItem(
        item_id=_text(record, "id", needed=True),
        language=_text(record, "language", needed=True),
        anchor=_text(record, "anchor", needed=True),
        positives=_texts(record, "positives"),
        negatives=_texts(record, "negatives"),
        anchor_gloss=_text(record, "anchor_gloss"),
        phenomenon=_text(record, "phenomenon"),
        note=_text(record, "note"),
        author=_text(record, "author"),
        source=_word(record, "source", SOURCES),
        status=_word(record, "status", STATUSES) or "draft",
        written=_word(record, "written", WRITTEN),
        second_opinion=opinion,
    )


def is_blank(text: str) -> bool:
    """Nothing of the text can be seen: it is empty, spaces, or joiners and marks of direction alone."""
    return all(character.isspace() or unicodedata.category(character) == "Cf" for character in text)


def flaw_of(text: str) -> str | None:
    """Why a text cannot be part of an item; None where it can. Joiners and marks of direction are no flaw."""
    if len(text) > LONGEST:
        return f"has {len(text):,} characters; expected at most {LONGEST:,}"
    for character in text:
        if character == "\ufffd":
            return "holds \ufffd, which stands for a character that was lost before; expected the character itself"
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r":
            what = "half of a character" if character > "\x9f" else "the control character"
            return f"holds {what} U+{ord(character):04X}; expected text"
    return None


def _text(record: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    value = record.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and is_blank(value)):
        raise ValueError(f"{name} is {_excerpt(value)}; expected a text")
    if flaw := flaw_of(value):
        raise ValueError(f"{name} {flaw}")
    return value


def _excerpt(value: object) -> str:
    if value is None or value in ("", []):
        return "empty"
    written = ascii(value) if isinstance(value, str) and (is_blank(value) or flaw_of(value)) else repr(value)
    return written if len(written) <= EXCERPT else f"{written[:EXCERPT]}…"


def _word(record: Mapping[str, Any], name: str, words: tuple[str, ...]) -> str:
    value = _text(record, name)
    if value and value not in words:
        raise ValueError(f"{name} is {_excerpt(value)}; expected {', '.join(words)}, or nothing")
    return value


def _texts(record: Mapping[str, Any], name: str) -> tuple[GlossedText, ...]:
    found = record.get(name)
    if not isinstance(found, list) or not found:
        raise ValueError(f"{name} is {_excerpt(found)}; expected a list with one text or more")
    texts = []
    for each in found:
        entry = {"text": each} if isinstance(each, str) else each
        if not isinstance(entry, dict):
            raise ValueError(f"{name} holds {_excerpt(each)}; expected a text, or an object with text and gloss")
        text, gloss = {name: entry.get("text")}, {name: entry.get("gloss")}
        texts.append(GlossedText(_text(text, name, needed=True), _text(gloss, name)))
    return tuple(texts)
