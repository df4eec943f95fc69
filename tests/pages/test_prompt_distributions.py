"""The prompt page as a visitor meets it: what it says for a selection, and that it names what it cannot show."""

import pytest

from engine.ingest.prompts import prompt_id
from engine.pipeline import build
from engine.sources import add_source
from tests.pages.conftest import words
from tests.pages.result_trees import HOSTILE_PROMPTS, write_tree
from ui.prompt_selection import VIEWS, few_enough

STEM = "prompt_distributions"


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_the_study_says_its_finding_and_its_source(view, study_store, visitor):
    at = visitor(study_store).open(STEM, view=view)
    assert at.segmented_control(key="view").value == view
    assert 'class="sl-finding"' in words(at)
    assert "prompt-study" in words(at)
    assert 'role="alert"' not in words(at)


def test_finding_counts_the_calls_of_the_clean_set(study_store, visitor):
    at = visitor(study_store).open(STEM, **{"exclude-task": "MasakhaNEWSClusteringS2S"})
    assert "<b>47 of 66</b> model and task pairs" in words(at)
    assert "442 prompts · 2,652 runs · none missing" in words(at)
    command = "python -m engine show prompt-distributions --source prompt-study --exclude-task MasakhaNEWSClusteringS2S"
    assert any(code.value.startswith(command) for code in at.code)


def test_selection_in_the_address_is_the_selection_on_the_page(study_store, visitor):
    at = visitor(study_store).open(STEM, task="Touche2020Retrieval.v3", reference="published-matched")
    assert at.multiselect(key="task").value == ["Touche2020Retrieval.v3"]
    assert at.selectbox(key="reference").value == "published-matched"
    assert "On <b>Touche2020Retrieval.v3</b> the published score" in words(at)


def test_source_too_large_for_one_view_shows_its_first_tasks_and_says_so(study_store, visitor, monkeypatch):
    monkeypatch.setattr("ui.prompt_selection.MOST_CELLS", 13)
    at = visitor(study_store).open(STEM)
    assert "72 pairs of model and task are too many for one view: 2 tasks of 12 are shown" in words(at)
    assert any(code.value.count("--task") == 2 for code in at.code)
    chosen = visitor(study_store).open(STEM, task="Touche2020Retrieval.v3")
    assert "too many for one view" not in words(chosen)


@pytest.mark.parametrize(
    ("n_tasks", "n_models", "n_shown"),
    [(12, 6, 0), (131, 300, 3), (131, 7, 0), (131, 8, 125), (2, 5_000, 1), (0, 0, 0)],
)
def test_few_enough_tasks_for_one_view(n_tasks, n_models, n_shown):
    assert len(few_enough(tuple(map(str, range(n_tasks))), n_models)) == n_shown


def test_published_scores_over_all_rows_raise_a_warning(study_store, visitor):
    assert 'role="note"' not in words(visitor(study_store).open(STEM))
    at = visitor(study_store).open(STEM, reference="published-all")
    assert "published-matched compares like with like" in words(at)


def test_cells_without_a_published_score_are_listed_as_left_out(study_store, visitor):
    at = visitor(study_store).open(STEM, reference="published-matched")
    assert "8 model and task pairs cannot be compared" in words(at)
    left_out = at.dataframe[-1].value
    assert set(left_out["reason"]) == {"published on other rows only", "no published score"}


def test_list_opens_with_the_cell_farthest_from_its_median_and_says_what_copying_means(study_store, visitor):
    at = visitor(study_store).open(STEM)
    assert at.selectbox(key="cell").value == "BAAI/bge-small-en-v1.5 on Touche2020Retrieval.v3"
    assert "It was picked on the scores shown, so its score flatters" in words(at)
    assert "unknown: there are no other rows to try it on" in words(at)
    codes = [code.value for code in at.code]
    assert "Search query:" in codes
    assert any(code.startswith("On Touche2020Retrieval.v3, BAAI/bge-small-en-v1.5 was run with") for code in codes)


def test_held_out_gain_is_given_where_a_task_has_several_rows(study_store, visitor):
    at = visitor(study_store).open(STEM, cell="BAAI/bge-small-en-v1.5 on AmazonCounterfactualClassification")
    assert "each of 4 rows left out in turn" in words(at)


def test_call_says_in_how_many_readings_it_holds(study_store, visitor):
    at = visitor(study_store).open(STEM)
    assert "Its call, <b>high</b>, holds in <b>" in words(at)
    assert "hold in every admissible reading" in words(at)


def test_prompts_ticked_out_stay_out_until_they_are_put_back(hand_made_store, visitor):
    left_out = prompt_id("none", "None")
    at = visitor(hand_made_store).open(STEM, task="STS14", **{"exclude-prompt": left_out})
    assert "14 prompts · 28 runs" in words(at)
    assert "None" not in set(at.dataframe(key="table-cell-prompts").value["prompt_text"])
    at.button(key="put-back").click().run()
    assert "15 prompts · 30 runs" in words(at)


def test_hostile_prompts_are_inert_everywhere(hand_made_store, visitor):
    for view in VIEWS:
        drawn = [element.proto.body for element in visitor(hand_made_store).open(STEM, view=view).get("html")]
        assert not [body for body in drawn if "<script>" in body or "<b>x</b><br>" in body]


def test_list_shows_hostile_prompts_exactly_and_flags_near_duplicates(hand_made_store, visitor):
    at = visitor(hand_made_store).open(STEM)
    listed = at.dataframe(key="table-cell-prompts").value
    assert set(HOSTILE_PROMPTS) <= set(listed["prompt_text"])
    flagged = listed[listed["remark"].str.contains("near-duplicate")]
    assert set(flagged["prompt_text"]) == {"Label:", "Label: "}


def test_filters_that_nothing_passes_are_a_designed_state(hand_made_store, visitor):
    at = visitor(hand_made_store).open(STEM, search="no prompt says this")
    assert "No prompt run passes these filters" in words(at)
    assert "Nothing passes these filters" in words(at)


def test_thresholds_out_of_order_are_an_error_with_words(hand_made_store, visitor):
    at = visitor(hand_made_store).open(STEM, low="0.95")
    assert "expected 0 ≤ low &lt; high ≤ 1" in words(at)


def test_store_without_prompt_experiments_says_so_and_how_to_get_them(settings, visitor):
    add_source(settings, write_tree(settings.data / "tree", prompts=()), "plain")
    build(settings)
    at = visitor(settings).open(STEM)
    assert "No source of this snapshot holds prompt experiments" in words(at)
    assert "python -m engine demo" in [code.value for code in at.code]


def test_one_model_is_enough(hand_made_store, visitor):
    at = visitor(hand_made_store).open(STEM, model="acme/tiny-embed", task="STS14")
    assert "tiny-embed" in words(at)
    assert at.selectbox(key="cell").options == ["acme/tiny-embed on STS14"]
