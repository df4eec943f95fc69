"""One result file of MTEB, decoded to the few fields that the store keeps.

Strict and typed first, which skips all other metrics without building them. Where that fails the file is read
once more without types, so that one bad row costs that row and not the file.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec

from engine.ingest.json_tokens import decode_with_nan


class ScoreRow(msgspec.Struct, gc=False):
    """One split and subset in a result file."""

    hf_subset: str
    languages: tuple[str, ...]
    main_score: float | None


class ResultFile(msgspec.Struct, gc=False):
    """The fields of a result file that are kept."""

    scores: dict[str, list[ScoreRow]] | None = None
    task_name: str | None = None
    dataset_revision: str | None = None
    mteb_version: str | None = None
    evaluation_time: float | None = None
    mteb_dataset_name: str | None = None
    """Named so before mteb 1.11, when splits were top-level keys."""


class Problem(NamedTuple):
    """Something in a file that was refused."""

    place: str
    """where in the file; empty = the whole file"""
    reason: str


class Decoded(NamedTuple):
    """A result file, or nothing, and what was refused in it."""

    result: ResultFile | None
    problems: list[Problem]


_STRICT = msgspec.json.Decoder(ResultFile)
_AGAIN = "Write the file again or remove it."


def decode_result(text: bytes) -> Decoded:
    """The result in a file's bytes; None with the reason where there is none."""
    try:
        return Decoded(decode_with_nan(_STRICT, text), [])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_leniently(text)


def _decode_leniently(text: bytes) -> Decoded:
    """What can be saved of a file that the typed decoder refused, by Python's own decoder, which takes more."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _refused(f"not JSON ({error})" if text.strip() else "the file is empty")
    if not isinstance(fields, dict):
        return _refused(_shown(fields))
    problems: list[Problem] = []
    texts = {
        name: _field(fields, name, str, problems)
        for name in ("task_name", "dataset_revision", "mteb_version", "mteb_dataset_name")
    }
    seconds = _field(fields, "evaluation_time", (int, float), problems)
    scores = _scores(fields.get("scores"), problems)
    return Decoded(ResultFile(scores=scores, evaluation_time=seconds, **texts), problems)


def _refused(what: str) -> Decoded:
    return Decoded(None, [Problem("", f"{what}; expected the JSON object of a result. {_AGAIN}")])


def _field(fields: dict[str, Any], name: str, kind: type | tuple[type, ...], problems: list[Problem]) -> Any:
    value = fields.get(name)
    if value is None or (isinstance(value, kind) and not isinstance(value, bool) and _is_sound(value)):
        return value
    expected = "a text" if kind is str else "a number"
    problems.append(Problem(name, f"{_shown(value)}; expected {expected} or null. Left empty."))
    return None


def _scores(value: Any, problems: list[Problem]) -> dict[str, list[ScoreRow]] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.append(Problem("scores", f"{_shown(value)}; expected an object of splits. {_AGAIN}"))
        return {}
    kept: dict[str, list[ScoreRow]] = {}
    for split, rows in value.items():
        if not isinstance(rows, list) or not _is_sound(split):
            problems.append(Problem(f"scores.{split}", f"{_shown(rows)}; expected a list of rows. {_AGAIN}"))
            continue
        checked = [_row(row, f"scores.{split}[{position}]", problems) for position, row in enumerate(rows)]
        kept[split] = [row for row in checked if row is not None]
    return kept


def _row(value: Any, place: str, problems: list[Problem]) -> ScoreRow | None:
    if not isinstance(value, dict):
        problems.append(Problem(place, f"{_shown(value)}; expected an object with main_score. {_AGAIN}"))
        return None
    subset, languages = value.get("hf_subset"), value.get("languages")
    if not isinstance(subset, str) or not _is_sound(subset):
        problems.append(Problem(f"{place}.hf_subset", f"{_found(value, 'hf_subset')}; expected a text. {_AGAIN}"))
        return None
    score = value.get("main_score")
    if "main_score" not in value or not _is_score(score):
        reason = f"{_found(value, 'main_score')}; expected a number or null. {_AGAIN}"
        problems.append(Problem(f"{place}.main_score", reason))
        return None
    if not isinstance(languages, list) or not all(isinstance(name, str) and _is_sound(name) for name in languages):
        reason = f"{_found(value, 'languages')}; expected a list of texts. The row is kept without languages."
        problems.append(Problem(f"{place}.languages", reason))
        languages = []
    return ScoreRow(subset, tuple(languages), None if score is None else float(score))


def _is_sound(value: Any) -> bool:
    """Not a text with half a surrogate pair, which JSON can write and UTF-8 cannot."""
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_score(value: Any) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() < 1024
    return value is None or isinstance(value, float)


def _found(row: dict[str, Any], name: str) -> str:
    return _shown(row[name]) if name in row else "missing"


def _shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


class _Converted(msgspec.Struct):
    """What mteb's converter made of an old file: a result, or the reason why there is none."""

    error: str | None = None


def decode_converted(text: bytes) -> tuple[ResultFile | None, list[Problem]]:
    """The result in a converted file; None with the converter's reason where it made none."""
    error = msgspec.json.decode(text, type=_Converted).error
    if error is not None:
        return None, [Problem("", error)]
    return decode_result(text)
