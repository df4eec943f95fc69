"""Papers side by side: shares by description, the score without its largest task, and what the sentence says."""

import pytest

from engine.analysis.language_papers import find_papers, lay_out_papers
from engine.analysis.sentences import plain
from engine.errors import UsageError
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, SWA, board

M = "org/model"
ENGLISH_ROWS = [
    (M, "Bible/train", (ENG, MAL), 0.1),
    (M, "Bible/train", (ENG, DEU), 0.3),
    (M, "Bible/train", (ENG, HIN), 0.2),
]
RECORDS = board(
    [*ENGLISH_ROWS, (M, "Search", (ENG,), 0.8), (M, "Search", (DEU,), 0.6), ("org/other", "Search", (HIN,), 0.5)],
    types={"Bible": "BitextMining", "Flores": "BitextMining"},
    described=[("Flores/devtest", (DEU, HIN)), ("Flores/devtest", (DEU, MAL)), ("Flores/devtest", (SWA, DEU))],
)  # fmt: skip


def paper(language, model=M):
    papers = lay_out_papers(RECORDS, model, (language,))
    return papers.languages.row(0, named=True), papers.tasks


def test_largest_task_is_left_out_of_the_score():
    row, _ = paper(ENG)
    assert row["largest_task"] == "Bible"
    assert row["rows_of_largest"] == 3
    assert row["largest_share"] == pytest.approx(0.75)
    assert row["score"] == pytest.approx((0.1 + 0.3 + 0.2 + 0.8) / 4)
    assert row["score_without"] == pytest.approx(0.8)
    assert row["change"] == pytest.approx(0.8 - 0.35)


def test_task_without_scores_keeps_its_share_of_the_paper_and_has_no_mean():
    row, tasks = paper(DEU)
    flores = tasks.row(0, named=True)
    assert (flores["task_name"], flores["rows"], flores["mean"]) == ("Flores", 0, None)
    assert flores["share"] == pytest.approx(3 / 5)
    assert row["paper_task"] == "Flores"
    assert row["rows_missing"] == 3
    assert row["score"] == pytest.approx((0.3 + 0.6) / 2), "the score is over the rows that have one"


def test_shares_of_a_paper_add_up_to_one():
    tasks = lay_out_papers(RECORDS, M, (ENG, DEU, MAL)).tasks
    assert tasks.group_by("language").agg(total=tasks["share"].sum()).height == 3
    for (_,), own in tasks.group_by("language"):
        assert own["share"].sum() == pytest.approx(1.0)


def test_one_task_is_all_there_is_leaves_no_score_without_it():
    row, _ = paper(HIN, model="org/other")
    assert row["score"] == 0.5
    assert row["score_without"] is None
    assert row["change"] is None


def test_language_without_a_score_has_a_paper_and_no_mark():
    row, tasks = paper(SWA)
    assert (row["rows"], row["score"], row["rows_described"]) == (0, None, 1)
    assert tasks["task_name"].to_list() == ["Flores"]


def test_train_split_is_told():
    _, tasks = paper(ENG)
    assert dict(tasks.select("task_name", "uses_train").iter_rows()) == {"Bible": True, "Search": False}


def test_languages_stand_in_the_order_asked():
    assert lay_out_papers(RECORDS, M, (MAL, ENG)).languages["language"].to_list() == [MAL, ENG]


def test_unknown_language_is_named():
    with pytest.raises(UsageError, match="xxx-Latn"):
        lay_out_papers(RECORDS, M, ("xxx-Latn",))


def test_sentence_names_the_language_that_hangs_most_on_one_task():
    said = plain(find_papers(lay_out_papers(RECORDS, M, (DEU, ENG))))
    assert "Without Bible, 75\u202f% of its scored rows, English rises from 35.0 to 80.0" in said
    assert "the other moves by 15.0 points without its own largest task" in said
    assert "In all 2 one task makes up more than a third of the paper" in said


def test_sentence_counts_different_papers():
    rows = [(M, task, [language], 0.5) for task in ("T1", "T2") for language in (DEU, HIN)]
    alike = board(rows)
    assert "The 2 languages sit 1 different paper" in plain(find_papers(lay_out_papers(alike, M, (DEU, HIN))))
    apart = board([*rows, (M, "T3", [HIN], 0.1)])
    assert "No two languages sit the same paper" in plain(find_papers(lay_out_papers(apart, M, (DEU, HIN))))


def test_sentence_about_one_language_compares_no_papers():
    said = plain(find_papers(lay_out_papers(RECORDS, M, (ENG,))))
    assert said == "Without Bible, 75\u202f% of its scored rows, English rises from 35.0 to 80.0."


def test_sentence_without_anything_to_leave_out_says_so():
    said = plain(find_papers(lay_out_papers(RECORDS, "org/other", (HIN, SWA))))
    assert said == "No language here has a score of other over more than one task."
