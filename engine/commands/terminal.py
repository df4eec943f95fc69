"""What commands print with: answers on stdout, everything else on stderr, so that a pipe gets clean data."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum

import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from engine.progress import Progress as Reporter

NARROW_SPACE = "\u202f"
"""Before a per cent sign: python does not call it printable."""
ROWS_OF_A_TABLE = 100
"""Rows of a table on a terminal; JSON and CSV always hold all."""


class Format(StrEnum):
    """How an answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def say(text: str) -> None:
    """Tell the person at the terminal something that is no part of the answer."""
    Console(stderr=True, soft_wrap=True, highlight=False).print(escape(text))


def show_frame(frame: pl.DataFrame, layout: Format) -> None:
    """Print a frame: JSON and CSV unrounded and whole, the table rounded and cut."""
    if layout is Format.JSON:
        sys.stdout.write(
            json.dumps(_plain(frame.to_dicts()), ensure_ascii=False, default=str, allow_nan=False, indent=1) + "\n"
        )
    elif layout is Format.CSV:
        sys.stdout.write(_flat(frame).write_csv())
    else:
        _show_table(frame)


@contextmanager
def progress_bar() -> Iterator[Reporter]:
    """A bar on stderr for as long as the block runs; the block gets whom to tell."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=None, left="")

        def tell(stage: str, done: int, total: int, seconds_left: float | None = None) -> None:
            left = "" if seconds_left is None else f"about {duration(seconds_left)} left"
            bars.update(bar, description=escape(stage), completed=done, total=total or None, left=left)

        yield tell


def duration(seconds: float) -> str:
    """Seconds in words that fit their size."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as JSON texts, bytes as hexadecimal digits: a CSV cell holds one text or number."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(pl.col(pl.Binary).bin.encode("hex")).with_columns(
        pl.Series(name, [None if cell is None else _as_json(cell) for cell in frame[name].to_list()], dtype=pl.String)
        for name in nested
    )


def _as_json(cell: object) -> str:
    return json.dumps(_plain(cell), ensure_ascii=False, default=str, allow_nan=False)


def _plain(cell: object) -> object:
    """A cell as JSON can say it: a number that is none is null, bytes are hexadecimal digits."""
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, list):
        return [_plain(each) for each in cell]
    if isinstance(cell, dict):
        return {name: _plain(each) for name, each in cell.items()}
    return cell


def _show_table(frame: pl.DataFrame) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, dtype in frame.schema.items():
        table.add_column(name, justify="right" if dtype.is_numeric() else "left", overflow="fold")
    for row in frame.head(ROWS_OF_A_TABLE).iter_rows():
        table.add_row(*(escape(_shown(value)) for value in row))
    # A pipe has no width: nothing is folded there.
    Console(highlight=False, width=None if sys.stdout.isatty() else 10_000).print(table)
    if len(frame) > ROWS_OF_A_TABLE:
        say(f"{len(frame) - ROWS_OF_A_TABLE:,} further rows; --format csv or json prints all.")


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    # A prompt may hold line breaks and control characters: they are data, not layout.
    return "".join(sign if sign.isprintable() or sign == NARROW_SPACE else repr(sign)[1:-1] for sign in str(value))
