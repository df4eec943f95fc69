"""Sets of triplet items as files: one record a line, the data folder's before the project's, never overwritten blindly.

A file may be edited by hand or by another visitor at any time. So whoever saves says which state they began
from; where the file is no longer in that state, nothing is written.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

from engine.atomic import write_atomically
from engine.errors import UsageError
from engine.settings import PROJECT, Settings
from engine.tabular import NO_SIGN
from engine.triplets.items import EXCERPT, TripletItem, parse_item

VISITOR = "visitor-"
NO_FILE = ""
"""Digest of a file that is not there."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Reject:
    """A line that is no item; saving leaves it as it is."""

    line: int
    reason: str
    content: str
    """bytes that are no UTF-8 stand in it as Python's surrogateescape has them"""


@dataclass(frozen=True)
class TripletSet:
    """A set as its file held it at one moment."""

    name: str
    path: Path
    items: tuple[TripletItem, ...]
    rejects: tuple[Reject, ...]
    digest: str


def own_folder(settings: Settings) -> Path:
    """Where sets of the data folder lie; they win over the project's."""
    return settings.data / "triplets"


def set_names(settings: Settings) -> tuple[str, ...]:
    """Names of all sets but visitors' drafts, in order."""
    folders = (own_folder(settings), PROJECT / "data" / "triplets")
    return tuple(sorted({path.stem for folder in folders for path in folder.glob("*.jsonl")}))


def visitors_set(visitor: str) -> str:
    """The set that holds a visitor's own drafts.

    Raises:
        UsageError: The name cannot be a file's.
    """
    return VISITOR + _checked(visitor.strip())


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= EXCERPT else f"{name[:EXCERPT]}…"
        raise UsageError(
            f"The name is {shown!r}; expected letters A to Z, digits, hyphens and underscores, at most 64. Change it."
        )
    return name


def _own_path(settings: Settings, name: str) -> Path:
    _checked(name)
    if name.startswith(VISITOR):
        return own_folder(settings) / "visitors" / f"{name.removeprefix(VISITOR)}.jsonl"
    return own_folder(settings) / f"{name}.jsonl"


def set_path(settings: Settings, name: str) -> Path:
    """The file that a set is read from.

    Raises:
        UsageError: There is no set of that name.
    """
    own = _own_path(settings, name)
    shared = PROJECT / "data" / "triplets" / f"{name}.jsonl"
    if own.exists() or name.startswith(VISITOR):
        return own
    if not shared.exists():
        known = ", ".join(set_names(settings)) or "none"
        raise UsageError(f"No triplet set {name!r}; there are: {known}. Choose one, or begin it.")
    return shared


def read_set(settings: Settings, name: str) -> TripletSet:
    """The set; a visitor's that has no file yet is empty.

    Raises:
        UsageError: There is no set of that name.
    """
    path = set_path(settings, name)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return TripletSet(name, path, (), (), NO_FILE)
    items: list[TripletItem] = []
    rejects: list[Reject] = []
    seen: set[str] = set()
    text = content.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            item = _parse_line(line, seen)
        except ValueError as error:
            rejects.append(Reject(number, f"{error}.", line))
            continue
        seen.add(item.item_id)
        items.append(item)
    return TripletSet(name, path, tuple(items), tuple(rejects), _digest(content))


def _parse_line(line: str, seen: set[str]) -> TripletItem:
    if NO_SIGN.search(line):
        raise ValueError("the line holds bytes that are no UTF-8; expected text. Save the file as UTF-8")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON ({error}); expected one object a line") from error
    if not isinstance(record, dict):
        raise ValueError(f"{line[:40]!r}; expected an object")
    item = parse_item(record)
    if item.item_id in seen:
        raise ValueError(f"id {item.item_id!r} is taken by an earlier line; expected each once")
    return item


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def begin_set(settings: Settings, name: str) -> None:
    """Makes an empty set in the data folder.

    Raises:
        UsageError: The name is taken or cannot be a file's, or the dashboard is read-only.
    """
    _expect_writable(settings, name)
    if name in set_names(settings):
        raise UsageError(f"There is a set {name!r} already; expected a new name. Choose another, or open that set.")
    write_atomically(_own_path(settings, name), "")


def save_set(settings: Settings, name: str, items: Sequence[TripletItem], expected_digest: str) -> str:
    """The digest of the file that now holds the items; lines that were no items stay at its end.

    A set of the project is saved in the data folder, where it wins from then on.

    Args:
        settings: Where the data lies.
        name: The set.
        items: All of its items, in order.
        expected_digest: What `read_set` said when the caller began.

    Raises:
        UsageError: The file changed meanwhile, an id is there twice, or the dashboard is read-only.
    """
    _expect_writable(settings, name)
    ids = [item.item_id for item in items]
    twice = sorted({each for each in ids if ids.count(each) > 1}) if len(set(ids)) < len(ids) else []
    if twice:
        raise UsageError(f"Id {twice[0]!r} is there twice; expected each once. Change one of them.")
    target = _own_path(settings, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_suffix(".lock")):
        now = read_set(settings, name)
        if now.digest != expected_digest:
            raise UsageError(
                f"{now.path.name} was changed meanwhile by somebody else; nothing was overwritten. "
                "Look at the new file and save again."
            )
        lines = [json.dumps(item.as_record(), ensure_ascii=False) for item in items]
        kept = [*lines, *(reject.content for reject in now.rejects)]
        content = "".join(f"{line}\n" for line in kept).encode("utf-8", "surrogateescape")
        write_atomically(target, content)
    return _digest(content)


def _expect_writable(settings: Settings, name: str) -> None:
    _checked(name)
    if settings.readonly and not name.startswith(VISITOR):
        raise UsageError(
            f"This dashboard is read-only (SCORELENS_READONLY=1); {name} cannot be changed here. "
            "Write drafts under your own name."
        )
