"""What models made of triplet items, as files: one line per item, model and prompts of the roles."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import msgspec
from filelock import FileLock

from engine.atomic import write_atomically
from engine.ingest.json_tokens import decode_with_nan
from engine.settings import Settings
from engine.triplets.items import TripletItem


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


_DECODER = msgspec.json.Decoder(Measured)


def results_folder(settings: Settings, set_name: str) -> Path:
    """Where the results of a set lie."""
    return settings.results / "triplets" / set_name


def results_file(settings: Settings, set_name: str, model_name: str, revision: str, roles: Roles) -> Path:
    """The file of one model under one pair of prompts."""
    said = json.dumps([roles.base, roles.candidate], ensure_ascii=False)
    name = f"{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.jsonl"
    return results_folder(settings, set_name) / model_name.replace("/", "__") / revision / name


@dataclass(frozen=True)
class ResultLines:
    """What a file of results holds."""

    by_item: dict[str, Measured]
    """the last line of each item"""
    refused: tuple[tuple[int, str], ...]
    """number and reason of each line that is none of ours"""


def read_results(path: Path) -> ResultLines:
    """The lines of a file; nothing where there is no file. NaN, which Python writes into JSON, is a missing cosine."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ResultLines({}, ())
    found: dict[str, Measured] = {}
    refused = []
    # Only a line feed ends a line: prompts may hold the separators that Python also takes for line ends.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            measured = decode_with_nan(_DECODER, line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            why = f"no line of results ({error}); expected what a run writes. Run the set again."
            refused.append((number, why))
        else:
            found[measured.item_id] = measured
    return ResultLines(found, tuple(refused))


def read_lines(path: Path) -> dict[str, Measured]:
    """The lines of a file by item; what is no line of ours is passed over, and measured again."""
    return read_results(path).by_item


def keep_lines(path: Path, lines: Iterable[Measured]) -> None:
    """Puts lines into a file, in place of earlier ones of the same items; whoever else does so waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):
        kept = {**read_lines(path), **{line.item_id: line for line in lines}}
        content = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in kept.values())
        write_atomically(path, content)


def is_answered(settings: Settings, set_name: str, item: TripletItem) -> bool:
    """Some model was asked about the item's texts as they are now."""
    digest = json.dumps(item.digest).encode()
    return any(digest in path.read_bytes() for path in results_folder(settings, set_name).glob("*/*/*.jsonl"))
