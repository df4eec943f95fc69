"""Reads tables that people bring: CSV, TSV or JSON Lines, in whatever encoding and with whatever delimiter.

All cells are texts, so that an id keeps its zeros. What was detected is said, and a row that cannot be used is set
aside with its line and reason; the others go on.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import SourceError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer before those that they begin with."""


@dataclass(frozen=True)
class RowProblem:
    """A row, or a cell of it, that cannot be used."""

    line: int
    """line of the file, 1 = the first"""
    column: str
    """name of the column; empty = the whole row"""
    reason: str


@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes:
        columns: Names of the columns, in order.
        rows: One mapping a row, from column to text; a column that a row lacks is absent.
        lines: The line that each row begins on.
        encoding: As it was detected.
        delimiter: As it was detected, in words; `JSON Lines` for those.
        problems: What was set aside.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    lines: tuple[int, ...]
    encoding: str
    delimiter: str
    problems: tuple[RowProblem, ...]


def read_table(content: bytes, name: str) -> TextTable:
    """The table in a file's bytes.

    Args:
        content: The bytes.
        name: The file's name, for messages; its ending says JSON Lines from the rest.

    Raises:
        SourceError: The file is empty, or no encoding fits it.
    """
    text, encoding = decode(content, name)
    if not text.strip():
        raise SourceError(f"{name} is empty; expected a heading and rows. Choose another file.")
    if Path(name).suffix.lower() in (".jsonl", ".ndjson") or text.lstrip()[:1] == "{":
        return _read_json_lines(text, encoding)
    return _read_delimited(text, encoding, name)


def decode(content: bytes, name: str) -> tuple[str, str]:
    """The text of some bytes and the name of its encoding: by its mark, else UTF-8, UTF-16 or Windows-1252.

    Windows-1252 is a guess, taken where nothing else fits: it can read nearly all bytes, rightly or not.

    Raises:
        SourceError: No encoding fits.
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding), encoding
    zeros = content[:4000].count(0)
    likely = ["utf-16-le" if content[1:2] == b"\0" else "utf-16-be"] if zeros > len(content[:4000]) // 4 else ["utf-8"]
    for encoding in (*likely, "cp1252"):
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise SourceError(f"{name} is in no encoding that is known here; expected UTF-8. Save it as UTF-8.")


def detect_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines into most columns, the same number in each; a comma where none does."""
    sample = "\n".join(text.splitlines()[:50])
    counts: dict[str, tuple[int, int]] = {}
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row]
        if widths:
            agreeing = sum(width == widths[0] for width in widths)
            counts[delimiter] = (agreeing if widths[0] > 1 else 0, widths[0])
    return max(counts, key=lambda delimiter: counts[delimiter], default=",")


def _read_delimited(text: str, encoding: str, name: str) -> TextTable:
    delimiter = detect_delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    problems: list[RowProblem] = []
    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    try:
        columns = tuple(each.strip() for each in next(reader))
        _expect_names(columns, name)
        before = reader.line_num
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not cells:
                continue
            if len(cells) != len(columns):
                reason = f"{len(cells)} cells; expected {len(columns)}, as in the heading. Quote cells that hold a "
                problems.append(RowProblem(line, "", f"{reason}{DELIMITERS[delimiter]}."))
                continue
            rows.append(dict(zip(columns, cells, strict=True)))
            lines.append(line)
    except csv.Error as error:
        problems.append(RowProblem(reader.line_num, "", f"{error}; expected cells. What follows was not read."))
    return TextTable(columns, tuple(rows), tuple(lines), encoding, DELIMITERS[delimiter], tuple(problems))


def _expect_names(columns: Sequence[str], name: str) -> None:
    repeated = sorted({each for each in columns if each and columns.count(each) > 1})
    if repeated:
        raise SourceError(f"{name} has {', '.join(repeated)} twice in its heading; expected each once. Rename one.")


def _read_json_lines(text: str, encoding: str) -> TextTable:
    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    problems: list[RowProblem] = []
    columns: dict[str, None] = {}
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            value = json.loads(written)
        except ValueError as error:
            problems.append(RowProblem(line, "", f"no JSON ({error}); expected one object a line. Correct the line."))
            continue
        if not isinstance(value, dict):
            problems.append(RowProblem(line, "", f"{written[:40]!r}; expected an object. Correct the line."))
            continue
        row = {name: _as_text(cell) for name, cell in value.items() if cell is not None}
        columns.update(dict.fromkeys(value))
        rows.append(row)
        lines.append(line)
    return TextTable(tuple(columns), tuple(rows), tuple(lines), encoding, "JSON Lines", tuple(problems))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
