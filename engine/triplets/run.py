"""Asking models about triplet items: each text is encoded once per model and role, through the sweep's vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.triplet_outcomes import NOISE, judge
from engine.errors import EngineError, RunFailed, UsageError
from engine.progress import Progress
from engine.settings import Settings
from engine.sweep.vectors import VectorSource
from engine.triplets.calibration import (
    Calibration,
    calibrate,
    calibration_file,
    keep_calibration,
    read_calibration,
)
from engine.triplets.files import read_set
from engine.triplets.items import TripletItem
from engine.triplets.results import Measured, Roles, keep_lines, read_lines, results_file

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Vectors:
    """What a model gave for strings."""

    usable: Mapping[str, Vector]
    failed: Mapping[str, str]
    """why there is no vector, by string"""


def run_triplets(
    settings: Settings, options: Mapping[str, Any], progress: Progress, encoders: Callable[[str], VectorSource]
) -> dict[str, Any]:
    """What each model made of the items: outcomes where single items were asked, and what was left out.

    Args:
        settings: Where sets and results lie.
        options: `set`, `models`, `items` (ids, or None for all) and `roles` (base and candidate prompts).
        progress: Told how far it is.
        encoders: From a model's name to its vectors.

    Raises:
        UsageError: There is no such set or item.
    """
    name, models = str(options.get("set") or ""), [str(each) for each in options.get("models") or ()]
    asked = options.get("items")
    items = _chosen(read_set(settings, name).items, asked, name)
    roles = [Roles(each.get("base"), each.get("candidate")) for each in options.get("roles") or [{}]]
    outcomes: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    n_measured = n_held = 0
    for place, model_name in enumerate(models):
        progress(f"asking {model_name}", place, len(models))
        try:
            source = encoders(model_name)
            for each in roles:
                identity = source.encoder.identity
                path = results_file(settings, name, identity.model_name, identity.model_revision, each)
                lines = measure(source, items, each, path, again=asked is not None)
                if asked is not None:
                    outcomes += [_outcome(item, line) for item, line in zip(items, lines, strict=True)]
                keep_lines(path, lines)
                n_measured += len(lines)
                n_held += len(items) - len(lines)
        except EngineError as error:
            refused.append({"what": "model", "name": model_name, "reason": str(error)})
    return {"outcomes": outcomes, "n_measured": n_measured, "n_held": n_held, "refused": refused}


def _chosen(items: Sequence[TripletItem], asked: Sequence[str] | None, name: str) -> list[TripletItem]:
    if asked is None:
        return list(items)
    found = [item for item in items if item.item_id in asked]
    if len(found) < len(set(asked)):
        raise UsageError(f"Not every item of {list(asked)} is in the set {name}; expected saved ids. Save it first.")
    return found


def measure(
    source: VectorSource, items: Sequence[TripletItem], roles: Roles, path: Path, *, again: bool
) -> list[Measured]:
    """One line per item that is asked about; an item whose texts cannot be encoded says why, and stops no other.

    Ties and scaled margins follow what is kept of the model beside its results. It is measured on these items where
    nothing is kept, where that was in other numbers, or, for a whole set, where it was on far fewer texts.

    Args:
        source: The model's vectors.
        items: The items: of the whole set, or the chosen ones.
        roles: What is put before their texts.
        path: The file of results; it is read, not written.
        again: Ask about each of these; else only about those without a line for their texts as they are now.
    """
    strings = _distinct_strings(items, roles)
    kept = read_calibration(calibration_file(path))
    if kept is not None and kept.serves(1 if again else len(strings), source.encoder.identity.dtype):
        held = {} if again else read_lines(path)
        due = [item for item in items if not _is_answered(item, held)]
        vectors = fetch(source, _distinct_strings(due, roles))
    else:
        due, vectors = list(items), fetch(source, strings)
        kept = calibrate(source.encoder, vectors.usable)
        keep_calibration(calibration_file(path), kept)
    return [_line(source, item, roles, vectors, kept) for item in due]


def _is_answered(item: TripletItem, held: Mapping[str, Measured]) -> bool:
    """Whether the item's texts as they are now have all their cosines; what failed is tried again."""
    line = held.get(item.item_id)
    return line is not None and line.item_digest == item.digest and line.reason is None and line.noise is not None


def fetch(source: VectorSource, strings: Sequence[str]) -> Vectors:
    """The vectors of strings; where one spoils a batch, halves are asked for until it stands alone."""
    try:
        rows = source.fetch(strings)
    except RunFailed as error:
        if len(strings) == 1:
            return Vectors({}, {strings[0]: str(error)})
        middle = len(strings) // 2
        first, second = fetch(source, strings[:middle]), fetch(source, strings[middle:])
        return Vectors({**first.usable, **second.usable}, {**first.failed, **second.failed})
    return Vectors(dict(zip(strings, rows, strict=True)), {})


def _distinct_strings(items: Sequence[TripletItem], roles: Roles) -> list[str]:
    return list(dict.fromkeys(string for item in items for string in _strings(item, roles)))


def _strings(item: TripletItem, roles: Roles) -> list[str]:
    """The strings that enter the tokenizer: base, then candidates."""
    base, *candidates = item.texts
    return [(roles.base or "") + base, *((roles.candidate or "") + text for text in candidates)]


def _line(
    source: VectorSource, item: TripletItem, roles: Roles, vectors: Vectors, calibration: Calibration
) -> Measured:
    strings = _strings(item, roles)
    base, *candidates = (vectors.usable.get(string) for string in strings)
    values = [cosine(base, each) for each in candidates]
    n_right = len(item.positives)
    why = next((vectors.failed[string] for string in strings if string in vectors.failed), None)
    identity = source.encoder.identity
    return Measured(
        item.item_id, item.digest, identity.model_name, identity.model_revision, roles.base, roles.candidate,
        values[:n_right], values[n_right:], calibration.spread,
        f"A text has no usable vector: {why}" if why else None, calibration.noise,
    )  # fmt: skip


def cosine(first: Vector | None, second: Vector | None) -> float | None:
    """The cosine of two vectors in double precision; None where one is missing."""
    if first is None or second is None:
        return None
    left, right = first.astype(np.float64), second.astype(np.float64)
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


def _outcome(item: TripletItem, line: Measured) -> dict[str, Any]:
    """What a page shows at once of one item and run."""
    judged = judge(line.positives, line.negatives, NOISE if line.noise is None else line.noise)
    texts = [("positive", place, each) for place, each in enumerate(item.positives)]
    texts += [("negative", place, each) for place, each in enumerate(item.negatives)]
    values = [*line.positives, *line.negatives]
    return {
        "item_id": item.item_id,
        "model_name": line.model_name,
        "model_revision": line.model_revision,
        "base_prompt": line.base_prompt,
        "candidate_prompt": line.candidate_prompt,
        "outcome": judged.outcome,
        "margin": judged.margin,
        "scaled_margin": judged.margin / line.spread if judged.margin is not None and line.spread else None,
        "place": judged.place,
        "n_tied": judged.n_tied,
        "reason": line.reason,
        "similarities": [
            {"role": role, "position": place, "text": each.text, "gloss": each.gloss, "similarity": value}
            for (role, place, each), value in zip(texts, values, strict=True)
        ],
    }
