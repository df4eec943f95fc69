"""The triplet page as a visitor meets it: every view, no data, writing without losing or overwriting anything."""

import json
from types import SimpleNamespace

import polars as pl
import pytest

from engine import heartbeat
from engine.inbox import AFTER, RequestKind, RequestState, Status, ask, read_requests, write_answer, write_status
from tests.pages.conftest import words
from tests.ui.triplet_examples import example, example_similarities
from ui import triplet_board, triplet_grid, triplet_token_languages
from ui.blocks import sentence_text
from ui.reads import triplets
from ui.triplet_compare import pair_words
from ui.triplet_rows import RUN
from ui.triplet_scores import COLUMNS, PublishedScores

STEM = "triplet_tests"
VIEWS = ("One item", "All items", "Compare", "Prompts", "Lists")
ITEM = {
    "id": "007", "language": "eng-Latn", "anchor": "the cat sat", "anchor_gloss": "",
    "positives": [{"text": "a cat was sitting", "gloss": ""}], "negatives": [{"text": "the bat sat", "gloss": ""}],
    "phenomenon": "near-homograph", "note": "", "author": "me", "source": "native", "status": "draft",
}  # fmt: skip


@pytest.fixture
def engine_is_there(monkeypatch):
    monkeypatch.setattr(heartbeat, "is_alive", lambda _: True)


@pytest.fixture
def answered(monkeypatch):
    """Puts a made-up answer in place of the store's."""

    def put(tests):
        rows = example_similarities(tests.items.height, tests.rates.filter(pl.col("by") == "model").height)
        monkeypatch.setattr(triplets, "tests", lambda _: tests)
        monkeypatch.setattr(triplets, "similarities", lambda _, item_id: rows.filter(pl.col("item_id") == item_id))
        monkeypatch.setattr(triplets, "is_behind", lambda _: False)
        monkeypatch.setattr(triplets, "tested_sets", lambda: ("starter",))
        monkeypatch.setattr(triplets, "models_of", lambda _: tests.outcomes["model_name"].unique().sort().to_list())

    return put


def own_set(settings, *items, name="mine"):
    path = settings.data / "triplets" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return path


def stored(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def field(at, label):
    return next(each for each in at.text_input if each.label == label)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_an_answer_with_foreign_text_as_data(view, hand_made_store, visitor, answered):
    answered(example(24, 5))
    at = visitor(hand_made_store).open(STEM, view=view)
    assert 'class="sl-finding"' in words(at) and "python -m engine show triplet-tests" in at.code[-1].value
    assert "elephant <b>" not in words(at)


def test_grid_shows_a_page_of_many_items_and_the_table_has_all(hand_made_store, visitor, answered):
    answered(example(260, 4))
    at = visitor(hand_made_store).open(STEM, view="All items")
    assert "items 1–87 of 260" in words(at) and len(at.dataframe[-1].value) == 260
    at.number_input(key="items-page").set_value(3).run()
    assert "items 175–260 of 260" in words(at)
    at.multiselect(key="language").set_value(["mal-Mlym"]).run()
    assert "Items × models: 87 items" in words(at)


def test_items_are_filtered_by_what_came_of_them(hand_made_store, visitor, answered):
    tests = example(60, 5)
    answered(tests)
    for shown, items in (("all right", tests.saturated), ("none right", tests.failed_by_all),
                         ("a shortcut is right", tests.solved_by_shortcuts)):  # fmt: skip
        at = visitor(hand_made_store).open(STEM, view="All items", show=shown)
        assert f"Items: {items.height}" in words(at)


def test_pair_that_is_clear_alone_but_not_among_many_says_so():
    run = {f"{name}_{end}": "x" for name in RUN for end in "ab"}
    clear = {**run, "n": 60, "n_only_a": 12, "n_only_b": 2, "p": 0.01, "p_holm": 0.3, "n_needed": 1}
    assert "clear for this pair alone" in sentence_text(pair_words(clear))
    even = {**clear, "n_only_a": 0, "n_only_b": 0, "p": 1.0, "p_holm": 1.0, "n_needed": None}
    assert "agree on every item so far" in sentence_text(pair_words(even))


def test_click_on_the_grid_opens_the_item(hand_made_store, visitor, answered, monkeypatch):
    answered(example(24, 2))
    at = visitor(hand_made_store).open(STEM, view="All items")
    clicked = SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": ["ara-001"]}]))
    state = {"figure-triplet-grid": clicked}
    address = {}
    monkeypatch.setattr(triplet_grid.st, "session_state", state)
    monkeypatch.setattr(triplet_grid.st, "query_params", address)
    triplet_grid.open_clicked()
    assert (state["view"], state["item"]) == ("One item", "ara-001") and address == {"item": "ara-001"}
    assert not at.exception


def test_item_is_shown_in_its_own_direction_with_gloss(hand_made_store, visitor, answered):
    answered(example(6, 2))
    said = words(visitor(hand_made_store).open(STEM, item="ara-001"))
    assert '<bdi class="sl-user sl-script" dir="auto">لم يصل القطار</bdi>' in said and "other 1" in said


def test_pairs_are_told_apart_in_words(hand_made_store, visitor, answered):
    answered(example(24, 5))
    said = words(visitor(hand_made_store).open(STEM, view="Compare"))
    assert "Different: " in said and "Not enough items to tell: " in said
    assert "more items would tell" in said and "McNemar" in said


def test_folder_without_results_offers_to_run_its_sets(settings, visitor, engine_is_there):
    own_set(settings, ITEM)
    at = visitor(settings).open(STEM)
    assert "No model was asked yet" in words(at)
    at.button(key="run-set/mine").click().run()
    (request,) = read_requests(settings)
    assert request.kind is RequestKind.TRIPLETS and request.options["items"] is None


def test_page_waits_for_results_that_are_being_put_into_the_store(settings, visitor):
    request = ask(settings, RequestKind.BUILD, {AFTER: "a-run"})
    at = visitor(settings).open(STEM)
    assert "on its way into the store" in words(at)
    write_status(settings, request.request_id, Status(RequestState.DONE))
    assert "on its way into the store" not in words(at.run())


def test_set_that_was_changed_since_the_snapshot_says_so(hand_made_store, visitor, answered, monkeypatch):
    answered(example(6, 2))
    monkeypatch.setattr(triplets, "is_behind", lambda _: True)
    assert "the next build takes them up" in words(visitor(hand_made_store).open(STEM))


def test_item_is_written_checked_and_saved(settings, visitor):
    path = own_set(settings, ITEM)
    at = visitor(settings).open(STEM, view="Write", set="mine")
    assert field(at, "Author").value == "", "who wrote the items before is not who writes now"
    field(at, "Author").set_value("Meena").run()
    field(at, "Id").set_value("008").run()
    field(at, "Base").set_value("ആനപ്പുറത്ത്").run()
    assert at.button(key="save-item").disabled
    field(at, "Same meaning").set_value("ആനയുടെ പുറത്ത്").run()
    field(at, "Looks alike, means something else").set_value("ആന പുറത്ത്").run()
    assert not at.button(key="save-item").disabled
    at.button(key="save-item").click().run()
    assert not at.exception
    first, second = stored(path)
    assert (first["id"], second["id"], second["anchor"]) == ("007", "008", "ആനപ്പുറത്ത്")
    assert (second["written"], second["author"]) == ("before", "Meena") and at.selectbox(key="edit").value == "008"
    at.selectbox(key="edit").set_value("new item").run()
    assert field(at, "Author").value == "Meena"


def test_unsaved_work_outlives_other_views_and_items(settings, visitor):
    own_set(settings, ITEM)
    at = visitor(settings).open(STEM, view="Write", set="mine", edit="007")
    field(at, "Base").set_value("the cat sits").run()
    at.selectbox(key="edit").set_value("new item").run()
    assert "not saved yet" in words(at)
    at.selectbox(key="edit").set_value("007").run()
    assert field(at, "Base").value == "the cat sits"


def test_file_that_changed_underneath_is_not_overwritten(settings, visitor):
    path = own_set(settings, ITEM)
    at = visitor(settings).open(STEM, view="Write", set="mine", edit="007")
    field(at, "Base").set_value("the cat sits").run()
    own_set(settings, {**ITEM, "note": "somebody else"}, {**ITEM, "id": "009", "anchor": "other"})
    at.button(key="save-item").click().run()
    assert 'role="alert"' in words(at) or "changed meanwhile" in words(at)
    assert [item["id"] for item in stored(path)] == ["007", "009"] and stored(path)[0]["note"] == "somebody else"
    at.button(key="rebase").click().run()
    at.button(key="save-item").click().run()
    assert [item["anchor"] for item in stored(path)] == ["the cat sits", "other"]


def test_item_deleted_underneath_keeps_its_unsaved_text_and_is_saved_anew(settings, visitor):
    other = {**ITEM, "id": "009", "anchor": "other"}
    path = own_set(settings, ITEM, other)
    at = visitor(settings).open(STEM, view="Write", set="mine", edit="007")
    field(at, "Base").set_value("the cat sits").run()
    own_set(settings, other)
    at.run()
    assert field(at, "Base").value == "the cat sits" and "no longer in the file" in words(at)
    at.button(key="rebase").click().run()
    at.button(key="save-item").click().run()
    assert not at.exception
    assert [each["id"] for each in stored(path)] == ["009", "007"] and stored(path)[1]["anchor"] == "the cat sits"


def test_copy_and_delete(settings, visitor):
    path = own_set(settings, ITEM, {**ITEM, "id": "008", "anchor": "another base"})
    at = visitor(settings).open(STEM, view="Write", set="mine", edit="007")
    at.button(key="copy-item").click().run()
    assert field(at, "Id").value == "007-copy"
    at.button(key="drop-item").click().run()
    at.selectbox(key="edit").set_value("008").run()
    at.button(key="delete-item").click().run()
    assert [item["id"] for item in stored(path)] == ["007"]


def test_read_only_visitor_writes_drafts_of_their_own(settings, visitor, monkeypatch):
    path = own_set(settings, ITEM)
    before = path.read_bytes()
    monkeypatch.setenv("SCORELENS_READONLY", "1")
    monkeypatch.setattr(triplets, "language_names", lambda: {"eng-Latn": "English"})
    at = visitor(settings).open(STEM, view="Write")
    assert "read-only" in words(at)
    at.text_input(key="visitor").set_value("anju").run()
    for label, text in (("Id", "1"), ("Base", "the cat sat"), ("Same meaning", "a cat was sitting"),
                        ("Looks alike, means something else", "the bat sat")):  # fmt: skip
        field(at, label).set_value(text).run()
    next(each for each in at.selectbox if each.label == "Language").select("English (eng-Latn)").run()
    at.button(key="save-item").click().run()
    assert not at.exception and path.read_bytes() == before
    assert len(list(settings.data.rglob("*anju*.jsonl"))) == 1


def test_run_asks_the_engine_and_shows_the_outcome(settings, visitor, engine_is_there):
    own_set(settings, ITEM)
    at = visitor(settings).open(STEM, view="Write", set="mine", edit="007")
    at.button(key="run-item").click().run()
    (request,) = read_requests(settings)
    assert request.kind is RequestKind.TRIPLETS and request.options["items"] == ["007"]
    assert request.options["roles"] == [{"base": None, "candidate": None}]
    outcome = {
        "item_id": "007", "model_name": "org/m", "base_prompt": None, "candidate_prompt": None, "outcome": "wrong",
        "margin": -0.1, "place": 2, "n_tied": 0, "reason": None,
        "similarities": [{"role": "positive", "position": 0, "text": "a cat was sitting", "similarity": 0.8},
                         {"role": "negative", "position": 0, "text": "the bat sat", "similarity": 0.9}],
    }  # fmt: skip
    write_answer(settings, request.request_id, {"outcomes": [outcome], "refused": []})
    write_status(settings, request.request_id, Status(RequestState.DONE))
    at.run()
    assert "✕ wrong" in words(at)


def test_tokens_are_counted_for_a_text_and_its_translation(settings, visitor, engine_is_there):
    own_set(settings, ITEM)
    at = visitor(settings).open(STEM, view="Tokens")
    at.text_area(key="pasted").set_value("ആനപ്പുറത്ത്").run()
    at.text_area(key="pasted-english").set_value("on the elephant").run()
    at.button(key="count-tokens").click().run()
    (request,) = read_requests(settings)
    assert request.kind is RequestKind.TOKENIZE and request.options["texts"] == ["ആനപ്പുറത്ത്", "on the elephant"]
    texts = [{"model_name": "org/m", "text": text, "tokens": n} for text, n in (("ആനപ്പുറത്ത്", 9), ("on the elephant", 6))]
    write_answer(settings, request.request_id, {"texts": texts, "refused": []})
    write_status(settings, request.request_id, Status(RequestState.DONE))
    at.run()
    assert "<b>1.5 times</b> the tokens of the English text" in words(at)


@pytest.fixture
def published(monkeypatch):
    """Puts made-up scores in place of a board's."""

    def put(*rows):
        found = pl.DataFrame([(*row, 10, 10) for row in rows], schema=COLUMNS, orient="row")
        for module in (triplet_board, triplet_token_languages):
            monkeypatch.setattr(module, "pick_scores", lambda: PublishedScores("published", "B", found))

    return put


def test_languages_are_drawn_from_what_was_counted_and_stand_beside_their_scores(
    settings, visitor, monkeypatch, published
):  # fmt: skip
    costs = pl.DataFrame(
        {
            "texts_name": ["p"] * 4, "model_name": ["org/m"] * 4, "language": ["a", "b", "c", "d"],
            "tokens_per_character": [0.3] * 4, "ratio_to_english": [1.0, 1.2, 1.5, 12.2], "unknown_share": [0.0] * 4,
        }
    )  # fmt: skip
    monkeypatch.setattr(triplets, "token_costs", lambda: costs)
    published(*(("other/m", language, score) for language, score in zip("abcd", (0.6, 0.5, 0.4, 0.66), strict=True)))
    said = words(visitor(settings).open(STEM, view="Tokens"))
    assert "1 language of 4 cost more than the median and score above it" in said
    assert "1 model found by what follows the slash" in said


def test_rates_stand_beside_the_published_score_of_the_language(hand_made_store, visitor, answered, published):
    answered(example(24, 2))
    published(("other/model-0", "mal-Mlym", 0.61))
    said = words(visitor(hand_made_store).open(STEM, view="Compare"))
    assert "Scores: published: B" in said and "1 model found by what follows the slash" in said


def test_missing_scores_say_how_to_get_them(settings, visitor, answered):
    answered(example(24, 2))
    said = words(visitor(settings).open(STEM, view="Compare"))
    assert "No published scores to stand beside" in said and "engine add PATH --name published" in said


def test_rates_of_several_sets_stand_beside_each_other(hand_made_store, visitor, answered, monkeypatch):
    answered(example(24, 2))
    monkeypatch.setattr(triplets, "tested_sets", lambda: ("starter", "mine"))
    at = visitor(hand_made_store).open(STEM, view="Compare", **{"with": "set"})
    table = next(each.value for each in at.dataframe if "group" in each.value.columns)
    assert sorted(set(table["group"])) == ["mine", "starter"]
