"""Running numbers: kept where known, next in sorted order where new."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.numbering import add_numbers

KNOWN = pl.DataFrame({"row_id": [4, 7], "task": ["b", "a"], "split": ["x", "x"]}, schema_overrides={"row_id": pl.Int32})


def number(wanted: list[tuple[str, str]], known=KNOWN) -> list[tuple]:
    frame = pl.DataFrame(wanted, schema={"task": pl.String, "split": pl.String}, orient="row")
    return add_numbers(frame.with_columns(pl.lit(0.5).alias("more")), known, ("task", "split"), "row_id").rows()


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ([], []),
        ([("a", "x"), ("b", "x")], [7, 4]),
        ([("c", "x"), ("a", "y"), ("b", "x")], [9, 8, 4]),
    ],
)
def test_known_keys_keep_their_number_and_new_ones_follow_in_order(wanted, numbers):
    assert number(wanted) == [(n, *key, 0.5) for n, key in zip(numbers, wanted, strict=True)]


def test_first_number_of_all_is_zero():
    assert number([("z", "x"), ("a", "x")], KNOWN.clear()) == [(1, "z", "x", 0.5), (0, "a", "x", 0.5)]


def test_lists_can_be_keys():
    known = pl.DataFrame({"id": [0], "languages": [["eng", "deu"]]}, schema_overrides={"id": pl.Int32})
    wanted = pl.DataFrame({"languages": [["deu", "eng"], ["eng", "deu"], []]}, schema={"languages": pl.List(pl.String)})
    assert add_numbers(wanted, known, ("languages",), "id")["id"].to_list() == [2, 0, 1]


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_numbers_are_unique_and_do_not_depend_on_the_order_of_rows(first, second):
    empty = pl.DataFrame(schema={"id": pl.Int32, "name": pl.String})
    known = add_numbers(pl.DataFrame({"name": first}, schema={"name": pl.String}), empty, ("name",), "id")
    frame = pl.DataFrame({"name": second}, schema={"name": pl.String})
    numbered = add_numbers(frame, known, ("name",), "id")
    assert numbered["id"].n_unique() == len(second)
    assert add_numbers(frame.reverse(), known, ("name",), "id").sort("id").equals(numbered.sort("id"))
