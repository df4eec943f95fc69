from dataclasses import replace

import polars as pl
import pytest

from engine.analysis.dataset_revisions import Data
from engine.analysis.language_rows import sum_directions
from engine.analysis.language_shortlist import Purpose
from engine.analysis.languages import Merging, row_kind
from engine.answers import language_views as views
from engine.answers.language_composition import (
    LanguageQuestion,
    check,
    chosen_languages,
    chosen_model,
    models_by_rank,
    offered,
    read,
)
from engine.answers.language_records import EVERY_ROW
from engine.answers.language_rows import read_language_rows
from engine.errors import UsageError
from engine.schema import RowKind
from engine.store import drafting, open_snapshot

MULTILINGUAL, ENGLISH_BOARD = "MTEB(Multilingual, v2)", "MTEB(eng, v2)"
QWEN = "Qwen/Qwen3-Embedding-8B"
ENG, MAL = "eng-Latn", "mal-Mlym"


@pytest.fixture(scope="module")
def snapshot(study_store):
    return open_snapshot(study_store)


@pytest.fixture(scope="module")
def records(snapshot):
    return read(snapshot, LanguageQuestion())


def test_published_results_come_first_and_every_row_is_offered_last(snapshot):
    sources = offered(snapshot)
    assert list(sources) == ["mteb-sample", "prompt-study"]
    assert sources["mteb-sample"][0] == MULTILINGUAL
    assert all(benchmarks[-1] == EVERY_ROW for benchmarks in sources.values())


def test_where_nothing_is_named_the_multilingual_board_is_read(records):
    assert (records.settings["source"], records.settings["benchmark"]) == ("mteb-sample", MULTILINGUAL)
    assert len(records.view) == 20 and len(records.sums.model_names) == 37


def test_sums_are_those_of_the_rows(snapshot):
    """Every cell of every default run, summed here from the single rows."""
    rows = snapshot.read(
        "SELECT run_id, task_name, split, languages, score FROM scores JOIN rows w USING (row_id) "
        "JOIN language_lists l USING (language_list_id) JOIN runs USING (run_id, task_name) "
        "WHERE is_default AND score IS NOT NULL".replace("languages", "l.languages")
    )
    key = ["run_id", "language", "task_name", "split", "row_kind"]
    named = rows.with_row_index("row").with_columns(row_kind=row_kind(pl.col("languages"))).explode("languages")
    expected = named.rename({"languages": "language"}).group_by(key).agg(
        n=pl.len(), n_distinct=pl.col("row").n_unique(), total=pl.col("score").sum()
    )  # fmt: skip
    stored = snapshot.read(
        f"SELECT {', '.join(key)}, sum(s.rows) AS rows, sum(rows_distinct) AS rows_distinct, "
        "sum(score_sum) AS score_sum "
        "FROM language_scores s JOIN language_cells USING (language_cell_id) GROUP BY ALL"
    )
    compared = expected.join(stored, on=key, how="full", coalesce=True)
    assert len(compared) == len(expected) == len(stored)
    assert (compared["n"] == compared["rows"]).all() and (compared["n_distinct"] == compared["rows_distinct"]).all()
    assert (compared["total"] - compared["score_sum"]).abs().max() < 1e-9


def test_a_benchmark_takes_its_own_rows_alone(snapshot, records):
    english = read(snapshot, LanguageQuestion(benchmark=ENGLISH_BOARD))
    assert set(english.sums.cells["task_name"]) <= set(english.tasks["task_name"])
    counterfactual = "AmazonCounterfactualClassification"
    rows = english.papers.filter(pl.col("task_name") == counterfactual, pl.col("language") == ENG)
    every = records.papers.filter(pl.col("task_name") == counterfactual, pl.col("language") == ENG)
    assert rows["rows"].sum() == 1 and every["rows"].sum() > 1
    held = english.sums.rows[(english.sums.cells["task_name"] == counterfactual).to_numpy()].sum(axis=0)
    assert held.max() == 1, "extra splits and subsets stay outside"


def test_every_row_of_a_source_needs_no_benchmark(snapshot):
    study = read(snapshot, LanguageQuestion(source="prompt-study", benchmark=EVERY_ROW))
    scored = views.scores(study, LanguageQuestion())
    assert len(scored.model_names) == 6 and ENG in scored.languages
    assert chosen_languages(study, LanguageQuestion())[0] == ENG


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (LanguageQuestion(source="nowhere"), ["nowhere", "mteb-sample"]),
        (LanguageQuestion(source="mteb-sample", benchmark="MTEB(Nowhere)"), ["MTEB(Nowhere)", MULTILINGUAL]),
    ],
)
def test_unknown_source_or_benchmark_is_refused(snapshot, question, words):
    with pytest.raises(UsageError) as refused:
        read(snapshot, question)
    assert all(word in str(refused.value) for word in words)


@pytest.mark.parametrize(
    "question",
    [
        LanguageQuestion(languages=("xyz-Latn",)),
        LanguageQuestion(models=("org/none",)),
        LanguageQuestion(drop_tasks=("None",)),
        LanguageQuestion(tasks=("None",)),
        LanguageQuestion(drop_corpora=("None",)),
        LanguageQuestion(drop_types=("None",)),
    ],
)
def test_names_that_are_not_there_are_refused(records, question):
    with pytest.raises(UsageError, match="there are: "):
        check(records, question)


def test_store_without_languages_says_what_to_do(settings, monkeypatch):
    with drafting(settings):
        pass
    with pytest.raises(UsageError, match="engine add"):
        read(open_snapshot(settings), LanguageQuestion())


def test_model_of_a_view_is_the_first_of_the_leaderboard_unless_named(records):
    assert chosen_model(records, LanguageQuestion()) == models_by_rank(records)[0]
    assert chosen_model(records, LanguageQuestion(models=(QWEN,))) == QWEN


def test_table_holds_what_is_asked_for(records):
    question = LanguageQuestion(languages=(ENG, MAL), models=(QWEN,))
    table = views.table(records, question)
    assert set(table.select("model_name", "language").iter_rows()) == {(QWEN, ENG), (QWEN, MAL)}
    dropped = views.table(records, replace(question, drop_tasks=("BibleNLPBitextMining",)))
    assert (
        dropped.filter(pl.col("language") == ENG)["score"].item()
        > table.filter(pl.col("language") == ENG)["score"].item()
    )


def test_single_rows_add_up_to_the_composition(snapshot, records):
    composed = views.composition(records, LanguageQuestion(languages=(MAL,), models=(QWEN,)))
    rows = read_language_rows(snapshot, records.settings, QWEN, MAL)
    assert rows["times"].sum() == composed.rows and len(rows) == composed.rows_distinct
    assert (rows["score"] * rows["times"]).sum() / rows["times"].sum() == pytest.approx(composed.score, abs=1e-9)
    directions = sum_directions(rows).filter(pl.col("task_name") == "NTREXBitextMining")
    assert dict(directions.select("direction", "rows").iter_rows()) == {"from": 10, "into": 10}
    same = rows.filter(pl.col("row_kind") == RowKind.SAME.value)
    assert same["direction"].null_count() == same["partner"].null_count() == len(same)
    assert set(rows.filter(pl.col("row_kind") == RowKind.ENGLISH.value)["partner"]) == {ENG}


def test_languages_to_compare_must_be_two(records):
    with pytest.raises(UsageError, match="two or more"):
        views.same_paper(records, LanguageQuestion(languages=(MAL,)))
    assert views.same_paper(records, LanguageQuestion(languages=(MAL, "hin-Deva"))).n_tasks > 3


def test_short_list_needs_a_language(records):
    with pytest.raises(UsageError, match="--language"):
        views.shortlist(records, LanguageQuestion())
    found = views.shortlist(records, LanguageQuestion(languages=("deu-Latn", "hin-Deva"), purpose=Purpose.SEARCH))
    assert found.models["rank"][0] == 1 and not found.unmeasured


def test_merged_macrolanguages_are_one_column(snapshot, records):
    merged = read(snapshot, LanguageQuestion(merge=Merging.BROADER))
    apart, together = (set(each.sums.cells["language"]) for each in (records, merged))
    assert {"cmn-Hans", "zho-Hans"} <= apart
    assert "cmn-Hans" not in together and "zho-Hans" in together


@pytest.mark.parametrize(
    "view",
    [
        "worth",
        "checklist",
        "coverage",
        "declarations",
        "declared_share",
        "declared_correlation",
        "disagreement",
        "hub",
        "effect",
    ],
)
def test_every_view_answers_the_plainest_question(records, view):
    assert getattr(views, view)(records, LanguageQuestion()) is not None


def test_one_revision_of_the_data_leaves_no_task_mixed(snapshot, records):
    common = read(snapshot, LanguageQuestion(data=Data.COMMON))
    assert any("different revisions of their data" in note for note in records.notes)
    assert not any("different revisions of their data" in note for note in common.notes)
    lost = next(note for note in common.notes if "are left out" in note)
    assert int(lost.split()[0].replace(",", "")) == len(records.task_scores) - len(common.task_scores) > 0
