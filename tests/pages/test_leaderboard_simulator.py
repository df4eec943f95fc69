"""The leaderboard page as a visitor meets it: its sentences, its settings in the address, its designed gaps."""

import shutil

import pytest

from engine.pipeline import build
from engine.sources import add_source
from tests.pages.conftest import words
from tests.pages.result_trees import REVISIONS, write_tree
from ui.leaderboard_selection import PROMPT_VIEWS, PUBLISHED_VIEWS

STEM = "leaderboard_simulator"
CLEAN = {"exclude-task": "MasakhaNEWSClusteringS2S"}
"""The prompts that the golden numbers count."""
BENCHMARK = "MTEB(eng, v2)"


@pytest.mark.parametrize("view", PROMPT_VIEWS)
def test_every_view_of_a_prompt_study_says_its_finding_and_its_snapshot(view, study_store, visitor):
    at = visitor(study_store).open(STEM, view=view, **CLEAN)
    assert at.segmented_control(key="view").value == view
    assert 'class="sl-finding"' in words(at)
    assert "prompt-study" in words(at)
    assert 'role="alert"' not in words(at)
    assert any(code.value.startswith("python -m engine show ") for code in at.code)


@pytest.mark.parametrize("view", PUBLISHED_VIEWS)
def test_every_view_of_a_published_benchmark_says_its_finding(view, study_store, visitor):
    at = visitor(study_store).open(STEM, source="mteb-sample", view=view)
    assert at.segmented_control(key="view").value == view
    assert 'class="sl-finding"' in words(at)
    assert 'role="alert"' not in words(at)


def test_first_sight_is_the_small_model_whose_prompts_did_nothing(study_store, visitor):
    at = visitor(study_store).open(STEM, **CLEAN)
    assert at.selectbox(key="target").value == "BAAI/bge-small-en-v1.5"
    assert "goes from <b>6th to 1st</b> of 6" in words(at)
    assert (
        "Its own prompts did <b>nothing</b> for it: with its default it is 1st too, with 46 points against 45"
        in words(at)
    )
    board = at.dataframe[0].value
    assert board["model_name"][0] == "BAAI/bge-small-en-v1.5"
    assert board["borda_points"][0] == 45


def test_target_and_scenario_stand_in_the_address_and_change_the_sentence(study_store, visitor):
    visits = visitor(study_store)
    at = visits.open(STEM, target="Qwen/Qwen3-Embedding-0.6B", scenario="target best, others default", **CLEAN)
    assert "stays <b>2nd</b> of 6 when it alone picks its best prompts" in words(at)
    by_command = visits.open(STEM, target="Qwen/Qwen3-Embedding-0.6B", scenario="best-vs-default", **CLEAN)
    assert "stays <b>2nd</b> of 6 when it alone picks its best prompts" in words(by_command)
    at.segmented_control(key="scenario").set_value("target default, others worst").run()
    assert "It changed nothing itself: all of this is the rivals’ handicap" in words(at)


def test_best_prompts_with_the_default_among_them_never_cost_points(study_store, visitor):
    kalm = "KaLM-Embedding/KaLM-embedding-multilingual-mini-instruct-v2.5"
    asked = {"target": kalm, "scenario": "best-vs-default", **CLEAN}
    assert "goes from <b>1st to 2nd</b>" in words(visitor(study_store).open(STEM, **asked))
    at = visitor(study_store).open(STEM, candidates="prompts and default", **asked)
    assert "stays <b>1st</b>" in words(at)


def test_custom_scenario_gives_each_model_what_its_list_says(study_store, visitor):
    small = "BAAI/bge-small-en-v1.5"
    at = visitor(study_store).open(STEM, scenario="custom", target=small, best=small, **CLEAN)
    assert f"best={small}".split("=")[1] in at.multiselect(key="best").value
    chosen = at.dataframe[2].value
    rules = dict(zip(chosen["model_name"], chosen["selection_rule"], strict=True))
    assert rules.pop(small) == "best"
    assert set(rules.values()) == {"default"}


def test_named_prompt_is_taken_where_it_was_run(study_store, visitor):
    small, prompt = "BAAI/bge-small-en-v1.5", "Classify this tweet in eng:"
    at = visitor(study_store).open(STEM, scenario="custom", target=small, named=prompt, **{"named-for": small, **CLEAN})
    picked = at.dataframe[1].value
    texts = dict(zip(picked["task_name"], picked["prompt_text"], strict=True))
    assert texts.pop("TweetSentimentClassification") == prompt
    assert set(texts.values()) == {"(its default)"}


def test_chosen_prompts_are_told_to_flatter_and_can_be_disclosed(study_store, visitor):
    at = visitor(study_store).open(STEM, **CLEAN)
    assert "They were picked on the very scores shown, so these flatter" in words(at)
    assert any("was run with the prompt" in code.value for code in at.code)
    by_default = visitor(study_store).open(STEM, scenario="default", **CLEAN)
    assert "flatter" not in words(by_default)


def test_equal_n_has_no_single_prompt_to_disclose(study_store, visitor):
    at = visitor(study_store).open(STEM, prompts="all, equal n", **CLEAN)
    assert at.dataframe[1].value["prompt_text"].isna().all()
    assert not any("was run with the prompt" in code.value for code in at.code)


def test_means_rank_by_means_and_ask_for_no_missing_rule(study_store, visitor):
    at = visitor(study_store).open(STEM, aggregate="mean over tasks", **CLEAN)
    assert "with a mean of" in words(at)
    assert not [control for control in at.segmented_control if control.key == "missing"]


def test_draws_give_expected_points_that_are_exact(study_store, visitor):
    at = visitor(study_store).open(STEM, view="Rank probabilities", **CLEAN)
    assert "the order of the default prompts comes out whole in <b>26.7\u202f%</b>" in words(at)
    expected = at.dataframe[0].value["borda_points_expected"]
    assert round(expected[0], 4) == 46.4892


def test_switches_name_the_tasks_of_the_target(study_store, visitor):
    at = visitor(study_store).open(STEM, view="Fewest switches", **CLEAN)
    assert "must leave its default on <b>3 tasks</b> to get from <b>6th to 5th</b>" in words(at)
    switched = set(at.dataframe[0].value["task_name"])
    assert switched == {"MedrxivClusteringP2P.v2", "STS22.v2", "TweetSentimentClassification"}


def test_number_of_prompts_stands_in_the_sentence_and_in_the_rule(study_store, visitor):
    at = visitor(study_store).open(STEM, view="How many prompts", k="20", **CLEAN)
    assert "Ranked by the median of <b>20 prompts</b> a task" in words(at)
    assert any(code.value.startswith("Every model is run with 20 prompts a task") for code in at.code)


def test_real_board_is_marked_as_the_place_where_prompts_and_published_scores_meet(study_store, visitor):
    at = visitor(study_store).open(
        STEM, view="On the real board", published="mteb-sample", board=BENCHMARK, target="Qwen/Qwen3-Embedding-0.6B"
    )
    assert "could stand anywhere from" in words(at)
    assert "here, and only here" in words(at)


def test_intervals_of_a_published_benchmark_say_how_many_are_set_aside(study_store, visitor):
    at = visitor(study_store).open(STEM, source="mteb-sample", benchmark=BENCHMARK, view="Rank intervals")
    assert "models set aside because a task is missing" in words(at)
    intervals = at.dataframe[0].value
    assert len(intervals) < 36
    pinned = visitor(study_store).open(
        STEM, source="mteb-sample", benchmark=BENCHMARK, view="Rank intervals", pin=intervals["model_name"].iloc[-1]
    )
    assert "could be anywhere from" in words(pinned) or "for sure" in words(pinned)


def test_published_ranks_count_what_other_rules_and_other_samples_would_change(study_store, visitor):
    at = visitor(study_store).open(STEM, source="mteb-sample", benchmark=BENCHMARK)
    assert "another rank than MTEB’s rule" in words(at)
    assert "of neighbours in rank cannot be told apart" in words(at)
    board = at.dataframe[0].value
    assert list(board["rank"]) == sorted(board["rank"])


def test_values_of_the_address_that_do_not_exist_are_named(study_store, visitor):
    at = visitor(study_store).open(STEM, target="acme/gone", scenario="best-vs-nothing", **CLEAN)
    assert "target=acme/gone</bdi> is no choice here" in words(at)
    assert "scenario=best-vs-nothing</bdi> is no choice here" in words(at)


@pytest.mark.parametrize("view", PROMPT_VIEWS)
def test_every_view_bears_two_models_hostile_prompts_and_no_published_results(view, hand_made_store, visitor):
    at = visitor(hand_made_store).open(STEM, view=view)
    assert 'role="alert"' not in words(at)
    assert "<script>" not in words(at).replace("&lt;script&gt;", "")


@pytest.fixture(scope="module")
def lone_store(tmp_path_factory, metadata_cache):
    """A study of a single model."""
    from engine.settings import Settings

    data = tmp_path_factory.mktemp("lone") / "data"
    data.mkdir()
    (data / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    settings, tree = Settings(data=data), write_tree(data / "tree", broken=False)
    shutil.rmtree(tree / "results" / list(REVISIONS)[1].replace("/", "__"))
    add_source(settings, tree, "lone")
    build(settings)
    return settings


@pytest.mark.parametrize("view", PROMPT_VIEWS)
def test_every_view_bears_a_single_model(view, lone_store, visitor):
    at = visitor(lone_store).open(STEM, view=view)
    assert 'role="alert"' not in words(at)
