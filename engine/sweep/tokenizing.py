"""Texts as a model's own tokenizer cuts them: what a script costs before any vector is made.

The pieces are those that the encoder counts and embeds, special tokens included, before it cuts a text that is too
long; so a long text shows its true cost, and `count_tokens` says how much of it the model reads.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import regex  # type: ignore[import-untyped]

from engine.errors import UsageError

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_CHARACTER = regex.compile(r"\X")


@dataclass(frozen=True)
class Piece:
    """One token of a text."""

    written: str
    """as the vocabulary writes it"""
    start: int | None
    """code points of the text before it; None for one that stands for no part of the text, or where nobody says"""
    end: int | None
    is_unknown: bool
    is_special: bool = False
    """it marks an end of the text"""

    @property
    def is_byte(self) -> bool:
        """It stands for a single byte of a sign that the vocabulary lacks."""
        return _BYTE.fullmatch(self.written) is not None


@runtime_checkable
class CutsTexts(Protocol):
    """An encoder that shows its tokens."""

    def cut(self, string: str) -> list[Piece]:
        """The tokens of a string, special ones included, none cut off."""
        ...


@dataclass(frozen=True)
class TokenCount:
    """What one text costs."""

    tokens: int
    """special tokens and prompt included, before truncation"""
    special: int
    unknown: int
    byte: int
    broken: int | None
    """tokens that end inside a character as readers see it (a grapheme cluster); None where nobody says"""
    characters: int
    """characters as readers see them, of the text without its prompt"""
    words: int
    """parts between spaces, of the text without its prompt"""
    pieces: tuple[str, ...]


def count_text(encoder: object, text: str, prompt: str = "") -> TokenCount:
    """What a text costs an encoder under a prompt.

    Raises:
        UsageError: The encoder does not show its tokens.
    """
    if not isinstance(encoder, CutsTexts):
        raise UsageError(f"{type(encoder).__name__} does not show its tokens; expected a model with a tokenizer.")
    pieces = encoder.cut(prompt + text)
    return TokenCount(
        tokens=len(pieces),
        special=sum(piece.is_special for piece in pieces),
        unknown=sum(piece.is_unknown for piece in pieces),
        byte=sum(piece.is_byte for piece in pieces),
        broken=count_broken(prompt + text, pieces),
        characters=len(_CHARACTER.findall(text)),
        words=len(text.split()),
        pieces=tuple(piece.written for piece in pieces),
    )


def count_broken(string: str, pieces: Sequence[Piece]) -> int | None:
    """Tokens after which the next one goes on inside the same character; None where no token says its place.

    A sign that the tokenizer drops is read by no token, so a token that ends before it breaks nothing.
    """
    placed = [(piece.start, piece.end) for piece in pieces if piece.start is not None and piece.end is not None]
    if not placed:
        return None
    boundaries: list[int] = [0, *(match.end() for match in _CHARACTER.finditer(string))]
    following = [start for start, _ in placed[1:]] + [len(string)]
    # Bytes of one sign share its place: all but the last of them end inside it.
    return sum(
        after < boundaries[bisect_left(boundaries, end)] for (_, end), after in zip(placed, following, strict=True)
    )


def cut_by(tokenizer: Any, string: str) -> list[Piece]:
    """The tokens of a transformers tokenizer; places only where it is a fast one."""
    is_fast = bool(tokenizer.is_fast)
    found = tokenizer(string, truncation=False, return_offsets_mapping=is_fast, verbose=False)
    numbers = list(found["input_ids"])
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    places = found["offset_mapping"] if is_fast else [(None, None)] * len(numbers)
    pieces = []
    for number, written, place in zip(numbers, tokenizer.convert_ids_to_tokens(numbers), places, strict=True):
        is_special = number in special
        start, end = (None, None) if is_special else place
        pieces.append(Piece(str(written), start, end, number == tokenizer.unk_token_id, is_special))
    return pieces
