"""NaN and Infinity out of JSON text: Python writes them, strict and fast decoders refuse them.

129 of the sample's 200 MB hold a NaN somewhere, so the common case must cost next to nothing.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

Decoded = TypeVar("Decoded")

_KEYED_NAN = b'": NaN'
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_STRING_OR_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?Infinity|NaN', re.DOTALL)


def decode_with_nan(decoder: msgspec.json.Decoder[Decoded], text: bytes) -> Decoded:
    """What a decoder makes of JSON text in which NaN and Infinity stand for null.

    Raises:
        msgspec.ValidationError: JSON of another shape than the decoder's type.
        msgspec.DecodeError: Not JSON.
    """
    text = null_keyed_nan(text)
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        exact = null_tokens(text)
        if exact == text:
            raise
        return decoder.decode(exact)


def null_keyed_nan(text: bytes) -> bytes:
    """The text with `"key": NaN` made `"key": null`, or the same text where that is not surely outside a string.

    A quote right after a letter, digit or underscore closes a string: inside one it would be escaped, and an
    opening one follows punctuation, a space or nothing.
    """
    pieces = text.split(_KEYED_NAN)
    if len(pieces) > 1 and all(piece and piece[-1] in _WORD_BYTES for piece in pieces[:-1]):
        return b'": null'.join(pieces)
    return text


def null_tokens(text: bytes) -> bytes:
    """The text with every NaN, Infinity and -Infinity outside strings made null: exact and slower."""
    return _STRING_OR_TOKEN.sub(lambda match: match[0] if match[0].startswith(b'"') else b"null", text)
