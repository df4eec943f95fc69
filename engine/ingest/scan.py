"""Which files of a source must be read: by path, size and time first, by content where only the time moved."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import polars as pl

from engine.errors import SourceError
from engine.ingest.batch import is_context
from engine.schema import FILES, SourceKind
from engine.sweep.record import PROMPTS_FILE, TASKS_FILE

RESULT_ROOTS = ("results", "remote/results")


@dataclass(frozen=True)
class FoundFile:
    """One file of a source as the folder lists it."""

    path: str
    """below the source's folder, with `/`"""
    n_bytes: int
    modified_ns: int


@dataclass(frozen=True)
class Scan:
    """What changed in a source since its ledger was written."""

    found: tuple[FoundFile, ...]
    """Every file that counts, in order of path."""
    changed: tuple[str, ...]
    """To be read: new or changed files, and files whose folder's `model_meta.json` or sidecar changed.
    Runs, rejects and ledger lines of these paths are replaced."""
    removed: tuple[str, ...]
    """Gone: their runs, rejects and ledger lines are dropped."""
    touched: pl.DataFrame
    """FILES rows (with an empty source_name) of files that have a new time and the same content."""

    @property
    def is_unchanged(self) -> bool:
        """Nothing to read and nothing to drop."""
        return not self.changed and not self.removed

    @property
    def n_bytes(self) -> int:
        """Size of all files together."""
        return sum(file.n_bytes for file in self.found)

    def portions(self, most_bytes: int) -> tuple[Scan, ...]:
        """The same changes a portion at a time, whole folders each: what is read of one portion fits into memory."""
        n_bytes = {file.path: file.n_bytes for file in self.found}
        portions: list[list[str]] = [[]]
        filled = 0
        for _, group in groupby(self.changed, key=lambda path: path.rpartition("/")[0]):
            paths = list(group)
            size = sum(n_bytes[path] for path in paths)
            if portions[-1] and filled + size > most_bytes:
                portions.append([])
                filled = 0
            portions[-1] += paths
            filled += size
        return tuple(replace(self, changed=tuple(paths)) for paths in portions)


EMPTY_SCAN = Scan((), (), (), FILES.schema.to_frame())
"""Of a source that cannot be looked at: nothing was found, and nothing is taken to be gone."""


def scan_source(source_path: Path, kind: SourceKind, ledger: pl.DataFrame, retry: Collection[str] = ()) -> Scan:
    """What must be read of a source, given the ledger of the last build.

    Args:
        source_path: The source's folder, or its Parquet file.
        kind: Layout of its files.
        ledger: FILES rows of this source, empty on the first build.
        retry: Files that left no run last time; they are read again as soon as anything else changed,
            because what stood in their way may be gone.

    Raises:
        SourceError: The folder or file is gone.
    """
    found = tuple(sorted(_files_of(source_path, kind), key=lambda file: file.path))
    known = {row["path"]: row for row in ledger.iter_rows(named=True)}
    fresh, touched = set(), []
    for file in found:
        before = known.get(file.path)
        if before is None or before["n_bytes"] != file.n_bytes:
            fresh.add(file.path)
        elif before["modified_ns"] != file.modified_ns:
            if content_hash(location(source_path, file.path)) == before["content_hash"]:
                touched.append({**before, "source_name": "", "modified_ns": file.modified_ns})
            else:
                fresh.add(file.path)
    removed = known.keys() - {file.path for file in found}
    changed = _with_their_folders(fresh, removed, found)
    if changed or removed:
        changed |= set(retry) & {file.path for file in found}
    return Scan(found, tuple(sorted(changed)), tuple(sorted(removed)), pl.DataFrame(touched, schema=FILES.schema))


def location(source_path: Path, path: str) -> Path:
    """Where a file of a source lies; a frame's one file is the source itself."""
    return source_path if source_path.is_file() else source_path / path


def content_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def result_roots(source_path: Path) -> tuple[str, ...]:
    """The folders below a source that hold `<model>/<revision>/…`; empty where there is none.

    A path may point at the folder that contains `results/` or `remote/results/`, or at such a folder itself.
    """
    below = tuple(root for root in RESULT_ROOTS if (source_path / root).is_dir())
    if below:
        return below
    return (".",) if any(source_path.glob("*/*/*.json")) else ()


def _files_of(source_path: Path, kind: SourceKind) -> Iterator[FoundFile]:
    if kind is SourceKind.FRAME:
        if not source_path.is_file():
            raise SourceError(f"{source_path} is not a file; expected mteb's frame as Parquet. Register it again.")
        yield _found_file(str(source_path), source_path.name)
        return
    roots = result_roots(source_path)
    if not roots:
        raise SourceError(
            f"{source_path} holds no results; expected results/<model>/<revision>/<Task>.json below it. "
            "Register the folder that contains results/."
        )
    for root in roots:
        yield from _walk(source_path, root)
    for name in (TASKS_FILE, PROMPTS_FILE):
        if (source_path / name).is_file():
            yield _found_file(f"{source_path}/{name}", name)


def _walk(source_path: Path, root: str) -> Iterator[FoundFile]:
    """Files two folders down, `<model>/<revision>/`, and those of `experiments/<name>/` below."""
    base = str(source_path)
    closed: list[str] = []
    # A model's folder may be a link; a circle of links ends where the depth does.
    walk = os.walk(source_path / root, onerror=lambda error: closed.append(error.filename), followlinks=True)
    for folder, folders, names in walk:
        below = folder[len(base) :].strip("/")
        depth = _depth(below, root)
        folders[:] = sorted(name for name in folders if _may_hold_results(depth, name))
        if depth not in (2, 4):
            continue
        for name in names:
            if name.endswith(".json") or is_context(name):
                yield _found_file(f"{folder}/{name}", f"{below}/{name}")
    for folder in closed:
        yield _found_file(folder, folder[len(base) :].strip("/"))


def _found_file(location: str, path: str) -> FoundFile:
    """A file as it lies there; one that cannot be looked at, such as a broken link, has no size and no time.

    A name that is not UTF-8 is written with its bytes as escapes; reading it fails, and says so.
    """
    written = path.encode("utf-8", "backslashreplace").decode("utf-8")
    if written != path:
        return FoundFile(written, 0, 0)
    try:
        status = os.stat(location)  # noqa: PTH116 - a Path per file doubles the time of a scan
    except OSError:
        return FoundFile(path, 0, 0)
    return FoundFile(path, status.st_size, status.st_mtime_ns)


def _depth(below: str, root: str) -> int:
    parts = [part for part in below.split("/") if part]
    return len(parts) - (0 if root == "." else root.count("/") + 1)


def _may_hold_results(depth: int, name: str) -> bool:
    if depth == 2:
        return name == "experiments"
    return depth in (0, 1, 3) and not name.startswith(".")


def _with_their_folders(fresh: set[str], removed: Collection[str], found: tuple[FoundFile, ...]) -> set[str]:
    """The fresh files, and every file of a folder whose context changed.

    An experiment's folder is read as a whole: which keys of its prompts match depends on all its tasks. All files are
    read again when `tasks.json` changed, because the sides of a run depend on the type of its task.
    """
    if TASKS_FILE in fresh or TASKS_FILE in removed:
        return {file.path for file in found}
    whole = {
        folder
        for path in (*fresh, *removed)
        for folder, _, name in [path.rpartition("/")]
        if "/experiments/" in f"/{folder}/" or is_context(name)
    }
    return fresh | {file.path for file in found if file.path.rpartition("/")[0] in whole}
