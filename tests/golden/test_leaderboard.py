"""Leaderboards against numbers that were computed independently, and against mteb's own ranks on the same frame."""

import logging

import polars as pl
import pytest

from engine.analysis.leaderboard_simulator import Scenario
from engine.analysis.rank_intervals import compute_rank_intervals
from engine.analysis.rank_probabilities import Drawing
from engine.analysis.ranking import build_score_matrix, rank_models
from engine.answers.leaderboard import LeaderboardQuestion
from engine.answers.leaderboard_boards import answer
from engine.answers.leaderboard_views import (
    every_target,
    fewest_switches,
    missing_rules,
    prompt_numbers,
    rank_intervals,
    rank_probabilities,
    ranks,
    simulate,
)
from engine.answers.published_scores import read_published_scores
from engine.store import open_snapshot

CLEAN = LeaderboardQuestion(source="prompt-study", exclude_tasks=("MasakhaNEWSClusteringS2S",))
MULTILINGUAL, ENGLISH = "MTEB(Multilingual, v2)", "MTEB(eng, v2)"
AT_20_000_DRAWS = 0.015


@pytest.fixture(scope="module")
def snapshot(study_store):
    return open_snapshot(study_store)


@pytest.fixture(scope="module")
def study(snapshot):
    return answer(snapshot, CLEAN)


@pytest.fixture(scope="module")
def numbers(golden):
    """Values by key, models under their hub names."""

    def named(value):
        models = golden["meta"]["models"]
        return {models[short]: entry for short, entry in value.items()} if set(value) == set(models) else value

    return {
        key: named(entry["value"]) for key, entry in golden["numbers"].items() if key.startswith(("borda", "rankprob"))
    }


@pytest.fixture(scope="module")
def mteb_tables():
    from mteb.benchmarks import _create_table

    logging.disable(logging.WARNING)
    yield _create_table
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def oracle(shared):
    """The frame that mteb builds for its multilingual leaderboard, scores cut to 24 binary digits.

    So every sum is exact. Else the order in which rows are added breaks ties between equal means by chance.
    """
    frame = pl.read_parquet(shared / "data" / "mteb_multilingual_v2_long.parquet")
    return frame.with_columns((pl.col("score") * 2**24).round() / 2**24)


def test_default_ranks_and_points(study, numbers):
    ranked = ranks(study, CLEAN)
    found = {row["model_name"]: [row["rank_borda"], row["borda_points"]] for row in ranked.iter_rows(named=True)}
    assert found == numbers["borda.clean.baseline.default"]


@pytest.mark.parametrize(
    ("scenario", "key"),
    [
        (Scenario.BEST_VS_DEFAULT, "borda.clean.baseline.best_prompt_only__others_default"),
        (Scenario.BEST_VS_WORST, "borda.clean.baseline.best_prompt_only__others_worst_prompt"),
    ],
)
def test_every_targets_rank_and_points(study, numbers, scenario, key):
    rows = every_target(study, CLEAN).filter(scenario=scenario.value)
    columns = ("rank", "borda_points", "models_sharing_rank")
    assert {row["target_model_name"]: [row[c] for c in columns] for row in rows.iter_rows(named=True)} == numbers[key]


def test_handicap_alone_makes_the_small_model_first(study, golden):
    """First with its default (46 points) as soon as the others take their worst; its best prompts bring 45."""
    small = golden["meta"]["models"]["bge-small"]
    question = LeaderboardQuestion(target=small, scenario=Scenario.BEST_VS_WORST)
    found = simulate(study, question)
    own = found.movement.filter(model_name=small)
    assert own.select("rank", "borda_points").rows() == [(6, 7), (1, 46), (1, 45)]
    assert found.causes.select("ranks_gained", "gained").rows() == [(5, 39), (0, -1), (5, 38)]


def test_rank_probabilities_agree_with_a_million_draws(study, numbers, golden):
    drawn = rank_probabilities(study, CLEAN)
    reference = numbers["rankprob.clean.independent_1M"]
    assert (drawn.n_draws, drawn.drawing) == (20_000, Drawing.INDEPENDENT)
    for row in drawn.probabilities.iter_rows(named=True):
        expected = reference[row["model_name"]][str(row["rank"])]
        assert row["probability"] == pytest.approx(expected, abs=AT_20_000_DRAWS)
    order = golden["numbers"]["rankprob.clean.independent_1M"]["share_of_draws_with_exact_default_order"]
    assert drawn.share_default_order == pytest.approx(order, abs=AT_20_000_DRAWS)


def test_expected_points_add_up_to_what_eleven_tasks_of_six_models_hand_out(study):
    assert rank_probabilities(study, CLEAN).models["borda_points_expected"].sum() == pytest.approx(11 * 15)


def test_fifteen_prompts_name_the_first_place_in_four_of_five_draws(study):
    found = prompt_numbers(study, LeaderboardQuestion(drawing=Drawing.SAME)).numbers.filter(k=15).row(0, named=True)
    assert found["share_first"] == pytest.approx(0.80, abs=0.04)
    assert found["share_order"] == pytest.approx(0.34, abs=0.04)


def test_one_switch_makes_the_second_model_first(study, golden):
    found = fewest_switches(study, CLEAN)
    row = found.targets.filter(model_name=golden["meta"]["models"]["qwen3-0.6b"]).row(0, named=True)
    assert (row["rank_attainable"], row["fewest_switches"], row["n_sets"], row["is_exact"]) == (1, 1, 2, True)


def oracle_matrix(oracle):
    """The matrix of the frame; rows expected of a task are those that any model has."""
    held = oracle.filter(pl.col("score").is_not_null())
    expected = held.group_by("task_name").agg(rows_expected=pl.struct("split", "subset").n_unique())
    scores = held.group_by("model_name", "task_name").agg(
        pl.col("score").mean(), rows=pl.struct("split", "subset").n_unique(), task_type=pl.lit("any")
    )
    return build_score_matrix(scores.join(expected, on="task_name"))


def test_ranks_equal_mtebs_on_its_own_frame(oracle, mteb_tables):
    """All 426 models that mteb shows of the 474 that it ranks; it counts the 447 with every row of some task."""
    matrix = oracle_matrix(oracle)
    ranked = rank_models(matrix)
    theirs = mteb_tables._create_summary_table(oracle).df.select(model_name="Model", theirs="Rank (Borda)")
    compared = ranked.join(theirs, on="model_name")
    assert len(compared) == len(theirs) == 426
    assert compared["rank_borda"].to_list() == compared["theirs"].to_list()
    assert matrix.counted == 447
    long = mteb_tables._borda_rank_from_long(oracle, n_models=447).rename({"Rank (Borda)": "theirs"})
    compared = ranked.join(long, on="model_name")
    assert len(compared) == 474 and compared["rank_borda"].to_list() == compared["theirs"].to_list()


@pytest.mark.parametrize(
    ("benchmark", "n_models"), [(MULTILINGUAL, 37), (ENGLISH, 36)], ids=["multilingual", "english"]
)
def test_ranks_and_means_of_the_sample_equal_mtebs(snapshot, mteb_tables, benchmark, n_models):
    board = answer(snapshot, LeaderboardQuestion(source="mteb-sample", benchmark=benchmark))
    runs = read_published_scores(snapshot, "mteb-sample", benchmark).runs
    frame = snapshot.read(
        "SELECT u.model_name, u.task_name, r.split, r.subset, s.score FROM scores s "
        "JOIN benchmark_rows b USING (row_id) JOIN rows r USING (row_id) JOIN runs u USING (run_id) "
        "WHERE b.benchmark_name = $benchmark AND s.run_id IN (SELECT unnest($runs)) ORDER BY s.run_id, s.row_id",
        {"benchmark": benchmark, "runs": runs["run_id"].to_list()},
    )
    theirs = mteb_tables._create_summary_table(frame).df.rename({"Model": "model_name"})
    compared = ranks(board, LeaderboardQuestion()).join(theirs, on="model_name")
    assert len(compared) == n_models
    assert compared["rank_borda"].to_list() == compared["Rank (Borda)"].to_list()
    for ours, name in (("mean_task", "Mean (Task)"), ("mean_task_type", "Mean (TaskType)")):
        assert compared[ours].to_list() == pytest.approx(compared[name].to_list(), abs=1e-9)


def test_complete_models_lack_only_what_nobody_has(oracle):
    matrix = oracle_matrix(oracle)
    found = compute_rank_intervals(matrix, n_resamples=200)
    assert (len(found.intervals), found.n_set_aside, found.n_tasks) == (86, 388, 130)
    assert [name for name, asked in zip(matrix.task_names, matrix.is_asked, strict=True) if not asked] == [
        "FloresBitextMining"
    ]


def test_missing_rules_and_intervals_of_the_sample(snapshot):
    question = LeaderboardQuestion(source="mteb-sample", benchmark=MULTILINGUAL)
    board = answer(snapshot, question)
    compared, found = missing_rules(board), rank_intervals(board, question)
    assert (len(compared), compared["rank_complete"].count()) == (37, 31)
    assert (len(found.intervals), found.n_set_aside, found.n_tasks) == (31, 6, 130)
    assert found.intervals["model_name"][0] == "microsoft/harrier-oss-v1-27b"
