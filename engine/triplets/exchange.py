"""Items from tables that people bring, and out in the same forms: JSON Lines, CSV, TSV, sentence-transformers columns.

A table has a column per text: `anchor`, `positive` and `positive_2` …, `negative` and `negative_2` …, each with a
column `…_gloss` beside it if wanted, and `id`, `language` and the other fields of an item. All cells are texts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import SourceError, UsageError
from engine.tabular import RowProblem, read_table
from engine.triplets import checks
from engine.triplets.items import EXCERPT, TripletItem, flaw_of, parse_item

SINGLE = ("id", "language", "anchor", "anchor_gloss", "phenomenon", "note", "author", "source", "status", "written")
OTHER_NAMES = {"base": "anchor", "query": "anchor", "lang": "language", "item_id": "id"}
UNKNOWN_LANGUAGE = "und"
"""ISO 639 for a language that nobody named."""
JSON_LINES = "JSON Lines"
"""What `engine.tabular` says of records."""
GUESS = "cp1252"
"""What `engine.tabular` takes where no Unicode fits."""
FORMS = ("jsonl", "csv", "tsv", "triplets.csv")
_LISTS = "Name the field positives or negatives, or give each text a field."
_SIDE = re.compile(r"(positive|negative)(?:_(\d+))?")
_TEXT = re.compile(r"anchor|(positive|negative)(s|_\d+)?")
_USED = re.compile(
    rf"(?:{'|'.join(SINGLE)}|second_opinion|positives|negatives|(?:positive|negative)(?:_\d+)?(?:_gloss)?)"
)


@dataclass(frozen=True)
class Preview:
    """What a file holds, before anything is taken over."""

    encoding: str
    delimiter: str
    items: tuple[TripletItem, ...]
    problems: tuple[RowProblem, ...]
    unused: tuple[str, ...] = ()
    """columns that nothing is taken from"""

    @property
    def encoding_words(self) -> str:
        """The encoding, and that it is a guess where it is: nearly any bytes can be read as Windows-1252."""
        return (
            f"{self.encoding} (a guess: see whether the texts are right)" if self.encoding == GUESS else self.encoding
        )


def read_items(content: bytes, name: str, present: Sequence[TripletItem] = ()) -> Preview:
    """The items of a table or of a file of ours, and what of it cannot be used, by row and column.

    Args:
        content: The file's bytes.
        name: Its name; rows without an id are named after it.
        present: Items that are there already: their ids are taken.

    Raises:
        SourceError: The file cannot be read at all, or it lacks a column that items need.
    """
    table = read_table(content, name)
    used = [_column(each) for each in table.columns]
    _expect_columns(used, name)
    taken = {item.item_id for item in present}
    items: list[TripletItem] = []
    problems = list(table.problems)
    stem = re.sub(r"\W+", "-", name.rsplit(".", 1)[0]).strip("-") or "row"
    for line, row in zip(table.lines, table.rows, strict=True):
        broken = [RowProblem(line, column, f"{flaw}.") for column, cell in row.items() if (flaw := flaw_of(cell))]
        if broken:
            problems += broken
            continue
        lists = [name for name, cell in row.items() if _SIDE.fullmatch(_column(name)) and _is_list(cell)]
        if lists and table.delimiter == JSON_LINES:
            problems += [RowProblem(line, name, f"{name} holds a list; expected one text. {_LISTS}") for name in lists]
            continue
        record = _record(row, f"{stem}-{line}")
        try:
            item = parse_item(record)
        except ValueError as error:
            problems.append(RowProblem(line, str(error).split(" ", 1)[0], f"{error}."))
            continue
        if amiss := checks.errors(item):
            problems += [RowProblem(line, each.field, each.words) for each in amiss]
            continue
        if item.item_id in taken:
            problems.append(RowProblem(line, "id", f"id {item.item_id!r} is taken; expected each once. Change it."))
            continue
        taken.add(item.item_id)
        items.append(item)
    problems.sort(key=lambda each: each.line)
    unused = tuple(each for each in table.columns if not _USED.fullmatch(_column(each)))
    return Preview(table.encoding, table.delimiter, tuple(items), tuple(problems), unused)


def _is_list(cell: str) -> bool:
    return isinstance(_list(cell), list)


def _column(name: str) -> str:
    """A column's name as this module knows it."""
    return OTHER_NAMES.get(key := name.strip().lower(), key)


def _expect_columns(columns: Sequence[str], name: str) -> None:
    repeated = sorted({each for each in columns if each and columns.count(each) > 1})
    if repeated:
        raise SourceError(f"{name} has {', '.join(repeated)} twice in its heading; expected each once. Rename one.")
    texts = {match[1] or "anchor" for each in columns if (match := _TEXT.fullmatch(each))}
    missing = [each for each in ("anchor", "positive", "negative") if each not in texts]
    if missing:
        seen = ", ".join(each[:EXCERPT] for each in columns[:12]) or "none"
        raise SourceError(
            f"{name} has no column {' and no column '.join(missing)}; its columns are: {seen}. "
            "Name the columns in the first line."
        )


def _record(row: Mapping[str, str], spare_id: str) -> dict[str, Any]:
    cells = {_column(name): cell for name, cell in row.items()}
    record: dict[str, Any] = {name: cells[name] for name in SINGLE if cells.get(name, "").strip()}
    for side in ("positive", "negative"):
        whole = cells.get(f"{side}s")
        record[f"{side}s"] = _list(whole) if whole is not None else _side(cells, side)
    record["id"] = record.get("id", spare_id).strip()
    record.setdefault("language", UNKNOWN_LANGUAGE)
    if opinion := cells.get("second_opinion"):
        record["second_opinion"] = _list(opinion)
    return record


def _list(cell: str) -> Any:
    """What a cell of JSON holds; the cell itself where it is none, for the reader of items to refuse."""
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _side(cells: Mapping[str, str], side: str) -> list[dict[str, str]]:
    columns = [name for name in cells if (match := _SIDE.fullmatch(name)) and match[1] == side]
    columns.sort(key=lambda name: int((_SIDE.fullmatch(name) or [0, 0, 0])[2] or 0))
    return [{"text": cells[name], "gloss": cells.get(f"{name}_gloss", "")} for name in columns if cells[name].strip()]


def exported(items: Sequence[TripletItem], form: str) -> str:
    """The items as text in one of `FORMS`.

    `triplets.csv` has the columns anchor, positive, negative, negative_2 …, as sentence-transformers reads them:
    a row per text with the same meaning.

    Raises:
        UsageError: There is no such form.
    """
    if form not in FORMS:
        raise UsageError(f"The form is {form!r}; expected one of {', '.join(FORMS)}. Choose one.")
    if form == "jsonl":
        return "".join(json.dumps(item.as_record(), ensure_ascii=False) + "\n" for item in items)
    most_right = max((len(item.positives) for item in items), default=1)
    most_wrong = max((len(item.negatives) for item in items), default=1)
    rows = _plain_rows(items) if form == "triplets.csv" else [_row(item) for item in items]
    columns = ["anchor", "positive"] if form == "triplets.csv" else [*SINGLE]
    if form != "triplets.csv":
        columns += _names("positive", most_right, glosses=True)
    columns += _names("negative", most_wrong, glosses=form != "triplets.csv")
    written = io.StringIO(newline="")
    delimiter = "\t" if form == "tsv" else ","
    writer = csv.DictWriter(written, columns, restval="", delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def _names(side: str, most: int, *, glosses: bool) -> list[str]:
    names = [side, *(f"{side}_{number}" for number in range(2, most + 1))]
    return [each for name in names for each in ([name, f"{name}_gloss"] if glosses else [name])]


def _row(item: TripletItem) -> dict[str, str]:
    record = item.as_record()
    row = {name: str(record[name] or "") for name in SINGLE}
    for side, texts in (("positive", item.positives), ("negative", item.negatives)):
        for name, each in zip(_names(side, len(texts), glosses=False), texts, strict=True):
            row[name], row[f"{name}_gloss"] = each.text, each.gloss
    return row


def _plain_rows(items: Sequence[TripletItem]) -> list[dict[str, str]]:
    rows = []
    for item in items:
        wrong = dict(zip(_names("negative", len(item.negatives), glosses=False), item.negatives, strict=True))
        for right in item.positives:
            texts = {name: each.text for name, each in wrong.items()}
            rows.append({"anchor": item.anchor, "positive": right.text, **texts})
    return rows
