from dataclasses import replace

import polars as pl
import pytest

from engine.analysis.leaderboard_simulator import Scenario
from engine.analysis.ranking import Aggregate, Missing
from engine.answers import leaderboard_views as views
from engine.answers import prompt_distributions as prompts
from engine.answers.leaderboard import LeaderboardQuestion, chosen_source, options, sources
from engine.answers.leaderboard_boards import answer, study_board
from engine.answers.published_scores import read_published_scores
from engine.answers.real_board import published_sources, real_board
from engine.errors import UsageError
from engine.store import drafting, open_snapshot

ENGLISH, MULTILINGUAL = "MTEB(eng, v2)", "MTEB(Multilingual, v2)"
SMALL, QWEN = "BAAI/bge-small-en-v1.5", "Qwen/Qwen3-Embedding-0.6B"
STUDY = LeaderboardQuestion(source="prompt-study", exclude_tasks=("MasakhaNEWSClusteringS2S",))
PUBLISHED = LeaderboardQuestion(source="mteb-sample", benchmark=ENGLISH)


@pytest.fixture(scope="module")
def snapshot(study_store):
    return open_snapshot(study_store)


def test_sources_with_prompts_come_first(snapshot):
    assert sources(snapshot) == ("prompt-study", "mteb-sample")


@pytest.mark.parametrize(
    ("question", "source"),
    [
        (LeaderboardQuestion(), "prompt-study"),
        (LeaderboardQuestion(benchmark=ENGLISH), "mteb-sample"),
        (LeaderboardQuestion(source="prompt-study", benchmark=ENGLISH), "prompt-study"),
    ],
    ids=["nothing named", "a benchmark", "both"],
)
def test_source_is_found_where_none_is_named(snapshot, question, source):
    assert chosen_source(snapshot, question) == source


def test_options_name_what_a_question_may_name(snapshot):
    study, published = options(snapshot, "prompt-study"), options(snapshot, "mteb-sample")
    assert study.has_prompts and not published.has_prompts
    assert (len(study.models), len(study.tasks), len(published.models)) == (6, 12, 37)
    assert study.task_types == ("Classification", "Clustering", "Retrieval", "STS")
    assert published.benchmarks[0] == MULTILINGUAL and ENGLISH in published.benchmarks
    assert ENGLISH in study.benchmarks
    for benchmark in published.benchmarks:
        assert answer(snapshot, replace(PUBLISHED, benchmark=benchmark)).matrix.values.size


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (LeaderboardQuestion(source="nowhere"), ["nowhere", "prompt-study", "mteb-sample"]),
        (LeaderboardQuestion(source="mteb-sample"), ["benchmark", "mteb-sample", ENGLISH]),
        (replace(PUBLISHED, benchmark="MTEB(none)"), ["MTEB(none)", ENGLISH]),
        (replace(PUBLISHED, tasks=("Imdb",)), ["'Imdb'", "ImdbClassification"]),
        (replace(PUBLISHED, exclude_tasks=("Imdb",)), ["'Imdb'", "ImdbClassification"]),
        (replace(PUBLISHED, models=("BAAI/bge-small",)), ["'BAAI/bge-small'", SMALL]),
        (replace(STUDY, models=("BAAI/bge-small",)), ["'BAAI/bge-small'", SMALL]),
        (replace(STUDY, benchmark="MTEB(none)"), ["MTEB(none)", ENGLISH]),
        (replace(STUDY, task_types=("Sts",)), ["'Sts'", "STS"]),
        (replace(PUBLISHED, task_types=("Sts",)), ["'Sts'", "STS"]),
    ],
)
def test_unknown_name_is_named_with_those_that_exist(snapshot, question, words):
    with pytest.raises(UsageError) as refused:
        answer(snapshot, question)
    assert all(word in str(refused.value) for word in words)


def test_empty_snapshot_says_what_to_do(settings):
    with drafting(settings):
        pass
    with pytest.raises(UsageError, match="engine demo"):
        answer(open_snapshot(settings), LeaderboardQuestion())


def test_target_must_be_on_the_board(snapshot):
    board = answer(snapshot, STUDY)
    with pytest.raises(UsageError, match="nobody"):
        views.simulate(board, replace(STUDY, target="nobody"))


@pytest.mark.parametrize(
    "view", [views.every_target, views.rank_probabilities, views.fewest_switches, views.robust_ranks]
)
def test_published_board_has_nothing_to_choose(snapshot, view):
    with pytest.raises(UsageError, match="mteb-sample.*--source"):
        view(answer(snapshot, PUBLISHED), PUBLISHED)


def test_task_types_and_tasks_narrow_a_board(snapshot):
    by_type = answer(snapshot, replace(STUDY, task_types=("STS",)))
    assert by_type.cube.task_names == ("STS14", "STS15", "STS22.v2") == by_type.matrix.task_names
    published = answer(snapshot, replace(PUBLISHED, task_types=("STS",), exclude_tasks=("STS14",)))
    assert set(published.matrix.task_types) == {"STS"} and "STS14" not in published.matrix.task_names
    assert published.n_tasks == len(published.matrix.task_names)


def test_rows_of_a_benchmark_change_the_scores_of_a_study(snapshot):
    """Amazon's study rows are four, the benchmark's one."""
    study, english = (answer(snapshot, replace(STUDY, benchmark=name)) for name in ("", ENGLISH))
    amazon = "AmazonCounterfactualClassification"
    assert amazon in english.cube.task_names and "TweetSentimentClassification" not in english.cube.task_names
    here, there = (board.cube.default[0, board.cube.task_names.index(amazon)] for board in (study, english))
    assert here != there
    assert any("left out" in note for note in english.notes)


def test_board_from_distributions_is_the_board_that_is_read(snapshot):
    distributions = prompts.answer(snapshot, STUDY.prompt_question)
    here, there = study_board(snapshot, STUDY, distributions), answer(snapshot, STUDY)
    assert here.settings == there.settings and here.n_texts == there.n_texts
    assert (here.cube.default == there.cube.default).all()


def test_questions_that_differ_elsewhere_share_what_is_read():
    other = replace(STUDY, target=SMALL, scenario=Scenario.BEST_VS_WORST, aggregate=Aggregate.MEAN_TASK, seed=3)
    assert other.reading == STUDY.reading and hash(other) != hash(STUDY)
    assert replace(STUDY, prompts="all").reading != STUDY.reading


def test_settings_name_what_decides_the_numbers(snapshot):
    question = replace(STUDY, missing=Missing.PRESENT, target=SMALL, scenario=Scenario.BEST_VS_WORST, seed=7)
    settings = answer(snapshot, question).settings
    assert settings["snapshot"] == snapshot.snapshot_id and settings["seed"] == "7"
    assert (settings["missing"], settings["scenario"], settings["target"]) == ("present", "best-vs-worst", SMALL)
    assert "equal-n" not in settings and "benchmark" not in settings


def test_texts_are_counted_for_the_rows_that_are_scored(snapshot):
    texts = answer(snapshot, STUDY).n_texts
    assert (texts["Touche2020Retrieval.v3"], texts["STS14"]) == (49, 3_750)


def test_published_scores_are_one_a_model_and_task(snapshot):
    published = read_published_scores(snapshot, "mteb-sample", ENGLISH)
    assert not published.scores.select("model_name", "task_name").is_duplicated().any()
    assert (published.scores["rows"] <= published.scores["rows_expected"]).all()
    assert published.n_tasks == 41
    assert any("versions of mteb" in note for note in published.notes)


def test_missing_tasks_are_told(snapshot):
    notes = answer(snapshot, replace(PUBLISHED, benchmark=MULTILINGUAL)).notes
    assert any("1 of 131 tasks" in note for note in notes)


def test_real_board_replaces_only_the_rows_that_prompts_ran_on(snapshot):
    question = replace(STUDY, target=QWEN, benchmark=ENGLISH)
    found = real_board(snapshot, question)
    board = answer(snapshot, PUBLISHED).matrix
    row = board.values[board.model_names.index(QWEN)]
    published = dict(zip(board.task_names, row, strict=True))
    assert found.tasks.height == 9 and found.n_models == 36
    for task in found.tasks.iter_rows(named=True):
        assert task["published_score"] == published[task["task_name"]]
    ranks = dict(found.ranks.select("setting", "rank").iter_rows())
    own = views.ranks(answer(snapshot, PUBLISHED), PUBLISHED).filter(pl.col("model_name") == QWEN)
    assert ranks["published"] == own["rank_borda"].item()
    assert ranks["best prompts"] <= ranks["median prompts"] <= ranks["worst prompts"]


def test_rows_of_other_languages_stay_as_published(snapshot):
    """STS22 has 18 rows on the multilingual board; prompts ran on the English one: the range is an eighteenth."""
    found = real_board(snapshot, replace(STUDY, target=QWEN, benchmark=MULTILINGUAL))
    task = found.tasks.filter(task_name="STS22.v2").row(0, named=True)
    english = real_board(snapshot, replace(STUDY, target=QWEN, benchmark=ENGLISH))
    alone = english.tasks.filter(task_name="STS22.v2").row(0, named=True)
    n_rows = snapshot.read(
        "SELECT count(*) FROM benchmark_rows JOIN rows USING (row_id) WHERE benchmark_name = ? AND task_name = ?",
        [MULTILINGUAL, "STS22.v2"],
    ).item()
    assert n_rows == 18
    assert task["max"] - task["min"] == pytest.approx((alone["max"] - alone["min"]) / n_rows)


def test_published_sources_have_no_prompts(snapshot):
    assert list(published_sources(snapshot, "prompt-study")) == ["mteb-sample"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (replace(STUDY, target="BAAI/bge-small"), ["'BAAI/bge-small'", SMALL]),
        (replace(STUDY, target=SMALL, published="nowhere"), ["nowhere", "mteb-sample"]),
        (replace(STUDY, target=SMALL, benchmark="MTEB(none)"), ["MTEB(none)", ENGLISH]),
    ],
)
def test_real_board_names_what_there_is(snapshot, question, words):
    with pytest.raises(UsageError) as refused:
        real_board(snapshot, question)
    assert all(word in str(refused.value) for word in words)
