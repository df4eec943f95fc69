"""Scores beside what models make of items: whose they are is found by name, and said."""

import polars as pl

from ui.triplet_scores import AFTER_SLASH, COLUMNS, SAME_NAME, beside


def scores(*rows):
    return pl.DataFrame([(*row, 10, 10) for row in rows], schema=COLUMNS, orient="row")


def rates(*rows):
    return pl.DataFrame(rows, schema={"model_name": pl.String(), "language": pl.String()}, orient="row")


def matched(board):
    return board.select("model_name", "published_name", "score", "matched_by").rows()


def test_full_name_goes_before_what_follows_the_slash():
    board = beside(rates(("org/m", "hin-Deva")), scores(("org/m", "hin-Deva", 0.5), ("a/m", "hin-Deva", 0.9)))
    assert matched(board) == [("org/m", "org/m", 0.5, SAME_NAME)]


def test_of_several_names_after_the_slash_the_first_counts():
    board = beside(rates(("demo/m", "hin-Deva")), scores(("b/m", "hin-Deva", 0.5), ("a/m", "hin-Deva", 0.9)))
    assert matched(board) == [("demo/m", "a/m", 0.9, AFTER_SLASH)]


def test_full_name_without_the_language_is_not_replaced_by_another_model():
    board = beside(rates(("org/m", "hin-Deva")), scores(("org/m", "eng-Latn", 0.5), ("a/m", "hin-Deva", 0.9)))
    assert not board.height


def test_model_of_no_board_has_no_row_and_runs_of_one_model_each_have_one():
    board = beside(rates(("org/m", "hin-Deva"), ("org/m", "hin-Deva"), ("org/x", "hin-Deva")),
                   scores(("org/m", "hin-Deva", 0.5)))  # fmt: skip
    assert board["model_name"].to_list() == ["org/m", "org/m"]
