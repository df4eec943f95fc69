"""Running numbers: short stand-ins for long keys, kept over builds so that a small change stays small.

Which number a key has means nothing; content hashes resolve numbers to what they stand for.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def add_numbers(wanted: pl.DataFrame, known: pl.DataFrame, key: Sequence[str], number: str) -> pl.DataFrame:
    """The wanted rows, in their order, with a running number in front.

    A key that is known keeps its number; new keys get the next ones, in sorted order of the key.

    Args:
        wanted: Rows with the key's columns, no key missing.
        known: The key's columns and `number`, one row per key.
        key: Columns that identify a row.
        number: Name of the running number.
    """
    highest = known[number].max()
    first = highest + 1 if isinstance(highest, int) else 0
    new = wanted.select(key).unique().join(known, on=key, how="anti").sort(key)
    numbered = new.select(pl.int_range(first, first + len(new), dtype=pl.Int32).alias(number), *key)
    numbers = pl.concat([known.select(number, *key), numbered])
    return wanted.join(numbers, on=key, how="left", maintain_order="left").select(number, *wanted.columns)
