"""Triplet sets, what models made of their items, and token counts, read from this data folder's own files.

They belong to no source. A set is read anew as a whole when a file of it changed: its items, or a result of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from engine.errors import UsageError
from engine.schema import REJECTS, TOKEN_COUNTS, TripletRole
from engine.settings import Settings
from engine.triplets.counts import LanguageCount, token_folder
from engine.triplets.files import own_folder, read_set, set_names, set_path
from engine.triplets.items import TripletItem
from engine.triplets.results import Measured, read_results, results_folder

_ITEM = ("language", "anchor", "anchor_gloss", "phenomenon", "note", "author", "source", "status", "written")
_TEXT = pl.String()
ITEM_FRAME = pl.Schema({"item_id": _TEXT, "place": pl.Int64(), **dict.fromkeys(_ITEM, _TEXT)})
CANDIDATE_FRAME = pl.Schema({"item_id": _TEXT, "role": _TEXT, "position": pl.Int64(), "text": _TEXT, "gloss": _TEXT})
RUN = ("model_name", "model_revision", "base_prompt", "candidate_prompt")
_SIDES = {"positives": TripletRole.POSITIVE.value, "negatives": TripletRole.NEGATIVE.value}
LINE_FRAME = pl.Schema(
    {"item_id": _TEXT, **dict.fromkeys(RUN, _TEXT), "spread": pl.Float64(), "noise": pl.Float64(), "reason": _TEXT}
)
"""What a result line says beside its cosines."""
_UNREADABLE = "cannot be read ({}); expected what a run writes. Make it readable, or delete it."


@dataclass(frozen=True)
class TripletHarvest:
    """What the files of one set hold."""

    items: pl.DataFrame
    """`ITEM_FRAME`"""
    candidates: pl.DataFrame
    """`CANDIDATE_FRAME`"""
    similarities: pl.DataFrame
    """One row per run, item and candidate, of lines that belong to the items' texts as they are now: `RUN`, `item_id`,
    `role`, `position`, `similarity`, `spread`, `noise`, `reason`."""
    n_left_out: int
    """Lines of other texts, or of no item."""
    rejects: pl.DataFrame
    """REJECTS."""


def triplet_states(settings: Settings) -> dict[str, str]:
    """What the files of each set look like now, without reading them: by size and time."""
    return {
        name: _state([*_files_of_items(settings, name), *result_files(settings, name)]) for name in set_names(settings)
    }


def token_states(settings: Settings) -> dict[str, str]:
    """The same of each collection of texts whose tokens were counted."""
    folders = sorted(path for path in token_folder(settings).glob("*") if path.is_dir())
    return {folder.name: _state(files) for folder in folders if (files := sorted(folder.glob("*/*.jsonl")))}


def result_files(settings: Settings, set_name: str) -> list[Path]:
    """Files of results of a set, in order."""
    return sorted(results_folder(settings, set_name).glob("*/*/*.jsonl"))


def _files_of_items(settings: Settings, name: str) -> list[Path]:
    try:
        return [set_path(settings, name)]
    except UsageError:
        return [own_folder(settings) / f"{name}.jsonl"]


def _state(files: Sequence[Path]) -> str:
    said = []
    for path in files:
        try:
            status = path.stat()
        except OSError:
            continue
        said.append(f"{path}\0{status.st_size}\0{status.st_mtime_ns}")
    return sha256("\n".join(said).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def read_triplets(settings: Settings, set_name: str) -> TripletHarvest:
    """What the files of a set hold now; what cannot be used of them is refused by place and reason."""
    path = f"triplets/{set_name}.jsonl"
    try:
        stored = read_set(settings, set_name)
    except UsageError as error:
        return _harvest((), [], [(path, "", str(error))])
    refused = [(path, f"line {reject.line}", reject.reason) for reject in stored.rejects]
    lines: list[Measured] = []
    for file in result_files(settings, set_name):
        where = str(file.relative_to(settings.data))
        try:
            found = read_results(file)
        except OSError as error:
            refused.append((where, "", _UNREADABLE.format(error)))
            continue
        refused += [(where, f"line {number}", reason) for number, reason in found.refused]
        lines += found.by_item.values()
    return _harvest(stored.items, lines, refused)


def _harvest(
    items: Sequence[TripletItem], lines: Sequence[Measured], refused: Sequence[tuple[str, str, str]]
) -> TripletHarvest:
    digests = {item.item_id: item.digest for item in items}
    # Two files may hold one run where somebody copied a model's folder: the last by name counts.
    current = {
        (line.item_id, *(getattr(line, name) for name in RUN)): line
        for line in lines
        if digests.get(line.item_id) == line.item_digest
    }
    n_left_out = sum(digests.get(line.item_id) != line.item_digest for line in lines)
    return TripletHarvest(
        items_frame(items), candidates_frame(items), _similarities(list(current.values())), n_left_out,
        _rejects(refused),
    )  # fmt: skip


def _similarities(lines: Sequence[Measured]) -> pl.DataFrame:
    """One row per cosine."""
    about = pl.DataFrame({name: [getattr(line, name) for line in lines] for name in LINE_FRAME}, schema=LINE_FRAME)
    parts = []
    for side, role in _SIDES.items():
        values = [getattr(line, side) for line in lines]
        owners = np.repeat(np.arange(len(lines)), [len(each) for each in values])
        positions = [position for each in values for position in range(len(each))]
        parts.append(
            about[owners].with_columns(
                pl.lit(role).alias("role"),
                pl.Series("position", positions, dtype=pl.Int64),
                # Flat: polars takes lists of lists apart one by one.
                pl.Series("similarity", list(chain.from_iterable(values)), dtype=pl.Float64),
            )
        )
    return pl.concat(parts)


def _rejects(refused: Sequence[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame([(None, *each) for each in refused], schema=REJECTS.schema, orient="row")


def items_frame(items: Sequence[TripletItem]) -> pl.DataFrame:
    """One row per item, in the order of the file."""
    rows = [(item.item_id, place, *(getattr(item, name) for name in _ITEM)) for place, item in enumerate(items)]
    return pl.DataFrame(rows, schema=ITEM_FRAME, orient="row")


def candidates_frame(items: Sequence[TripletItem]) -> pl.DataFrame:
    """One row per item and candidate."""
    rows = [
        (item.item_id, role, place, each.text, each.gloss)
        for item in items
        for side, role in _SIDES.items()
        for place, each in enumerate(getattr(item, side))
    ]
    return pl.DataFrame(rows, schema=CANDIDATE_FRAME, orient="row")


@dataclass(frozen=True)
class TokenHarvest:
    """What the files of one collection of counted texts hold."""

    counts: pl.DataFrame
    """TOKEN_COUNTS."""
    rejects: pl.DataFrame
    """REJECTS."""


def read_token_counts(settings: Settings, texts_name: str) -> TokenHarvest:
    """The counts of a collection of texts; what is no count of ours is refused by place and reason."""
    rows: dict[tuple[str, str, str, str], dict[str, object]] = {}
    refused: list[tuple[str, str, str]] = []
    for path in sorted((token_folder(settings) / texts_name).glob("*/*.jsonl")):
        key = (texts_name, path.parent.name.replace("__", "/"), path.stem)
        for place, count in _counts_in(path):
            if isinstance(count, str):
                refused.append((str(path.relative_to(settings.data)), place, count))
            else:
                rows[*key, count.language] = dict(zip(TOKEN_COUNTS.key, key, strict=False)) | asdict(count)
    return TokenHarvest(pl.DataFrame(list(rows.values()), schema=TOKEN_COUNTS.schema), _rejects(refused))


def _counts_in(path: Path) -> Iterator[tuple[str, LanguageCount | str]]:
    """Place, and what stands there: a count, or why it is none."""
    decoder = msgspec.json.Decoder(LanguageCount)
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        yield "", _UNREADABLE.format(error)
        return
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", decoder.decode(line)
        except msgspec.MsgspecError as error:
            yield f"line {number}", f"no line of counts ({error}); expected what `engine tokenize` writes. Count again."
