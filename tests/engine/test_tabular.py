"""Tables in every encoding and with every delimiter that people save them in."""

import pytest

from engine.errors import SourceError
from engine.tabular import read_table

ROWS = [{"id": "007", "text": "größer, ja", "ml": "ആന"}, {"id": "0010", "text": 'sagt "nein"', "ml": "हाथी"}]


def written(delimiter):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    return "\n".join([delimiter.join(ROWS[0]), *(delimiter.join(map(cell, row.values())) for row in ROWS)]) + "\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_cells_are_the_same_texts_whatever_the_form(encoding, delimiter):
    table = read_table(written(delimiter).encode(encoding), "items.csv")
    assert [dict(row) for row in table.rows] == ROWS
    assert table.columns == ("id", "text", "ml") and table.problems == ()


def test_windows_encoding_is_taken_where_utf8_does_not_fit():
    table = read_table("id;text\n1;größer – ja\n".encode("cp1252"), "items.csv")
    assert table.rows[0]["text"] == "größer – ja"
    assert (table.encoding, table.delimiter) == ("cp1252", "semicolon")


def test_rows_of_another_width_are_set_aside_with_their_line():
    table = read_table(b'a,b\n1,2\n1,2,3\n"two\nlines",4\n5\n6,7\n', "t.csv")
    assert [row["a"] for row in table.rows] == ["1", "two\nlines", "6"]
    assert [(each.line, each.reason.split(";")[0]) for each in table.problems] == [(3, "3 cells"), (6, "1 cells")]
    assert table.lines == (2, 4, 7)


def test_json_lines_keep_texts_and_name_broken_lines():
    table = read_table('{"id": "01", "text": "a\u2028b"}\nno\n[1]\n{"id": 2, "text": null}\n'.encode(), "t.jsonl")
    assert [dict(row) for row in table.rows] == [{"id": "01", "text": "a\u2028b"}, {"id": "2"}]
    assert [each.line for each in table.problems] == [2, 3]
    assert table.delimiter == "JSON Lines"


@pytest.mark.parametrize(("content", "says"), [(b"", "is empty"), (b" \n", "is empty"), (b"a,a\n1,2\n", "a twice")])
def test_table_that_cannot_be_used_is_refused(content, says):
    with pytest.raises(SourceError, match=says):
        read_table(content, "t.csv")


def test_quote_without_a_partner_takes_no_row_but_its_own():
    table = read_table(b'a,b\n1,2\n3,"4\n5,6\n"7" x,8\n9,10\n', "t.csv")
    assert [tuple(row.values()) for row in table.rows] == [("1", "2"), ("5", "6"), ("9", "10")]
    assert [each.line for each in table.problems] == [3, 5] and table.lines == (2, 4, 6)


def test_broken_byte_among_whole_characters_is_one_cells_problem():
    table = read_table("a,b\nആന,1\nഗ\n".encode() + b"x\xe0,2\n" + "ആന,3\n".encode(), "t.csv")
    assert [row["b"] for row in table.rows] == ["1", "3"] and table.encoding == "utf-8"
    assert [(each.line, each.column) for each in table.problems] == [(3, ""), (4, "a")]


def test_long_cell_is_a_text_like_any_other():
    (row,) = read_table(f"a,b\n1,{'x' * 300_000}\n".encode(), "t.csv").rows
    assert len(row["b"]) == 300_000


def test_separator_line_of_a_spreadsheet_is_no_heading():
    table = read_table(b"sep=|\na|b\n1,5|2;3\n", "t.csv")
    assert (table.columns, table.delimiter, table.lines) == (("a", "b"), "bar", (3,))
