"""Embeddings, each encoded once: in memory first, in a capped file behind it.

The unit of reuse is the exact string that enters the tokenizer under one encoder identity, so over K
prompts a corpus is encoded once, and a text that occurs twice is encoded once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from engine.sweep.encoders import Encoder, Vectors, batches, check_block

CAP = 2_000_000_000
"""Bytes that the file may hold; the oldest vectors go first."""

READ_AT_ONCE = 500
"""Keys per query: SQLite allows 32,766 parameters, older builds 999."""


class VectorFile:
    """A file of vectors by key, safe for several processes at once; close it, or use it in a `with` block.

    SQLite in WAL mode: readers never wait, writers queue. Whoever writes a key first wins; the bytes
    that a later reader gets are those that were stored.
    """

    def __init__(self, path: Path, cap: int = CAP) -> None:
        self._cap = cap
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = normal")
        self._connection.execute(
            "create table if not exists vectors (age integer primary key, key blob unique, row blob)"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that are there, by key."""
        found: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), READ_AT_ONCE):
            some = keys[start : start + READ_AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(f"select key, row from vectors where key in ({marks})", some)
            found.update((key, np.frombuffer(row, np.float32)) for key, row in rows)
        return found

    def write(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep vectors; a key that is there stays as it is. Over the cap, the oldest quarter goes."""
        rows = [(key, row.astype(np.float32, copy=False).tobytes()) for key, row in vectors.items()]
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


@dataclass
class Tally:
    """What one run asked for, and what of it had to be encoded."""

    texts: int = 0
    texts_encoded: int = 0
    tokens: int = 0


class VectorSource:
    """The vectors of one encoder: from memory, else from the file, else encoded, checked and kept."""

    def __init__(self, encoder: Encoder, file: VectorFile) -> None:
        self.encoder = encoder
        self.tally = Tally()
        self._file = file
        self._memory: dict[str, Vectors] = {}

    def prepare(self, strings: Iterable[str]) -> None:
        """Have the vectors of all these strings in memory; best called with many at once, so that batches are full.

        Raises:
            RunFailed: The encoder returned a vector that no score may rest on.
        """
        missing = [string for string in dict.fromkeys(strings) if string not in self._memory]
        keys = {self.encoder.identity.key(string): string for string in missing}
        self._memory.update((keys[key], row) for key, row in self._file.read(list(keys)).items())
        self._encode([string for string in missing if string not in self._memory])

    def fetch(self, strings: Sequence[str]) -> Vectors:
        """One row per string, in order.

        Raises:
            RunFailed: The encoder returned a vector that no score may rest on.
        """
        self.prepare(strings)
        self.tally.texts += len(strings)
        rows = [self._memory[string] for string in strings]
        return np.stack(rows) if rows else np.empty((0, self.encoder.identity.width), np.float32)

    def _encode(self, strings: list[str]) -> None:
        lengths = self.encoder.count_tokens(strings) if strings else []
        for positions in batches(lengths):
            batch = [strings[at] for at in positions]
            block = self.encoder.encode(batch)
            check_block(block, batch, self.encoder.identity.width)
            fresh = dict(zip(batch, block, strict=True))
            self._memory.update(fresh)
            self._file.write({self.encoder.identity.key(string): row for string, row in fresh.items()})
            self.tally.texts_encoded += len(batch)
            self.tally.tokens += sum(lengths[at] for at in positions)
