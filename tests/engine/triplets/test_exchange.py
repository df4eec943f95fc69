"""Tables that people bring (field case 33): the same items whatever the form, each broken row or cell by its place."""

import json

import pytest

from engine.errors import SourceError
from engine.triplets.exchange import read_items
from engine.triplets.items import LONGEST

HEADING = ["id", "language", "anchor", "positive", "negative", "negative_2"]
ROWS = [
    ["007", "mal-Mlym", 'ആനപ്പുറത്ത്; "മുകളിൽ"', "ആനയുടെ പുറത്ത്", "ആന, പുറത്ത്", "അവൻ\u200c\tവന്നു"],
    ["1e5", "deu-Latn", "größer – ja", "NA", "zwei\nZeilen", "null"],
    ["0010", "ara-Arab", "كَتَبَ | قرأ", "1.50", "TRUE", "\u200fعربي"],
]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


def written(delimiter=",", end="\n", rows=ROWS, heading=HEADING):
    def cell(text):
        needs_quotes = any(sign in text for sign in '",;\t|\n\r')
        return '"' + text.replace('"', '""') + '"' if needs_quotes else text

    return end.join([delimiter.join(heading), *(delimiter.join(map(cell, row)) for row in rows)]) + end


def texts(preview):
    return [(item.item_id, item.language, *item.texts) for item in preview.items]


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_items_are_the_same_whatever_the_form(encoding, delimiter, end):
    found = read_items(written(delimiter, LINE_ENDS[end]).encode(encoding), "brought.csv")
    assert texts(found) == [tuple(row) for row in ROWS] and found.problems == ()
    assert found.delimiter == DELIMITERS[delimiter]
    assert found.encoding.removesuffix("-sig").startswith(encoding.removesuffix("-sig")[:6])


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_western_tables_are_read_and_the_guess_is_told(encoding, delimiter):
    rows = [["007", "deu-Latn", "größer, ja", "Ja; größer", '"größte"', "é à ñ"]]
    found = read_items(written(delimiter, rows=rows).encode(encoding), "brought.csv")
    assert texts(found) == [tuple(rows[0])] and (found.encoding, found.delimiter) == ("cp1252", DELIMITERS[delimiter])


def test_text_of_two_bytes_a_sign_without_a_mark_is_not_taken_for_one_of_one():
    """Malayalam in UTF-16 holds few zero bytes, and each of its bytes is a letter of some Western encoding."""
    rows = [["1", "mal-Mlym", "ആനപ്പുറത്ത്" * 20, "ആനയുടെ പുറത്ത്" * 20, "ആന അപ്പുറത്ത്" * 20, ""]]
    for encoding in ("utf-16-le", "utf-16-be"):
        found = read_items(written(rows=rows).encode(encoding), "brought.csv")
        assert (found.encoding, found.items[0].anchor) == (encoding, rows[0][2])


def test_one_broken_byte_spoils_its_cell_and_no_other():
    content = written().encode("utf-8").replace("größer".encode(), b"gr\xf6\xdfer")
    found = read_items(content, "brought.csv")
    assert [item.item_id for item in found.items] == ["007", "0010"] and found.encoding == "utf-8"
    assert [(each.line, each.column) for each in found.problems] == [(3, "anchor")]
    assert "no text in UTF-8" in found.problems[0].reason


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b" \n\n", "is empty"),
        (b"PK\x03\x04anything", "spreadsheet"),
        (b"\xff\xfea", "no encoding"),
        (b"\x81\x8d\x8f", "no encoding"),
        (b"id,t\xc3\xa4\xc3\xa4\xff\n1,2\n", "heading"),
        (b"hello\nworld\n", "no column anchor and no column positive and no column negative"),
        (b"id,anchor,positive\n1,a,b\n", "no column negative"),
        (b"Anchor,anchor,positive,negative\n1,2,3,4\n", "anchor twice"),
        (b"base,anchor,positive,negative\n1,2,3,4\n", "anchor twice"),
        (b"anchor,anchor,positive,negative\n1,2,3,4\n", "anchor twice"),
    ],
)
def test_file_that_cannot_be_used_is_refused_with_its_reason(content, says):
    with pytest.raises(SourceError, match=says):
        read_items(content, "brought.csv")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_table_without_rows_has_no_items_and_no_problems(ending):
    content = "id,anchor,positive,negative\n" if ending == "csv" else '\n{"id": "1"}\n'
    if ending == "jsonl":
        with pytest.raises(SourceError, match="no column anchor"):
            read_items(content.encode(), f"x.{ending}")
    else:
        found = read_items(content.encode(), f"x.{ending}")
        assert (found.items, found.problems) == ((), ())


PLAIN = "id,anchor,positive,negative\n"
GOOD = "8,base,right,wrong\n"
BROKEN_ROWS = {
    "too few cells": ("7,a,b\n", "", "3 cells; expected 4"),
    "too many cells": ("7,a,b,c,d\n", "", "5 cells; expected 4"),
    "quote without a partner": ('7,"a,b,c\n', "", "expected quotes in pairs"),
    "text after a quote": ('7,"a" b,c,d\n', "", "expected quotes in pairs"),
    "no base": ("7,,b,c\n", "anchor", "expected a text"),
    "blank base": ("7, \t,b,c\n", "anchor", "expected a text"),
    "no same meaning": ("7,a,,c\n", "positives", "one text or more"),
    "no other meaning": ("7,a,b, \n", "negatives", "one text or more"),
    "zero byte": ("7,a\0,b,c\n", "anchor", "U+0000"),
    "bell": ("7,a,b\x07,c\n", "positive", "U+0007"),
    "escape": ("7,a,b,\x1b[31mc\n", "negative", "U+001B"),
    "upper control character": ("7,a,b,\x85c\n", "negative", "U+0085"),
    "lost character": ("7,a,b,c\ufffd\n", "negative", "lost before"),
    "taken id": ("8,a,b,c\n", "id", "is taken"),
    "huge cell": (f"7,a,b,{'c' * 12_000_000}\n", "negative", "12,000,000 characters"),
    "cell over its limit by one": (f"7,a,b,{'c' * (LONGEST + 1)}\n", "negative", "100,001 characters"),
}


@pytest.mark.parametrize("what", BROKEN_ROWS)
def test_broken_row_is_named_by_line_and_column_and_the_others_are_read(what):
    row, column, reason = BROKEN_ROWS[what]
    found = read_items(f"{PLAIN}{GOOD}\n{row}9,base,right,wrong\n".encode(), "brought.csv")
    assert [item.item_id for item in found.items] == ["8", "9"]
    (problem,) = found.problems
    assert (problem.line, problem.column) == (4, column) and reason in problem.reason


def test_quoted_lines_do_not_shift_the_lines_of_later_problems():
    found = read_items(f'{PLAIN}8,"two\n\nlines",right,wrong\n\n7,a\n'.encode(), "brought.csv")
    assert [item.anchor for item in found.items] == ["two\n\nlines"]
    assert [each.line for each in found.problems] == [6]


def test_joiners_marks_of_direction_and_chillu_letters_are_no_flaw():
    row = ["7", "അവൻ\u200c", "ക്\u200dഷ", "\u200fعربي\u200e \u2068x\u2069"]
    (item,) = read_items((PLAIN + ",".join(row)).encode(), "brought.csv").items
    assert list(item.texts) == row[1:]


def test_heading_in_another_case_under_other_names_and_with_more_columns():
    content = " ID ,Lang,BASE,Positive,Positive_Gloss,NEGATIVE_2,negative,comment,weight\n01,eng-Latn,a,b,B,d,c,x,2\n"
    found = read_items(content.encode(), "brought.csv")
    (item,) = found.items
    assert (item.item_id, item.language, item.texts) == ("01", "eng-Latn", ("a", "b", "c", "d"))
    assert item.positives[0].gloss == "B" and found.unused == ("comment", "weight")


def test_first_line_of_a_spreadsheet_says_the_delimiter():
    found = read_items(b"sep=;\r\nid;anchor;positive;negative\r\n7;a,b;c;d\r\n8;x\r\n", "brought.csv")
    assert found.items[0].texts == ("a,b", "c", "d")
    assert [each.line for each in found.problems] == [4]


def test_columns_of_sentence_transformers_are_items():
    found = read_items(b"anchor,positive,negative_1,negative_2\na,b,c,d\n", "hard negatives.csv")
    (item,) = found.items
    assert (item.item_id, item.texts, item.language) == ("hard-negatives-2", ("a", "b", "c", "d"), "und")


def test_json_lines_keep_what_is_text_and_name_what_is_not():
    good = {"id": "007", "anchor": "a", "positives": ["b"], "negatives": [{"text": "c", "gloss": "C"}]}
    lines = [
        json.dumps(good), "no json", "[1]", json.dumps({**good, "id": 8}),
        json.dumps({**good, "id": "9", "anchor": None}),
        json.dumps({**good, "id": "10", "negatives": "x"}), json.dumps({**good, "id": "11", "anchor": "half \ud83d"}),
        "[" * 100_000, json.dumps({**good, "id": "12", "positives": ["b\u0000"]}),
    ]  # fmt: skip
    found = read_items("\n".join(lines).encode(), "brought.jsonl")
    assert [item.item_id for item in found.items] == ["007", "8"]
    assert [each.line for each in found.problems] == [2, 3, 5, 6, 7, 8, 9]
    assert [each.column for each in found.problems] == ["", "", "anchor", "negatives", "anchor", "", "positives"]
    assert all(len(each.reason) < 400 for each in found.problems)
