"""Tables in SQL: how a column's type is called there."""

from __future__ import annotations

import polars as pl

from engine.schema.shape import Table

_SQL_TYPES: dict[pl.DataType, str] = {
    pl.String(): "VARCHAR",
    pl.Int64(): "BIGINT",
    pl.Int32(): "INTEGER",
    pl.Float64(): "DOUBLE",
    pl.Boolean(): "BOOLEAN",
    pl.Datetime("us", "UTC"): "TIMESTAMPTZ",
    pl.List(pl.String): "VARCHAR[]",
}


def create_statement(table: Table) -> str:
    """The statement that makes an empty table, nothing but types and NOT NULL: rules are checked before publishing."""
    columns = ", ".join(
        f"{column.name} {_SQL_TYPES[column.dtype]}{'' if column.nullable else ' NOT NULL'}" for column in table.columns
    )
    return f"CREATE TABLE {table.name} ({columns})"
