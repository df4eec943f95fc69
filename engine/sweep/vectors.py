"""Embeddings, each encoded once: in memory first, in a capped file behind it.

The unit of reuse is the exact string that enters the tokenizer under one encoder identity, so over K
prompts a corpus is encoded once, and a text that occurs twice is encoded once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Self

import numpy as np

from engine.errors import RunFailed
from engine.sweep.encoders import (
    EXCERPT,
    Encoder,
    Vectors,
    batch_size,
    check_block,
    is_out_of_memory,
    longest_first,
    text_id,
    tokens_per_batch,
)

CAP = 10_000_000_000
"""Bytes that the file may hold; the oldest vectors go first."""

MEMORY_CAP = 2_000_000_000
"""Bytes of vectors that one model keeps in memory; beyond that the oldest are read from the file again."""

BESIDE_A_VECTOR = 300
"""Bytes that a vector in memory takes beside its numbers: its key, and what Python and numpy add."""

STRINGS_AT_ONCE = 20_000
"""Strings that are sorted by length together: enough to fill batches, few enough to be kept by the file soon."""

PAGE = 16_384
PAGES_BEHIND = 4_000
"""Bytes of a page, and how many may wait to be moved from the log into the file: a vector of width 1024 fits a page,
and 64 MB move at once. Writing takes less than half of the time that it does with SQLite's own sizes (16, not 38 µs a
vector)."""

READ_AT_ONCE = 500
"""Keys per query: SQLite allows 32,766 parameters, older builds 999."""


class VectorFile:
    """A file of vectors by key, safe for several processes at once; close it, or use it in a `with` block.

    SQLite in WAL mode: readers never wait, writers queue. Whoever writes a key first wins; the bytes
    that a later reader gets are those that were stored.
    """

    def __init__(self, path: Path, cap: int = CAP) -> None:
        self._cap = cap
        self.problem: str | None = None
        """Why vectors are no longer kept or read; they are then encoded anew."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _opened(path)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error, path)
            self._connection = _opened(":memory:")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are there, by key; none where the file cannot be read."""
        found: dict[bytes, Vectors] = {}
        try:
            for start in range(0, len(keys), READ_AT_ONCE):
                some = keys[start : start + READ_AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._connection.execute(f"select key, row from vectors where key in ({marks})", some)
                found.update((key, np.frombuffer(row, np.float32)) for key, row in rows)
        except sqlite3.Error as error:
            self._give_up(error)
        return found

    def write(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep vectors; a key that is there stays as it is. Over the cap, the oldest quarter goes.

        A file that cannot be written to (a full disk) is given up, and `problem` says why.
        """
        if self.problem is not None:
            return
        rows = [(key, row.astype(np.float32, copy=False).tobytes()) for key, row in vectors.items()]
        try:
            self._insert(rows)
        except sqlite3.Error as error:
            self._give_up(error)

    def _give_up(self, error: Exception, path: Path | None = None) -> None:
        at = f" in {path}" if path else ""
        self.problem = (
            f"Vectors are no longer kept{at}: {error}. Texts are encoded anew where they would have been read. "
            "Check the disk and its space; where the file itself is damaged, delete it."
        )

    def _insert(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        with self._connection:
            self._connection.execute("begin immediate")
            self._connection.executemany("insert or ignore into vectors (key, row) values (?, ?)", rows)
            if self._bytes_held() > self._cap:
                oldest = "select age from vectors order by age limit (select count(*) / 4 from vectors)"
                self._connection.execute(f"delete from vectors where age in ({oldest})")

    def _bytes_held(self) -> int:
        """Bytes of pages in use."""
        pages, free, size = (
            int(self._connection.execute(f"pragma {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size


def _opened(place: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=60, isolation_level=None)
    connection.execute(f"pragma page_size = {PAGE}")
    connection.execute("pragma journal_mode = wal")
    connection.execute(f"pragma wal_autocheckpoint = {PAGES_BEHIND}")
    connection.execute("pragma synchronous = normal")
    connection.execute("create table if not exists vectors (age integer primary key, key blob unique, row blob)")
    return connection


@dataclass
class Tally:
    """What one run asked for, and what of it had to be encoded."""

    texts: int = 0
    texts_encoded: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """time spent encoding"""


class VectorSource:
    """The vectors of one encoder: from memory, else from the file, else encoded, checked and kept."""

    def __init__(self, encoder: Encoder, file: VectorFile, memory_cap: int = MEMORY_CAP) -> None:
        self.encoder = encoder
        self.tally = Tally()
        self._file = file
        self._memory: dict[bytes, Vectors] = {}
        self._memory_rows = max(1, memory_cap // (4 * encoder.identity.width + BESIDE_A_VECTOR))
        self._budget = tokens_per_batch(encoder.device)

    def fetch(self, strings: Sequence[str]) -> Vectors:
        """One row per string, in order; each distinct string is encoded at most once.

        Raises:
            RunFailed: The encoder returned a vector that no score may rest on, or has no memory for a single text.
        """
        self.tally.texts += len(strings)
        places: dict[str, list[int]] = {}
        for place, string in enumerate(strings):
            places.setdefault(string, []).append(place)
        rows = np.empty((len(strings), self.encoder.identity.width), np.float32)
        wanted = list(places)
        for start in range(0, len(wanted), STRINGS_AT_ONCE):
            for string, row in self._have(wanted[start : start + STRINGS_AT_ONCE]).items():
                rows[places[string]] = row
        return rows

    def _have(self, strings: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of distinct strings."""
        keys = {string: self.encoder.identity.key(string) for string in strings}
        found = {string: self._memory[key] for string, key in keys.items() if key in self._memory}
        stored = self._file.read([key for string, key in keys.items() if string not in found])
        found.update((string, stored[key]) for string, key in keys.items() if key in stored)
        fresh = self._encode([string for string in strings if string not in found])
        self._remember({**stored, **{keys[string]: row for string, row in fresh.items()}})
        return {**found, **fresh}

    def _remember(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep vectors in memory; those that came first go when there are too many."""
        self._memory.update(vectors)
        surplus = max(0, len(self._memory) - self._memory_rows)
        for key in list(islice(self._memory, surplus)):
            del self._memory[key]

    def _encode(self, strings: list[str]) -> dict[str, Vectors]:
        lengths = self.encoder.count_tokens(strings) if strings else []
        order, fresh, start = longest_first(lengths), dict[str, Vectors](), 0
        while start < len(order):
            positions = order[start : start + batch_size(lengths[order[start]], self._budget)]
            batch = [strings[at] for at in positions]
            begun = monotonic()
            block = self._encode_batch(batch)
            self.tally.seconds += monotonic() - begun
            if block is None:
                continue
            check_block(block, batch, self.encoder.identity.width)
            rows = dict(zip(batch, block, strict=True))
            self._file.write({self.encoder.identity.key(string): row for string, row in rows.items()})
            fresh.update(rows)
            self.tally.texts_encoded += len(batch)
            self.tally.tokens += sum(lengths[at] for at in positions)
            start += len(batch)
        return fresh

    def _encode_batch(self, batch: Sequence[str]) -> Vectors | None:
        """The vectors of a batch; None where memory ran out, and the next batch is to be half as large."""
        try:
            return self.encoder.encode(batch)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            if len(batch) == 1:
                raise RunFailed(
                    f"{self.encoder.device} has no memory for the text {text_id(batch[0])} {batch[0][:EXCERPT]!r} of "
                    f"{len(batch[0]):,} characters alone; expected room for one. Choose a smaller model or dtype, or "
                    "another device."
                ) from error
        self._budget = max(1, self._budget // 2)
        return None
