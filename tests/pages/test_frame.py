import pytest

from engine.errors import StoreError
from engine.pipeline import build
from engine.sources import add_source
from tests.pages.conftest import words
from tests.pages.result_trees import write_tree
from ui import reads
from ui.navigation import PAGES
from ui.reads import snapshots

every_page = pytest.mark.parametrize("stem", [page.stem for page in PAGES])
NEW = "New results since you last looked"
page_of_the_store = pytest.mark.parametrize("stem", [page.stem for page in PAGES if page.stem != "triplet_tests"])
"""Triplets are read from files, so that what was saved is seen at once; the other pages show a snapshot."""


@pytest.mark.parametrize(
    "stem", [page.stem for page in PAGES if page.stem not in ("methods", "sweeps", "triplet_tests")]
)
def test_page_on_an_empty_data_folder_says_how_to_get_data(stem, settings, visitor):
    at = visitor(settings).open(stem)
    assert "python -m engine demo" in [code.value for code in at.code]


@page_of_the_store
def test_page_shows_content_and_names_its_snapshot(stem, hand_made_store, visitor):
    at = visitor(hand_made_store).open(stem)
    assert at.title[0].value
    assert f"Snapshot {reads.shown_snapshot_id()}" in words(at)
    assert 'role="alert"' not in words(at)


@page_of_the_store
def test_an_error_of_the_engine_is_a_box_with_its_message(stem, hand_made_store, visitor, monkeypatch):
    def damaged(snapshot_id, where):
        raise StoreError("The file <b>x</b> is damaged; expected a store.")

    monkeypatch.setattr(snapshots, "_open", damaged)
    at = visitor(hand_made_store).open(stem)
    assert 'role="alert">The file &lt;b&gt;x&lt;/b&gt; is damaged; expected a store.' in words(at)


def test_a_store_that_cannot_be_read_can_be_rebuilt_from_the_page(hand_made_store, visitor, monkeypatch):
    def damaged(snapshot_id, where):
        raise StoreError("Snapshot 0001 has schema 0; expected 1.")

    monkeypatch.setattr(snapshots, "_open", damaged)
    at = visitor(hand_made_store).open()
    assert [button.key for button in at.button] == ["ask-Rebuild"]


@every_page
def test_a_pinned_snapshot_that_is_gone_is_named(stem, hand_made_store, visitor):
    at = visitor(hand_made_store).open(stem, snapshot="0999-dead")
    assert "snapshot=0999-dead</bdi> is gone; showing" in words(at)


def test_a_pinned_snapshot_is_kept_in_view(hand_made_store, visitor):
    at = visitor(hand_made_store).open(snapshot=reads.kept_snapshots()[0])
    assert at.selectbox(key="snapshot").value == reads.kept_snapshots()[0]
    assert "is gone" not in words(at)


def test_a_new_snapshot_is_shown_at_the_next_rerun_and_announced_until_seen(settings, visitor):
    add_source(settings, write_tree(settings.data / "tree", prompts=(), broken=False), "growing")
    before = build(settings).snapshot_id
    at = visitor(settings).open()
    assert "<b>4 runs</b>" in words(at) and NEW not in words(at)
    write_tree(settings.data / "tree", prompts=("Sort: ",), broken=False)
    after = build(settings).snapshot_id
    announced = f"{NEW}: this is snapshot {after}; before, it was {before}."
    for _ in range(2):
        at.run()
        assert "<b>8 runs</b>" in words(at) and announced in words(at)
    for _ in range(2):
        assert announced in words(at.switch_page("pages/methods/page.py").run()), "a page not seen yet says so too"
        at.run()
    assert NEW not in words(at.switch_page("pages/overview/page.py").run()), "this page was seen with the new data"
    assert NEW not in words(at.switch_page("pages/methods/page.py").run())


def test_first_results_are_announced_and_pinned_ones_are_not(settings, visitor):
    at = visitor(settings).open()
    add_source(settings, write_tree(settings.data / "tree", prompts=(), broken=False), "growing")
    first = build(settings).snapshot_id
    assert f"{NEW}: this is snapshot {first}; before, nothing was published." in words(at.run())
    assert NEW not in words(at.selectbox(key="snapshot").set_value(first).run())
