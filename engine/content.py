"""What a store holds, told apart from how it came about: counts, content hashes, broken rules.

Two stores with the same content have the same hashes, whatever order they were built in. Running
numbers are resolved to what they stand for; times and the snapshot's own name are left out. All SQL
derives from `engine.schema.TABLES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import polars as pl

from engine.schema import TABLES, Table, table_named


class Reader(Protocol):
    """A snapshot, or a draft that is still being written."""

    def read(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> pl.DataFrame:
        """The rows that a query returns."""
        ...


def row_counts(reader: Reader) -> dict[str, int]:
    """Number of rows by table."""
    selects = [f"SELECT '{table.name}' AS table_name, count(*) AS n FROM {table.name}" for table in TABLES]
    counts = reader.read(" UNION ALL ".join(selects))
    return dict(zip(counts["table_name"], counts["n"], strict=True))


def content_hashes(reader: Reader) -> dict[str, str]:
    """SHA-256 by table over its sorted logical rows, hexadecimal."""
    return {table.name: _content_hash(reader, table) for table in TABLES}


def broken_rules(reader: Reader, tables: Iterable[Table] = TABLES) -> list[str]:
    """What the store breaks of its schema: repeated keys, missing values, strange choices, dangling references."""
    found = []
    for table in tables:
        counts = reader.read(f"SELECT {', '.join(_rule_counts(table))} FROM {table.name}").row(0, named=True)
        found += [f"{table.name}: {rule}: {count} rows, expected none" for rule, count in counts.items() if count]
        found += [message for reference in table.references if (message := _dangling(reader, table, *reference))]
    return found


def _content_hash(reader: Reader, table: Table) -> str:
    sql = f"SELECT sha256(coalesce(string_agg(h, '' ORDER BY h), '')) AS hash FROM ({_hashed_rows(table)})"
    return str(reader.read(sql).item())


def _hashed_rows(table: Table) -> str:
    """SQL for a hash per row (`h`), with the row's running number beside it where it has one."""
    targets = dict(table.references)
    fields, joins = [], []
    for column in table.columns:
        if column.logical:
            fields.append(f"{column.name} := t.{column.name}")
        elif column.name in targets:
            joins.append(
                f"JOIN ({_hashed_rows(table_named(targets[column.name]))}) AS r_{column.name} USING ({column.name})"
            )
            fields.append(f"{column.name} := r_{column.name}.h")
    numbers = "".join(
        f"t.{column.name}, " for column in table.columns if column.dtype == pl.Int32() and not column.logical
    )
    return (
        f"SELECT {numbers}md5(CAST(to_json(struct_pack({', '.join(fields)})) AS VARCHAR)) AS h "
        f"FROM {table.name} AS t {' '.join(joins)}"
    )


def _rule_counts(table: Table) -> list[str]:
    key = ", ".join(table.key)
    counts = [f'count(*) - count(DISTINCT ({key})) AS "key {key} repeated"']
    for column in table.columns:
        if not column.nullable:
            counts.append(f'count(*) - count({column.name}) AS "{column.name} missing"')
        if column.dtype == pl.Float64():
            counts.append(
                f'count(*) FILTER (isnan({column.name}) OR isinf({column.name})) AS "{column.name} not a number"'
            )
        if column.choices:
            listed = ", ".join("'" + choice.replace("'", "''") + "'" for choice in column.choices)
            counts.append(
                f'count(*) FILTER ({column.name} NOT IN ({listed})) AS "{column.name} not one of its choices"'
            )
    return counts


def _dangling(reader: Reader, table: Table, column: str, target: str) -> str:
    sql = f"SELECT count(*) FROM {table.name} ANTI JOIN {target} USING ({column}) WHERE {column} IS NOT NULL"
    count = reader.read(sql).item()
    return f"{table.name}.{column}: {count} rows point to nothing in {target}, expected none" if count else ""
