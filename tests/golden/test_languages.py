"""Language scores of the multilingual board against mteb's own table and numbers that were computed independently."""

import numpy as np
import polars as pl
import pytest

from engine.analysis.contamination import Closure, Training, correlate_declared, read_declarations
from engine.analysis.language_composition import Part, compose
from engine.analysis.language_coverage import describe_parts
from engine.analysis.language_scores import WhatIf, score_languages
from engine.analysis.language_table import tabulate_languages
from engine.analysis.language_what_if import compare_what_if
from engine.analysis.language_worth import weigh_languages
from engine.analysis.languages import Merging
from engine.analysis.ranking import rank_values
from engine.answers.language_composition import LanguageQuestion, models_by_rank, read
from engine.pipeline import build
from engine.settings import Settings
from engine.sources import add_source
from engine.store import open_snapshot

BOARD = "mteb_multilingual_v2_long.parquet"
QWEN = "Qwen/Qwen3-Embedding-8B"
BIBLE = "BibleNLPBitextMining"
ENG, MAL = "eng-Latn", "mal-Mlym"
FOUR_DECIMALS = 5e-5
WITHOUT_BIBLE = WhatIf(drop_tasks=(BIBLE,))


@pytest.fixture(scope="module")
def frame(shared):
    return pl.read_parquet(shared / "data" / BOARD)


@pytest.fixture(scope="module")
def snapshot(shared, metadata_cache, tmp_path_factory):
    folder = tmp_path_factory.mktemp("board-store") / "data"
    folder.mkdir()
    (folder / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    settings = Settings(data=folder)
    add_source(settings, shared / "data" / BOARD, "board")
    build(settings)
    return open_snapshot(settings)


@pytest.fixture(scope="module", params=[Merging.SPELLINGS, Merging.NONE])
def records(request, snapshot):
    return read(snapshot, LanguageQuestion(merge=request.param))


@pytest.fixture(scope="module")
def plain(snapshot):
    return read(snapshot, LanguageQuestion())


@pytest.fixture(scope="module")
def numbers(golden):
    return {key: entry["value"] for key, entry in golden["numbers"].items() if key.startswith("mmteb.")}


def theirs(frame):
    from mteb.benchmarks._create_table import _create_per_language_table_from_benchmark_results

    return _create_per_language_table_from_benchmark_results(frame, "all").rename({"Model": "model_name"})


def assert_same_table(ours, expected):
    assert set(ours.columns) == set(expected.columns)
    expected = expected.sort("model_name").select(ours.columns)
    assert ours["model_name"].equals(expected["model_name"])
    left, right = (table.drop("model_name").to_numpy() for table in (ours, expected))
    assert (np.isnan(left) == np.isnan(right)).all()
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-9)


def test_language_table_is_mtebs_for_every_model_and_language(records, frame):
    # mteb counts a row that a result file holds twice; the store keeps it once and lists the repeat as a reject.
    once = frame.unique(["model_name", "task_name", "split", "subset"], keep="first", maintain_order=True)
    ours = score_languages(records).wide()
    assert ours.shape == (474, 1 + 1062)
    assert_same_table(ours, theirs(once))


def test_rows_that_a_file_repeats_move_one_cell_of_one_model(plain, frame):
    ours, expected = score_languages(plain).wide(), theirs(frame).sort("model_name")
    left, right = (table.select(ours.columns[1:]).to_numpy() for table in (ours, expected))
    at = np.argwhere(np.abs(left - right) > 1e-9)
    assert [(ours["model_name"][int(row)], ours.columns[1 + int(column)]) for row, column in at] == [
        ("aari1995/German_Semantic_STS_V2", "deu-Latn")
    ]


def test_table_is_sorted_as_mteb_sorts_it(plain, frame):
    points = score_languages(plain).borda_points
    place = dict(zip(score_languages(plain).model_names, rank_values(points), strict=True))
    once = frame.unique(["model_name", "task_name", "split", "subset"], keep="first", maintain_order=True)
    in_their_order = [place[name] for name in theirs(once)["model_name"]]
    # Two scores that differ by the rounding of a sum alone are a tie here.
    assert np.abs(np.array(in_their_order) - np.arange(1, 475)).max() <= 2


def test_languages_on_mtebs_site_are_a_choice_of_columns(plain, frame):
    from mteb.benchmarks._create_table import _create_per_language_table_from_benchmark_results

    shown = _create_per_language_table_from_benchmark_results(frame, list(plain.view)).rename({"Model": "model_name"})
    ours = score_languages(plain).wide().select("model_name", *plain.view)
    kept = ours.filter(
        pl.col("model_name").is_in(shown["model_name"]) & (pl.col("model_name") != "aari1995/German_Semantic_STS_V2")
    )
    assert_same_table(kept, shown.filter(pl.col("model_name") != "aari1995/German_Semantic_STS_V2"))


def test_tasks_by_language(plain, numbers):
    assert len(plain.tasks) == numbers["mmteb.tasks"]
    counted = dict(describe_parts(plain).group_by("language").len().iter_rows())
    assert {language: counted[language] for language in (ENG, MAL, "awa-Deva")} == {
        language: numbers[f"mmteb.tasks.{language}"] for language in (ENG, MAL, "awa-Deva")
    }
    types = dict(describe_parts(plain).filter(pl.col("language") == MAL).select("task_name", "task_type").iter_rows())
    assert types == numbers["mmteb.malayalam_tasks"]


def test_rows_by_description_and_by_result(plain, numbers):
    english, malayalam = (compose(plain, QWEN, language) for language in (ENG, MAL))
    assert english.tasks["rows_described"].sum() == numbers["mmteb.english_rows"]
    assert malayalam.tasks["rows_described"].sum() == numbers["mmteb.malayalam_rows"]
    assert english.rows == numbers["mmteb.english_rows"] - 406
    assert malayalam.rows == numbers["mmteb.malayalam_rows"] - 406
    assert (
        english.rows - english.rows_distinct == numbers["mmteb.english_rows"] - numbers["mmteb.english_rows_distinct"]
    )
    flores = describe_parts(plain).filter(pl.col("language") == MAL, pl.col("task_name") == "FloresBitextMining")
    assert flores["rows"].item() == numbers["mmteb.malayalam_flores_rows"]
    assert flores["share"].item() * 100 == pytest.approx(numbers["mmteb.malayalam_flores_share_pct"], abs=1e-3)
    bible = plain.papers.filter(pl.col("task_name") == BIBLE)
    assert bible["language"].n_unique() == numbers["mmteb.bible_languages"]


def test_what_the_bible_is_in_english(plain, numbers):
    tasks = compose(plain, QWEN, ENG).tasks
    bible = tasks.row(0, named=True)
    assert bible["task_name"] == BIBLE
    assert bible["rows"] == numbers["mmteb.english_bible_rows"]
    assert bible["splits"] == numbers["mmteb.english_bible_split"] and bible["uses_train"]
    assert bible["mean"] * 100 == pytest.approx(numbers["mmteb.english_bible_mean"], abs=FOUR_DECIMALS)
    told = describe_parts(plain).filter(pl.col("language") == ENG, pl.col("task_name") == BIBLE)
    assert told["share"].item() * 100 == pytest.approx(numbers["mmteb.english_bible_share_pct"], abs=1e-3)


def test_scores_with_and_without_the_bible(plain, numbers):
    expected = {
        (ENG, WhatIf()): numbers["mmteb.english_mean_without_flores"],
        (ENG, WITHOUT_BIBLE): numbers["mmteb.english_mean_without_flores_and_bible"],
        (MAL, WhatIf()): numbers["mmteb.malayalam_mean_without_flores"],
    }
    for (language, what_if), points in expected.items():
        scored = score_languages(plain, what_if)
        value = scored.scores[scored.model_names.index(QWEN), scored.column(language)]
        assert value * 100 == pytest.approx(points, abs=FOUR_DECIMALS)
        composed = compose(plain, QWEN, language, what_if)
        assert composed.score == pytest.approx(value, abs=1e-12)
        for part in Part:
            assert composed.parts(part)["contribution"].sum() == pytest.approx(value, abs=1e-12)


def test_english_is_lowest_in_the_first_models_because_of_the_bible(plain, numbers):
    first = models_by_rank(plain).head(25).to_list()
    assert first == numbers["mmteb.top25_models"]
    lowest = compare_what_if(plain, WITHOUT_BIBLE).lowest(plain.view, first)
    english = lowest.row(by_predicate=pl.col("language") == ENG, named=True)
    assert english["n_before"] == numbers["mmteb.english_lowest_25"]
    assert english["n_after"] == numbers["mmteb.english_lowest_25_without_bible"]


def test_partial_models_stand_above_the_first_complete_one(plain):
    table = tabulate_languages(plain, score_languages(plain)).filter(pl.col("language") == ENG)
    best = table.filter("is_complete")["score"].max()
    assert table.filter(~pl.col("is_complete"), pl.col("score") > best).height == 135


def test_four_tasks_of_awadhi_weigh_like_one(plain):
    row = weigh_languages(plain, ["awa-Deva"]).row(0, named=True)
    assert row["n_tasks"] == 4 and round(row["effective_tasks"], 2) == 1.03


def test_declared_training_tasks(plain, numbers):
    declared = {closure: read_declarations(plain, closure).models for closure in (Closure.DIRECT, Closure.SIMILAR)}
    names = {Closure.DIRECT: "declared_directly", Closure.SIMILAR: "with_similar_tasks"}
    for closure, models in declared.items():
        found = {row["model_name"]: row for row in models.iter_rows(named=True)}
        for model, expected in numbers["mmteb.declared_training_tasks"].items():
            assert found[model]["n_declared"] == expected[names[closure]], (closure, model)
            assert found[model]["rank"] == expected["local_rank"]


def test_who_declares_the_translation_tasks(plain, numbers):
    cells = read_declarations(plain).cells.filter(pl.col("training") == Training.DECLARED.value)
    for task, expected in numbers["mmteb.declare_flores_etc"].items():
        assert set(cells.filter(pl.col("task_name") == task)["model_name"]) == set(expected), task


@pytest.mark.parametrize(
    ("models", "key"), [("every task", "all_130_tasks"), ("first 25", "top25"), ("first 100", "top100")]
)
def test_correlation_of_place_and_declared_tasks(plain, numbers, models, key):
    for closure, name in ((Closure.DIRECT, "direct"), (Closure.SIMILAR, "with_similar")):
        found = correlate_declared(read_declarations(plain, closure))
        row = found.filter(pl.col("models") == models, pl.col("undeclared") == "left out").row(0, named=True)
        expected = numbers["mmteb.rank_vs_declared"][f"{key}|{name}"]
        assert row["n"] == expected["n"]
        assert row["spearman"] == pytest.approx(expected["spearman"], abs=FOUR_DECIMALS)


def test_sizes_are_mtebs(plain, numbers):
    sizes = plain.papers.filter(pl.col("task_name") == "ArguAna").row(0, named=True)
    assert {"queries": sizes["n_queries"], "documents": sizes["n_documents"]} == numbers["mmteb.arguana"]
