"""Reads tables that people bring: CSV, TSV or JSON Lines, in whatever encoding and with whatever delimiter.

All cells are texts, so that an id keeps its zeros. What was detected is said, and a row that cannot be used is set
aside with its line and reason; the others go on.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
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
_NO_TEXT = {
    b"PK\x03\x04": "a spreadsheet or another archive", b"\xd0\xcf\x11\xe0": "an old spreadsheet", b"%PDF": "a PDF",
    b"\x1f\x8b": "compressed",
}  # fmt: skip
"""First bytes of files that hold tables and are no text."""
_FEWEST_ZEROS = 50
"""In text of two bytes a sign, at least one byte in so many is zero: delimiters, digits and line ends are."""
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\r?\n")
"""What spreadsheets put before the heading to say the delimiter."""
NO_SIGN = re.compile("[\ud800-\udfff]")
"""Half of a character, or what stands for a byte that is no UTF-8 in a text that otherwise is."""
# The library allows a cell 131,072 characters, for all readers of a process; a text may be longer.
csv.field_size_limit(2**31 - 1)


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

    Windows-1252 is a guess, taken where nothing else fits: it can read nearly all bytes, rightly or not. Where most
    signs beyond ASCII are whole UTF-8, it is UTF-8 with some bytes broken: they stand as `NO_SIGN` in the text.

    Raises:
        SourceError: No encoding fits, or the bytes are no text at all.
    """
    for begin, what in _NO_TEXT.items():
        if content.startswith(begin):
            raise SourceError(f"{name} is {what}; expected a text file. Save the table as CSV in UTF-8.")
    marked = next((encoding for mark, encoding in _MARKS.items() if content.startswith(mark)), None)
    for encoding in [marked] if marked else [*_of_two_bytes(content), "utf-8"]:
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    if marked in (None, "utf-8-sig"):
        text, encoding = content.decode(marked or "utf-8", "surrogateescape"), marked or "utf-8"
        broken = len(NO_SIGN.findall(text))
        if marked or sum(sign > "\x7f" for sign in text) > 2 * broken:
            return text, encoding
        try:
            return content.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            pass
    raise SourceError(f"{name} is in no encoding that is known here; expected UTF-8. Save it as UTF-8.")


def _of_two_bytes(content: bytes) -> list[str]:
    """UTF-16 without a mark, where zero bytes are many and nearly all stand on one side of their pair."""
    first, second = content[0::2].count(0), content[1::2].count(0)
    if (first + second) * _FEWEST_ZEROS < len(content) or min(first, second) * 10 > first + second:
        return []
    encoding = "utf-16-le" if second > first else "utf-16-be"
    # A stray zero byte in a short text of one byte a sign: read as two, its line ends would be gone.
    return [encoding] if any(end in content for end in (each.encode(encoding) for each in "\r\n")) else []


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
    said = _SEPARATOR_LINE.match(text)
    delimiter = said[1] if said else detect_delimiter(text)
    written = io.StringIO(text, newline="").readlines()
    problems: list[RowProblem] = []
    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    columns: tuple[str, ...] | None = None
    for line, cells in _rows_of(written, 1 if said else 0, delimiter):
        if isinstance(cells, csv.Error):
            problems.append(RowProblem(line, "", f"{cells}; expected quotes in pairs around whole cells. Correct it."))
        elif columns is None:
            columns = tuple(each.strip() for each in cells)
            _expect_names(columns, name)
        elif len(cells) != len(columns):
            reason = f"{len(cells)} cells; expected {len(columns)}, as in the heading. Quote cells that hold a "
            problems.append(RowProblem(line, "", f"{reason}{DELIMITERS[delimiter]}."))
        else:
            rows.append(dict(zip(columns, cells, strict=True)))
            lines.append(line)
    rows, lines, broken = _without_broken(rows, lines)
    problems = sorted([*problems, *broken], key=lambda each: each.line)
    return TextTable(columns or (), tuple(rows), tuple(lines), encoding, DELIMITERS[delimiter], tuple(problems))


def _rows_of(written: Sequence[str], start: int, delimiter: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Each row and the line that it begins on; after one that cannot be cut, reading goes on at its next line.

    An opening quote without its partner would otherwise take the rest of the file into one cell.
    """
    while start < len(written):
        begun = start
        reader = csv.reader((written[at] for at in range(begun, len(written))), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield start + 1, cells
                start = begun + reader.line_num
        except csv.Error as error:
            yield start + 1, error
            start += 1


def _without_broken(
    rows: Sequence[Mapping[str, str]], lines: Sequence[int]
) -> tuple[list[Mapping[str, str]], list[int], list[RowProblem]]:
    """The rows all of whose cells are text, their lines, and a problem for each cell that is not."""
    problems = [
        RowProblem(line, NO_SIGN.sub("?", column), "holds bytes that are no text in UTF-8. Correct the cell.")
        for line, row in zip(lines, rows, strict=True)
        for column, cell in row.items()
        if NO_SIGN.search(column + cell)
    ]
    broken = {each.line for each in problems}
    whole = [(row, line) for row, line in zip(rows, lines, strict=True) if line not in broken]
    return [row for row, _ in whole], [line for _, line in whole], problems


def _expect_names(columns: Sequence[str], name: str) -> None:
    if any(NO_SIGN.search(each) for each in columns):
        raise SourceError(f"The heading of {name} holds bytes that are no text in UTF-8. Save the file as UTF-8.")
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
        except (ValueError, RecursionError) as error:
            problems.append(RowProblem(line, "", f"no JSON ({error}); expected one object a line. Correct the line."))
            continue
        if not isinstance(value, dict):
            problems.append(RowProblem(line, "", f"{written[:40]!r}; expected an object. Correct the line."))
            continue
        row = {name: _as_text(cell) for name, cell in value.items() if cell is not None}
        columns.update(dict.fromkeys(value))
        rows.append(row)
        lines.append(line)
    rows, lines, broken = _without_broken(rows, lines)
    problems = sorted([*problems, *broken], key=lambda each: each.line)
    return TextTable(tuple(columns), tuple(rows), tuple(lines), encoding, "JSON Lines", tuple(problems))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
