import pytest

from engine.measures import MEASURES, RULES
from tests.pages.conftest import words
from tests.pages.result_trees import HOSTILE_PROMPTS, PLAIN_PROMPTS, REVISIONS
from ui.methods_sections import FRAMES, VIEWS


def test_every_measure_stands_on_the_page_with_its_formula(hand_made_store, visitor):
    said = words(visitor(hand_made_store).open("methods"))
    for measure in MEASURES:
        assert f"<code>{measure.key}</code></h3>" in said
    assert said.count("<dt>Formula</dt>") == len(MEASURES)


def test_every_rule_stands_on_the_page(hand_made_store, visitor):
    said = words(visitor(hand_made_store).open("methods", view="Rules"))
    assert all(f"{rule.number}. {rule.title}" in said for rule in RULES)


def test_definitions_need_no_data(settings, visitor):
    said = words(visitor(settings).open("methods"))
    assert f"<b>{len(MEASURES)} measures</b>" in said and "<dt>Formula</dt>" in said


@pytest.mark.parametrize("view", FRAMES)
def test_every_list_of_the_provenance_can_be_seen_and_saved(view, hand_made_store, visitor):
    at = visitor(hand_made_store).open("methods", view=view)
    assert len(at.dataframe) == 1 and len(at.dataframe[0].value) > 0
    assert [button.label for button in at.get("download_button")] == ["CSV"]


@pytest.mark.parametrize("view", [view for view in VIEWS if view in FRAMES])
def test_lists_without_data_say_how_to_get_it(view, settings, visitor):
    at = visitor(settings).open("methods", view=view)
    assert "No provenance yet" in words(at) and not at.dataframe


def test_prompts_are_listed_with_their_exact_text(hand_made_store, visitor):
    prompts = visitor(hand_made_store).open("methods", view="Prompts").dataframe[0].value
    assert set(prompts["prompt_text"]) == {*PLAIN_PROMPTS, *HOSTILE_PROMPTS}


def test_revisions_in_use_are_listed(hand_made_store, visitor):
    revisions = visitor(hand_made_store).open("methods", view="Model revisions").dataframe[0].value
    assert set(revisions["model_revision"]) == set(REVISIONS.values())


def test_tasks_are_filtered_by_language(hand_made_store, visitor):
    at = visitor(hand_made_store).open("methods", view="Tasks", language="eng-Latn")
    assert at.dataframe[0].value["task_name"].to_list() == ["ImdbClassification", "STS14"]


def test_a_language_that_no_task_has_is_named(hand_made_store, visitor):
    at = visitor(hand_made_store).open("methods", view="Tasks", language="xxx-Latn")
    assert "language=xxx-Latn</bdi> is no choice here" in words(at)
