"""`engine show leaderboard` and its neighbours: the same numbers as the page, for scripts."""

import json

import pytest

from engine.answers import leaderboard_views as views
from engine.answers.leaderboard import LeaderboardQuestion
from engine.answers.leaderboard_boards import answer
from engine.commands.leaderboard import DrawnTable, LeaderboardTable, SwitchTable
from engine.store import open_snapshot

EXCLUDED = "MasakhaNEWSClusteringS2S"
SMALL = "BAAI/bge-small-en-v1.5"
STUDY = LeaderboardQuestion(source="prompt-study", exclude_tasks=(EXCLUDED,))


@pytest.fixture
def show(study_store, monkeypatch, command_line):
    """Runs `engine show …`; gives exit code, rows (from JSON) and stderr."""
    monkeypatch.setenv("SCORELENS_DATA", str(study_store.data))

    def call(*words: str):
        code, printed, said = command_line("show", *words, "--format", "json")
        return code, json.loads(printed) if printed else None, said

    return call


@pytest.fixture(scope="module")
def board(study_store):
    return answer(open_snapshot(study_store), STUDY)


def study(*words: str) -> tuple[str, ...]:
    return (words[0], "--source", "prompt-study", "--exclude-task", EXCLUDED, *words[1:])


def test_default_leaderboard_is_the_pages(show, board):
    assert show(*study("leaderboard"))[1] == views.ranks(board, STUDY).to_dicts()


@pytest.mark.parametrize("scenario", ["default-vs-worst", "best-vs-default", "best-vs-worst"])
def test_scenario_without_a_target_has_every_model_as_the_target(show, board, scenario):
    rows = show(*study("leaderboard", "--scenario", scenario))[1]
    expected = views.every_target(board, STUDY).filter(scenario=scenario)
    assert [row["rank_borda"] for row in rows] == expected["rank"].to_list()
    assert [row["borda_points"] for row in rows] == expected["borda_points"].to_list()
    assert all(row["model_name"] == row["target_model_name"] for row in rows)


def test_scenario_with_a_target_is_its_leaderboard(show):
    rows = show(*study("leaderboard", "--scenario", "best-vs-worst", "--target", SMALL))[1]
    assert (rows[0]["model_name"], rows[0]["rank_borda"], rows[0]["borda_points"], rows[0]["ranks_gained"]) == (
        (SMALL, 1, 45, 5)
    )


def test_options_reach_the_question(show):
    rows = show(*study("leaderboard", "--aggregate", "mean-task", "--task-type", "STS", "--model", SMALL))[1]
    assert len(rows) == 1 and rows[0]["rank"] == 1 and rows[0]["n_tasks"] == 3


@pytest.mark.parametrize("what", list(LeaderboardTable))
def test_every_table_of_the_page_can_be_printed(show, what):
    code, rows, _ = show(*study("leaderboard", "--target", SMALL, "--resamples", "100", "--what", what.value))
    assert code == 0 and rows


def test_rank_probabilities_take_draws_and_seed(show, board):
    rows = show(*study("rank-probabilities", "--draws", "500", "--seed", "3"))[1]
    question = LeaderboardQuestion(draws=500, seed=3)
    assert rows == views.rank_probabilities(board, question).probabilities.to_dicts()


@pytest.mark.parametrize(
    ("command", "what"),
    [("rank-probabilities", table.value) for table in DrawnTable]
    + [("fewest-switches", table.value) for table in SwitchTable],
)
def test_other_tables_can_be_printed(show, command, what):
    assert show(*study(command, "--what", what))[1]


def test_published_leaderboard_says_what_it_mixes(show):
    code, rows, says = show("leaderboard", "--benchmark", "MTEB(eng, v2)")
    assert code == 0 and len(rows) == 36 and "versions of mteb" in says


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("leaderboard", "--scenario", "custom"), "page"),
        (("leaderboard", "--benchmark", "MTEB(none)"), "MTEB(none)"),
        (("leaderboard", "--resamples", "100000000"), "100000"),
        (("rank-probabilities", "--draws", "1000000000"), "1000000"),
        (("leaderboard", "--benchmark", "MTEB(eng, v2)", "--scenario", "best-vs-worst"), "no prompt experiments"),
        (study("leaderboard", "--scenario", "best-vs-worst", "--target", "nobody"), "nobody"),
        (study("leaderboard", "--target", "nobody"), "nobody"),
        (study("leaderboard", "--what", "causes"), "no model"),
    ],
)
def test_wrong_names_and_values_leave_with_two(show, words, says):
    code, rows, error = show(*words)
    assert code == 2 and rows is None and says.lower() in error.lower()
