"""Asking models about triplet items: each text is encoded once per model and role, through the sweep's vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.triplet_outcomes import judge
from engine.errors import EngineError, RunFailed, UsageError
from engine.progress import Progress
from engine.settings import Settings
from engine.sweep.vectors import VectorSource
from engine.triplets.files import read_set
from engine.triplets.items import TripletItem
from engine.triplets.results import Measured, Roles, keep_lines, results_file

SPREAD_PAIRS, SPREAD_SEED = 2000, 1
FEWEST_TEXTS = 20
"""Below this many texts the spread of random pairs says nothing."""


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
    n_measured = 0
    for place, model_name in enumerate(models):
        progress(f"asking {model_name}", place, len(models))
        try:
            source = encoders(model_name)
            for each in roles:
                lines = measure(source, items, each)
                identity = source.encoder.identity
                keep_lines(results_file(settings, name, identity.model_name, identity.model_revision, each), lines)
                n_measured += len(lines)
                outcomes += [_outcome(item, line) for item, line in zip(items, lines, strict=True)] if asked else []
        except EngineError as error:
            refused.append({"what": "model", "name": model_name, "reason": str(error)})
    return {"outcomes": outcomes, "n_measured": n_measured, "refused": refused}


def _chosen(items: Sequence[TripletItem], asked: Sequence[str] | None, name: str) -> list[TripletItem]:
    if asked is None:
        return list(items)
    found = [item for item in items if item.item_id in asked]
    if len(found) < len(set(asked)):
        raise UsageError(f"Not every item of {list(asked)} is in the set {name}; expected saved ids. Save it first.")
    return found


def measure(source: VectorSource, items: Sequence[TripletItem], roles: Roles) -> list[Measured]:
    """One line per item; an item whose texts cannot be encoded says why, and stops no other."""
    vectors: dict[str, NDArray[np.float32]] = {}
    strings = list(dict.fromkeys(string for item in items for string in _strings(item, roles)))
    try:
        vectors = dict(zip(strings, source.fetch(strings), strict=True))
    except RunFailed:
        # One text spoils a block: the others are asked for alone.
        for string in strings:
            vectors |= _alone(source, string)
    spread = _spread([vectors[string] for string in strings if string in vectors])
    return [_line(source, item, roles, vectors, spread) for item in items]


def _alone(source: VectorSource, string: str) -> dict[str, NDArray[np.float32]]:
    try:
        return {string: source.fetch([string])[0]}
    except RunFailed:
        return {}


def _strings(item: TripletItem, roles: Roles) -> list[str]:
    """The strings that enter the tokenizer: base, then candidates."""
    base, *candidates = item.texts
    return [(roles.base or "") + base, *((roles.candidate or "") + text for text in candidates)]


def _line(
    source: VectorSource,
    item: TripletItem,
    roles: Roles,
    vectors: Mapping[str, NDArray[np.float32]],
    spread: float | None,
) -> Measured:
    base, *candidates = (vectors.get(string) for string in _strings(item, roles))
    values = [cosine(base, each) for each in candidates]
    n_right = len(item.positives)
    broken = any(value is None for value in values)
    reason = "a text has no usable vector (not a number, or of length zero)" if broken else None
    identity = source.encoder.identity
    return Measured(
        item.item_id, item.digest, identity.model_name, identity.model_revision, roles.base, roles.candidate,
        values[:n_right], values[n_right:], spread, reason,
    )  # fmt: skip


def cosine(first: NDArray[np.float32] | None, second: NDArray[np.float32] | None) -> float | None:
    """The cosine of two vectors in double precision; None where one is missing, not finite or of length zero."""
    if first is None or second is None:
        return None
    left, right = first.astype(np.float64), second.astype(np.float64)
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    if not np.isfinite(lengths) or lengths == 0:
        return None
    return float(left @ right / lengths)


def _spread(vectors: Sequence[NDArray[np.float32]]) -> float | None:
    """Standard deviation (n − 1) of the cosines of random pairs of the run's texts."""
    if len(vectors) < FEWEST_TEXTS:
        return None
    drawn = np.random.default_rng(SPREAD_SEED).integers(len(vectors), size=(SPREAD_PAIRS, 2))
    values = [cosine(vectors[a], vectors[b]) for a, b in drawn if a != b]
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def _outcome(item: TripletItem, line: Measured) -> dict[str, Any]:
    """What a page shows at once of one item and run."""
    judged = judge(line.positives, line.negatives)
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
        "place": judged.place,
        "n_tied": judged.n_tied,
        "reason": line.reason,
        "similarities": [
            {"role": role, "position": place, "text": each.text, "gloss": each.gloss, "similarity": value}
            for (role, place, each), value in zip(texts, values, strict=True)
        ],
    }
