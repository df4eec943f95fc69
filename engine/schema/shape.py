"""What a declared table is, and the check that a frame is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

TEXTS = pl.List(pl.String)


@dataclass(frozen=True)
class Column:
    """One column: what it means, in which unit, and whether it may be missing."""

    name: str
    dtype: pl.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()
    logical: bool = True
    """False for times and running numbers: they are left out of the content hash."""


@dataclass(frozen=True)
class Table:
    """One table: what a row is, what identifies it, and its columns."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    references: tuple[tuple[str, str], ...] = ()
    """(column, table) pairs: each value, where not null, is in that table's column of the same name."""

    @property
    def schema(self) -> pl.Schema:
        """Column names and polars types, in order."""
        return pl.Schema({column.name: column.dtype for column in self.columns})


def choices_of(enum: type[StrEnum]) -> tuple[str, ...]:
    """The values of a closed list of words."""
    return tuple(member.value for member in enum)


def text(name: str, meaning: str, *, nullable: bool = False, choices: tuple[str, ...] = ()) -> Column:
    """A column of words."""
    return Column(name, pl.String(), meaning, nullable=nullable, choices=choices)


def problems_in(frame: pl.DataFrame, table: Table) -> list[str]:
    """What is wrong with a frame that claims to be rows of a table; empty when nothing is.

    Checks column names and types, missing values, listed choices, NaN, and repeated keys.
    """
    if frame.schema != table.schema:
        return [f"{table.name}: columns are {dict(frame.schema)}, expected {dict(table.schema)}"]
    found = [
        f"{table.name}.{column.name}: {count} missing values, expected none"
        for column in table.columns
        if not column.nullable and (count := frame[column.name].null_count())
    ]
    found += [
        f"{table.name}.{column.name}: {count} NaN, expected null"
        for column in table.columns
        if column.dtype == pl.Float64() and (count := int(frame[column.name].is_nan().sum()))
    ]
    found += [
        f"{table.name}.{column.name}: {strange}, expected one of {list(column.choices)}"
        for column in table.columns
        if column.choices and (strange := _outside(frame[column.name], column.choices))
    ]
    repeated = len(frame) - frame.select(table.key).n_unique()
    if repeated:
        found.append(f"{table.name}: {repeated} rows repeat the key {table.key}")
    return found


def _outside(values: pl.Series, choices: Sequence[str]) -> list[str]:
    distinct = values.drop_nulls().unique()
    return distinct.filter(~distinct.is_in(list(choices))).sort().head(3).to_list()
