"""What models made of triplet items, as files: one line per item, model and prompts of the roles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import polars as pl

from engine.atomic import write_atomically
from engine.settings import Settings
from engine.triplets.items import TripletItem

POSITIVE, NEGATIVE = "positive", "negative"
SIMILARITIES = {
    "item_id": pl.String(), "model_name": pl.String(), "model_revision": pl.String(), "base_prompt": pl.String(),
    "candidate_prompt": pl.String(), "role": pl.String(), "position": pl.Int64(), "similarity": pl.Float64(),
    "spread": pl.Float64(), "reason": pl.String(),
}  # fmt: skip
"""Columns of `similarities_of`: one row per item, run and candidate."""


@dataclass(frozen=True)
class Roles:
    """What is put before the base and before the candidates; None is no prompt."""

    base: str | None = None
    candidate: str | None = None


@dataclass(frozen=True)
class Measured:
    """One line: the cosines of an item's candidates to its base; None where a vector is broken."""

    item_id: str
    item_digest: str
    model_name: str
    model_revision: str
    base_prompt: str | None
    candidate_prompt: str | None
    positives: list[float | None]
    negatives: list[float | None]
    spread: float | None = None
    """standard deviation of the cosines of random pairs of the same run; None where there were too few texts"""
    reason: str | None = None
    """why a cosine is missing"""
    noise: float | None = None
    """cosines of this run that are nearer than this are equal, as re-encoding was measured to move them; None where
    nobody measured it"""


def results_folder(settings: Settings, set_name: str) -> Path:
    """Where the results of a set lie."""
    return settings.results / "triplets" / set_name


def results_file(settings: Settings, set_name: str, model_name: str, revision: str, roles: Roles) -> Path:
    """The file of one model under one pair of prompts."""
    said = json.dumps([roles.base, roles.candidate], ensure_ascii=False)
    name = f"{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.jsonl"
    return results_folder(settings, set_name) / model_name.replace("/", "__") / revision / name


def read_lines(path: Path) -> dict[str, Measured]:
    """The lines of a file by item; what is no line of ours is passed over, and measured again."""
    try:
        content = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    found: dict[str, Measured] = {}
    for line in content.splitlines():
        try:
            measured = Measured(**json.loads(line))
        except (ValueError, TypeError):
            continue
        found[measured.item_id] = measured
    return found


def keep_lines(path: Path, lines: Iterable[Measured]) -> None:
    """Puts lines into a file, in place of earlier ones of the same items."""
    kept = {**read_lines(path), **{line.item_id: line for line in lines}}
    content = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in kept.values())
    write_atomically(path, content)


def similarities_of(settings: Settings, set_name: str, items: Sequence[TripletItem]) -> pl.DataFrame:
    """One row per item, run and candidate, of all results that belong to the items as they are written now."""
    digests = {item.item_id: item.digest for item in items}
    rows: list[tuple[object, ...]] = []
    for path in sorted(results_folder(settings, set_name).glob("*/*/*.jsonl")):
        for line in read_lines(path).values():
            if digests.get(line.item_id) != line.item_digest:
                continue
            run = (line.item_id, line.model_name, line.model_revision, line.base_prompt, line.candidate_prompt)
            for role, values in ((POSITIVE, line.positives), (NEGATIVE, line.negatives)):
                rows += [(*run, role, place, value, line.spread, line.reason) for place, value in enumerate(values)]
    return pl.DataFrame(rows, schema=SIMILARITIES, orient="row")


def results_state(settings: Settings, set_name: str) -> str:
    """Changes whenever a result of the set does."""
    files = sorted(results_folder(settings, set_name).glob("*/*/*.jsonl"))
    return sha256("".join(f"{path}{path.stat().st_mtime_ns}" for path in files).encode()).hexdigest()[:16]
