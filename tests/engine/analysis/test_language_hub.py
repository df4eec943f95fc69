import polars as pl
import pytest

from engine.analysis.language_hub import see_both_sides
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

A = "org/a"


def test_pairs_weigh_differently_on_their_two_sides():
    pairs = [(A, "Bible", [ENG, language], score) for language, score in ((MAL, 0.9), (DEU, 0.7), (HIN, 0.1))]
    records = board([*pairs, (A, "Faq", [MAL], 0.5), (A, "Faq", [ENG], 0.8)])
    hub = see_both_sides(records, A)
    task = hub.tasks.row(0, named=True)
    assert (task["task_name"], task["rows"], task["n_languages"]) == ("Bible", 3, 3)
    assert task["share"] == pytest.approx(3 / 4)
    assert task["mean"] == pytest.approx(1.7 / 3)
    assert task["contribution"] == pytest.approx(1.7 / 4)
    assert task["partner_share"] == pytest.approx(1.0), "German and Hindi have nothing else"
    assert hub.pairs["language"].to_list() == [HIN, DEU, MAL], "the lowest comes first"
    assert hub.pairs.filter(pl.col("language") == MAL)["share"].item() == pytest.approx(0.5)


def test_board_without_english_pairs_has_no_hub():
    hub = see_both_sides(board([(A, "Faq", [MAL], 0.5)]), A)
    assert hub.tasks.is_empty() and hub.pairs.is_empty()
