"""Reading views of the triplet page on a real store: the pinned snapshot, cosines of an item, cut-offs, tokens."""

import json
from dataclasses import asdict, replace

import pytest
import streamlit as st

from engine.pipeline import build
from engine.settings import Settings
from engine.triplets.counts import LanguageCount, token_folder
from engine.triplets.files import begin_set, read_set, save_set
from engine.triplets.items import GlossedText, TripletItem
from engine.triplets.results import Measured, Roles, keep_lines, results_file
from tests.engine.trees import forget_mteb
from tests.pages.conftest import Visitor, words

STEM, MODEL = "triplet_tests", "org/m"
ITEM = TripletItem(
    "00", "eng-Latn", "the cat sat", (GlossedText("a cat was sitting"),), (GlossedText("the bat sat"),), status="draft"
)
ITEMS = [replace(ITEM, item_id=f"{at:02}", anchor=f"the cat sat {at}") for at in range(30)]
COUNT = LanguageCount("eng-Latn", 2, 10, 4, 0, 0, None, 40, 8, 10)


def ask_model(settings, n_right):
    """Leaves what a run would: so many items right."""
    lines = [
        Measured(item.item_id, item.digest, MODEL, "r1", None, None, [0.8 if at < n_right else 0.4], [0.5 + at / 1000])
        for at, item in enumerate(ITEMS)
    ]
    keep_lines(results_file(settings, "mine", MODEL, "r1", Roles()), lines)


@pytest.fixture(scope="module")
def two_snapshots(tmp_path_factory):
    """A data folder with two snapshots of a set: 10 of 30 right, then 20. Read only."""
    settings = Settings(data=tmp_path_factory.mktemp("triplet-store"))
    begin_set(settings, "mine")
    save_set(settings, "mine", ITEMS, read_set(settings, "mine").digest)
    path = token_folder(settings) / "mine" / "org__m" / "r1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(asdict(COUNT)) + "\n", "utf-8")
    ids = []
    with pytest.MonkeyPatch.context() as patch:
        forget_mteb(patch)
        for n_right in (10, 20):
            ask_model(settings, n_right)
            ids.append(build(settings).snapshot_id)
    return settings, ids


@pytest.fixture
def visit(two_snapshots, monkeypatch):
    """Opens the page on that folder."""
    st.cache_resource.clear()
    settings, ids = two_snapshots
    return lambda **parameters: Visitor(settings, monkeypatch).open(STEM, **{"set": "mine", **parameters}), ids


def test_pinned_snapshot_shows_the_results_of_its_time(visit):
    open_page, (before, now) = visit
    assert "<b>20 of 30</b>" in words(open_page(view="All items"))
    at = open_page(view="All items")
    pinned = words(at.selectbox(key="snapshot").set_value(before).run())
    assert "<b>10 of 30</b>" in pinned and f"in snapshot {before}" in pinned and now not in pinned


def test_item_is_drawn_and_its_language_calibrated_on_demand(visit):
    open_page, _ = visit
    at = open_page(item="03")
    said = words(at)
    assert "the cat sat 3" in said and "the next build takes them up" not in said
    at.toggle(key="calibrate").set_value(True).run()
    assert not at.exception and "2,000 resamples of items" in words(at)


def test_other_views_and_token_counts_are_drawn_from_the_store(visit):
    open_page, _ = visit
    for view in ("Compare", "Prompts", "Lists"):
        assert "sl-finding" in words(open_page(view=view))
    assert "Nothing was counted by language yet" not in words(open_page(view="Tokens"))
