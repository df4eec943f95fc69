import polars as pl
import pytest

from engine.analysis.language_checklist import Point, check_languages
from engine.analysis.language_coverage import SEARCH, SIMILARITY, count_lacking, cover_task_types, describe_parts
from engine.analysis.language_worth import predict_by_largest, weigh_languages
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

MODELS = ("org/a", "org/b", "org/c", "org/d")


def test_effective_number_is_that_of_equal_tasks():
    many = [(f"T{place}", [MAL]) for place in range(4)]
    records = board([("org/a", "T0", [MAL], 0.5)], described=many)
    assert weigh_languages(records, [MAL])["effective_tasks"].item() == pytest.approx(4)


def test_one_large_task_weighs_like_hardly_more_than_one():
    others = [(name, [MAL]) for name in ("Y", "Z", "W")]
    described = [("X", [MAL, f"x{place:03}-Latn"]) for place in range(200)] + others
    row = weigh_languages(board([("org/a", "Y", [MAL], 0.5)], described=described), [MAL]).row(0, named=True)
    assert row["n_tasks"] == 4
    assert row["effective_tasks"] == pytest.approx(1 / ((200 / 203) ** 2 + 3 / 203**2))
    assert (row["largest_task"], row["largest_share"]) == ("X", pytest.approx(200 / 203))


def test_tasks_of_one_corpus_count_as_one():
    records = board([("org/a", name, [MAL], 0.5) for name in ("X", "Y")], corpora={"X": "c", "Y": "c"})
    row = weigh_languages(records, [MAL]).row(0, named=True)
    assert (row["n_tasks"], row["n_corpora"]) == (2, 1)
    assert (row["effective_tasks"], row["effective_corpora"]) == (pytest.approx(2), pytest.approx(1))


def test_tasks_within_the_language_are_counted_by_kind():
    rows = [("org/a", "Find", [MAL, ENG], 0.5), ("org/a", "Rank", [MAL], 0.5), ("org/a", "Alike", [MAL], 0.5)]
    records = board(rows, types={"Find": "Retrieval", "Rank": "Reranking", "Alike": "STS"})
    assert weigh_languages(records, [MAL]).select("n_search", "n_similarity").row(0) == (1, 1)
    covered = cover_task_types(records)
    assert covered.filter(pl.col("task_type") == "Retrieval", pl.col("language") == MAL)["n_tasks_same"].item() == 0
    assert count_lacking(covered, SEARCH) == 1, "English has search across languages alone"
    assert count_lacking(covered, SIMILARITY) == 1


def test_parts_are_of_the_description_and_say_what_was_scored():
    records = board([("org/a", "X", [MAL], 0.5)], described=[("F", [MAL, ENG])])
    parts = describe_parts(records).filter(pl.col("language") == MAL)
    assert dict(parts.select("task_name", "is_scored").iter_rows()) == {"X": True, "F": False}
    assert parts["share"].sum() == pytest.approx(1)


def test_largest_task_that_is_the_column_predicts_it():
    rows = []
    for place, model in enumerate(MODELS):
        rows += [(model, "X", [MAL, other], place / 10) for other in (ENG, HIN, DEU)]
        rows.append((model, "Y", [MAL], 0.5 - place / 100))
    found = predict_by_largest(board(rows), [MAL]).row(by_predicate=pl.col("language") == MAL, named=True)
    assert (found["largest_scored"], found["n_models"], found["largest_spearman"]) == ("X", 4, pytest.approx(1))


@pytest.mark.parametrize("n_models", [1, 2])
def test_too_few_models_predict_nothing(n_models):
    rows = [(model, task, [MAL], 0.5) for model in MODELS[:n_models] for task in ("X", "Y")]
    assert predict_by_largest(board(rows), [MAL])["largest_spearman"].item() is None


def answers(records, language=MAL):
    checked = check_languages(records, [language])
    return {row["point"]: (row["answer"], row["why"]) for row in checked.iter_rows(named=True)}


CASES = {
    "within the language": (Point.COMPARABLE, [("X", [MAL])], {}, "Retrieval", "yes"),
    "translation pairs": (Point.COMPARABLE, [("X", [MAL, ENG])], {}, "BitextMining", "yes"),
    "pairs that are not parallel": (Point.COMPARABLE, [("X", [MAL, ENG])], {}, "STS", "no"),
    "order alone": (Point.NO_THRESHOLD, [("X", [MAL])], {"main_score": "max_ap"}, "PairClassification", "yes"),
    "threshold": (Point.NO_THRESHOLD, [("X", [MAL])], {"main_score": "max_accuracy"}, "PairClassification", "no"),
    "metric not known": (Point.NO_THRESHOLD, [("X", [MAL])], {}, "Retrieval", "unknown"),
    "texts found": (Point.NATIVE, [("X", [MAL])], {"sample_creation": "found"}, "Retrieval", "yes"),
    "texts translated": (Point.NATIVE, [("X", [MAL])], {"sample_creation": "machine-translated"}, "Retrieval", "no"),
    "texts made": (Point.NATIVE, [("X", [MAL])], {"sample_creation": "created"}, "Retrieval", "unknown"),
    "texts of unknown origin": (Point.NATIVE, [("X", [MAL])], {}, "Retrieval", "unknown"),
    "hard negatives": (Point.HARD_NEGATIVES, [("XHardNegatives", [MAL])], {}, "Retrieval", "yes"),
    "negatives not told": (Point.HARD_NEGATIVES, [("X", [MAL])], {}, "Retrieval", "unknown"),
    "no search": (Point.HARD_NEGATIVES, [("X", [MAL])], {}, "STS", "no"),
    "one task": (Point.BALANCED, [("X", [MAL])], {}, "Retrieval", "no"),
    "three tasks": (Point.BALANCED, [(name, [MAL]) for name in "XYZ"], {}, "Retrieval", "yes"),
    "test split": (Point.HELD_OUT, [("X/test", [MAL])], {}, "Retrieval", "yes"),
    "train split": (Point.HELD_OUT, [("X/train", [MAL])], {}, "Retrieval", "no"),
    "described": (Point.PUBLISHED, [("X", [MAL])], {}, "Retrieval", "yes"),
    "own script": (
        Point.NOT_BY_SCRIPT, [("X", [MAL, HIN])],
        {"description": "Language identification.", "languages": [MAL, HIN]}, "Classification", "no",
    ),
    "shared script": (
        Point.NOT_BY_SCRIPT, [("X", [MAL, HIN])],
        {"description": "Language identification.", "languages": [MAL, "san-Mlym"]}, "Classification", "yes",
    ),
    "language not asked": (Point.NOT_BY_SCRIPT, [("X", [MAL])], {}, "Retrieval", "yes"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_point_of_the_checklist(case):
    point, rows, about, task_type, expected = CASES[case]
    names = {task.partition("/")[0] for task, _ in rows}
    records = board(
        [("org/a", task, languages, 0.5) for task, languages in rows],
        types=dict.fromkeys(names, task_type), tasks=dict.fromkeys(names, about),
    )  # fmt: skip
    answer, why = answers(records)[point.value]
    assert answer == expected
    assert why


def test_every_point_is_answered_for_every_language():
    records = board([("org/a", "X", [MAL], 0.5), ("org/a", "X", [DEU], 0.5)])
    checked = check_languages(records, [MAL, DEU])
    assert checked.group_by("language").len()["len"].to_list() == [len(Point)] * 2
    assert set(checked["answer"]) <= {"yes", "no", "unknown"}
