"""Sentences about language scores, held to their words on boards small enough to check by hand."""

from engine.analysis.contamination import correlate_declared, read_declarations
from engine.analysis.language_composition import compose
from engine.analysis.language_findings import (
    find_composition,
    find_declared,
    find_left_out,
    find_same_paper,
    find_shortlist,
    find_table,
    find_what_if,
    find_worth,
)
from engine.analysis.language_same_paper import compare_same_paper
from engine.analysis.language_scores import WhatIf, score_languages
from engine.analysis.language_shortlist import Purpose, list_models
from engine.analysis.language_what_if import compare_what_if, leave_each_out
from engine.analysis.language_worth import weigh_languages
from engine.analysis.sentences import plain
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, SWA, board

A, B = "org/a", "org/b"
BIBLE = [("Bible/train", (ENG, MAL), 0.1), ("Bible/train", (ENG, DEU), 0.3), ("Bible/train", (ENG, HIN), 0.2)]
RECORDS = board(
    [
        *((A, task, languages, score) for task, languages, score in BIBLE),
        (A, "Search", (ENG,), 0.8), (A, "Search", (DEU,), 0.6),
        (B, "Search", (ENG,), 0.9),
    ],
    types={"Bible": "BitextMining"},
    described=[("Flores/devtest", (SWA, DEU))],
    models={A: {"training_datasets": ["Search"], "training_closure": ["Search"]}},
)  # fmt: skip


def test_composition_names_its_largest_task_and_the_score_without_it():
    said = plain(find_composition(compose(RECORDS, A, ENG), compose(RECORDS, A, MAL)))
    assert said == (
        "a scores 35.0 in English and 10.0 in Malayalam. 75\u202f% of the English rows come from one task, Bible "
        "(mean 20.0); Malayalam has 1 row of it. Without it English is at 80.0."
    )


def test_composition_of_one_task_has_no_score_without_it():
    said = plain(find_composition(compose(RECORDS, B, ENG)))
    assert said == "b scores 90.0 in English. 100\u202f% of the English rows come from one task, Search (mean 90.0)."


def test_composition_without_a_score_says_what_is_asked():
    said = plain(find_composition(compose(RECORDS, A, SWA)))
    assert said == "a has no score in Swahili: the benchmark asks 1 row."


def test_left_out_names_what_matters_most():
    said = plain(find_left_out(leave_each_out(RECORDS, A, ENG), "task_name", "English"))
    assert said == (
        "Leave Bible out and English rises by 45.0 points, to 80.0; nothing else moves it by more than 15.0."
    )
    only = plain(find_left_out(leave_each_out(RECORDS, B, ENG), "task_name", "English"))
    assert only == "Nothing can be left out of English: one task is all there is."


def test_what_if_tells_the_language_its_place_and_the_others():
    moved = compare_what_if(RECORDS, WhatIf(drop_tasks=("Bible",))).languages_of(A, (ENG, DEU))
    said = plain(find_what_if(moved, ENG, "English", "without Bible"))
    assert said == (
        "English rises by 45.0 points without Bible, from place 2 to 1 of 2; no other language moves by more than "
        "15.0 points."
    )
    gone = compare_what_if(RECORDS, WhatIf(drop_tasks=("Bible",))).languages_of(A, (MAL, DEU))
    assert "nothing is left of Malayalam" in plain(find_what_if(gone, MAL, "Malayalam", "without Bible"))


def test_what_if_of_one_language_has_no_places():
    moved = compare_what_if(RECORDS, WhatIf(drop_tasks=("Bible",))).languages_of(A, (ENG,))
    said = plain(find_what_if(moved, ENG, "English", "without Bible"))
    assert said == "English rises by 45.0 points without Bible, to 80.0."


def test_place_that_stays_is_said_once():
    moved = compare_what_if(RECORDS, WhatIf(drop_tasks=("Faq",))).languages_of(A, (ENG, MAL))
    assert "and keeps place" in plain(find_what_if(moved, MAL, "Malayalam", "without Faq"))


def test_table_counts_partial_models_above_the_first_complete_one():
    said = plain(find_table(score_languages(RECORDS), ENG, "English"))
    assert said == (
        "1 of 2 models with a score in English have all of its 4 rows; a leads them with 35.0. By mteb’s rule "
        "1 partial model would stand above it."
    )
    assert plain(find_table(score_languages(RECORDS), SWA, "Swahili")) == "No model has a score in Swahili."


def test_shortlist_says_what_was_never_measured():
    declared = read_declarations(RECORDS)
    found = list_models(RECORDS, declared, (ENG, HIN), Purpose.SEARCH)
    said = plain(find_shortlist(found, RECORDS.labels))
    assert said.startswith("Nothing was measured for search within Hindi. b leads for search with 90.0 over 1 task")
    nothing = list_models(RECORDS, declared, (HIN,), Purpose.SEARCH)
    assert plain(find_shortlist(nothing, RECORDS.labels)) == "Nothing was measured for search within Hindi."


def test_same_paper_gives_both_spreads_or_says_that_nothing_is_shared():
    said = plain(find_same_paper(compare_same_paper(RECORDS, A, (ENG, DEU))))
    assert said == (
        "On the 1 task that all of them sit, 20.0 points lie between English (80.0) and German (60.0); as published, "
        "10.0 points lie between the highest and the lowest."
    )
    assert "share nothing" in plain(find_same_paper(compare_same_paper(RECORDS, A, (ENG, MAL))))


def test_worth_names_the_language_that_weighs_least():
    said = plain(find_worth(weigh_languages(RECORDS, (SWA, DEU)), 3, 5, 5))
    assert said == (
        "The 1 task of Swahili weighs like 1.00. Of 5 languages, 3 have no search task within the language, and 5 no "
        "similarity task."
    )


def test_worth_of_a_single_language_counts_its_own_tasks():
    said = plain(find_worth(weigh_languages(RECORDS, (DEU,)), 0, 0, 1))
    assert said.startswith("The ") and "search task" in said and said.endswith("are among them.")
    assert "Of 1 languages" not in said


def test_declared_keeps_unknown_apart_from_clean():
    declared = read_declarations(RECORDS)
    said = plain(find_declared(declared, correlate_declared(declared)))
    assert "1 of 2 models declare to have been trained" in said
    assert "1 of 2 declare nothing, which is not the same as clean" in said
