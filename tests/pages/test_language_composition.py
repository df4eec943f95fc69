"""The language page as a visitor meets it: its sentences, its settings in the address, its designed gaps."""

import pytest

from engine.settings import Settings
from tests.pages.conftest import words
from ui.language_selection import PURPOSE, TABLE, TRAINED, VIEWS, WHAT_IF

STEM = "language_composition"
MODEL = "Qwen/Qwen3-Embedding-8B"


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_says_its_finding_its_snapshot_and_its_command(view, study_store, visitor):
    at = visitor(study_store).open(STEM, view=view)
    assert at.segmented_control(key="view").value == view
    assert 'class="sl-finding"' in words(at)
    assert "mteb-sample" in words(at)
    assert 'role="alert"' not in words(at)
    assert any(code.value.startswith("python -m engine show language-composition ") for code in at.code)


def test_first_sight_shows_the_bible_without_being_asked(study_store, visitor):
    at = visitor(study_store).open(STEM, model=MODEL)
    said = words(at)
    assert 'Without <bdi class="sl-user">BibleNLPBitextMining</bdi>, 65\u202f% of its scored rows, English' in said
    assert "rises from <b>48.4</b> to <b>87.4</b>" in said
    assert "FloresBitextMining: up to 406 rows" in said
    papers = at.dataframe[0].value
    assert papers["language_name"][0] == "English"
    assert papers["rows"][0] == 2559
    assert papers["rows_described"][0] == 2965


def test_one_language_beside_another_adds_up_and_names_the_train_split(study_store, visitor):
    at = visitor(study_store).open(STEM, view="One language", model=MODEL, language="English", beside="Malayalam")
    said = words(at)
    assert "scores <b>48.4</b> in English and <b>88.6</b> in Malayalam" in said
    assert "Malayalam has 2 rows of it. Without it English is at <b>87.4</b>" in said
    assert "A train split is what is scored in BibleNLPBitextMining" in said
    tasks = at.dataframe[0].value
    assert tasks["contribution"].sum() == pytest.approx(48.4, abs=1.5)
    assert tasks["task_name"][0] == "BibleNLPBitextMining"


def test_code_in_the_address_is_understood_as_the_language(study_store, visitor):
    at = visitor(study_store).open(STEM, view="One language", language="mal-Mlym", model=MODEL)
    assert at.selectbox(key="language").value == "Malayalam"
    assert "in Malayalam" in words(at)


def test_unknown_language_is_named_not_dropped(study_store, visitor):
    at = visitor(study_store).open(STEM, view="One language", language="Klingon")
    assert "language=Klingon" in words(at)


def test_what_if_takes_tasks_corpora_and_weights_from_the_address(study_store, visitor):
    visits = visitor(study_store)
    at = visits.open(STEM, view=WHAT_IF, model=MODEL)
    assert at.multiselect(key="leave-out").value == ["BibleNLPBitextMining"], "what moves English most"
    assert "<b>English rises by 38.9 points</b> without BibleNLPBitextMining, from place 20 to 18 of 20" in words(at)
    assert "--drop-task BibleNLPBitextMining" in words(at)
    at.multiselect(key="leave-out").set_value(["corpus FLORES-200"])
    at.selectbox(key="weight").set_value("task").run()
    assert "without corpus FLORES-200, with every task alike" in words(at)
    assert "--drop-corpus FLORES-200 --weight task" in words(at)


def test_table_ranks_complete_models_only_and_greys_the_others(study_store, visitor):
    at = visitor(study_store).open(STEM, view=TABLE, language="English")
    said = words(at)
    assert "models with a score in English have all of its 2,559 rows" in said
    assert "of 2,559 rows</small>" in said
    complete, _, partial = said.partition('<tr class="sl-partial">')
    assert complete.count("<tr>") >= 20
    assert "<tr>" not in partial.split("</tbody>")[0], "no complete model stands below a partial one"


def test_table_search_keeps_the_ranks(study_store, visitor):
    at = visitor(study_store).open(STEM, view=TABLE, search="qwen3-embedding-8b")
    (row,) = [part for part in words(at).split("<tr>") if "Qwen3-Embedding-8B" in part]
    assert '<td class="sl-rank">1</td>' not in row or "48.4" not in row
    assert "48.4" in row


def test_short_list_says_what_was_never_measured(study_store, visitor):
    at = visitor(study_store).open(STEM, view=PURPOSE, **{"for": "awa-Deva"})
    assert "Nothing was measured for search within Awadhi" in words(at)


def test_contamination_keeps_unknown_apart(study_store, visitor):
    at = visitor(study_store).open(STEM, view=TRAINED, model=MODEL)
    said = words(at)
    assert "declare nothing, which is not the same as clean" in said
    assert "No declaration covers pretraining text" in said
    assert "What Qwen3-Embedding-8B declares" in said


def test_languages_that_share_nothing_are_told_so(study_store, visitor):
    at = visitor(study_store).open(STEM, view="Same paper", model=MODEL, shared=["English", "Abau"])
    assert "These languages share nothing" in words(at)


def test_store_without_language_scores_shows_the_way_to_some(tmp_path, visitor):
    at = visitor(Settings(data=tmp_path)).open(STEM)
    assert 'role="alert"' not in words(at)


def test_door_of_the_overview_leads_here(study_store, visitor):
    at = visitor(study_store).open()
    assert "What is each language’s score made of?" in [link.proto.label for link in at.get("page_link")]
