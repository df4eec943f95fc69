import pytest

from engine.analysis.language_same_paper import compare_same_paper
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

A = "org/a"
ROWS = [
    (A, "Faq", [DEU], 0.6),
    (A, "Faq", [HIN], 0.4),
    (A, "Bitext", [DEU, ENG], 0.9),
    (A, "Bitext", [ENG, DEU], 0.7),
    (A, "Bitext", [HIN, ENG], 0.5),
    (A, "Bitext", [DEU, HIN], 0.1),
    (A, "Only", [DEU], 0.2),
    (A, "Halves/test", [DEU], 0.3),
    (A, "Halves/dev", [HIN], 0.3),
    (A, "Alone", [MAL], 0.5),
]


def scores_of(*languages):
    shared = compare_same_paper(board(ROWS), A, languages)
    return shared, {row["language"]: row for row in shared.scores.iter_rows(named=True)}


def test_only_same_task_same_split_and_parallel_rows_are_compared():
    shared, scores = scores_of(DEU, HIN)
    assert shared.n_tasks == 2
    assert set(shared.parts.select("task_name", "row_kind").iter_rows()) == {
        ("Faq", "same language"),
        ("Bitext", "with English"),
    }
    assert scores[DEU]["score"] == pytest.approx((0.6 + 0.8) / 2), "tasks count the same, whatever their rows"
    assert scores[HIN]["score"] == pytest.approx((0.4 + 0.5) / 2)
    assert scores[HIN]["rows"] == 2 and scores[HIN]["share"] == pytest.approx(2 / 4)


def test_published_score_stands_beside_it():
    _, scores = scores_of(DEU, HIN)
    assert scores[HIN]["score_published"] == pytest.approx((0.4 + 0.5 + 0.1 + 0.3) / 4)


def test_english_is_compared_within_languages_alone():
    shared, scores = scores_of(ENG, DEU)
    assert shared.n_tasks == 0
    assert scores[ENG]["score"] is None and scores[DEU]["score"] is None


def test_languages_that_share_nothing_have_no_score():
    shared, scores = scores_of(MAL, DEU)
    assert shared.n_tasks == 0 and shared.parts.is_empty()
    assert scores[MAL]["score"] is None and scores[MAL]["rows"] == 0
    assert scores[MAL]["score_published"] == pytest.approx(0.5)


def test_what_three_share_is_what_each_of_them_has():
    shared, _ = scores_of(DEU, HIN, MAL)
    assert shared.n_tasks == 0
