import polars as pl
import pytest

from engine import heartbeat
from engine.inbox import RequestKind, RequestState, Status, ask, read_requests, write_status
from tests.pages.conftest import words
from ui import store_summary
from ui.doors import DOORS
from ui.navigation import PAGES


def page_links(at):
    return [link.proto for link in at.get("page_link")]


def test_overview_says_what_is_in_the_store(hand_made_store, visitor):
    at = visitor(hand_made_store).open()
    said = words(at)
    assert "<b>64 runs</b> of <b>2 models</b> on 2 tasks; <b>60</b> of them ran under a prompt" in said
    sources = at.dataframe[0].value
    assert sources["source_name"].to_list() == ["hand-made"]
    assert sources.iloc[0][["n_models", "n_tasks", "n_prompts", "n_runs", "n_rejects"]].to_list() == [2, 2, 30, 64, 1]


def test_every_door_leads_to_a_page_that_exists(hand_made_store, visitor):
    links = page_links(visitor(hand_made_store).open())
    assert [link.label for link in links][: len(DOORS)] == [door.words for door in DOORS]
    assert {door.stem for door in DOORS} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.job)
def test_a_door_opens_on_a_view_that_its_page_knows(door, hand_made_store, visitor):
    at = visitor(hand_made_store).open(door.stem, **door.parameters)
    assert "is no choice here" not in words(at)


def test_a_refused_file_is_listed_with_its_place_and_reason(hand_made_store, visitor):
    at = visitor(hand_made_store).open()
    assert any("1 input was refused" in expander.label for expander in at.expander)
    rejects = at.dataframe[1].value
    assert rejects["path"][0].endswith("Truncated.json") and "expected" in rejects["reason"][0]


def test_what_was_never_measured_is_said_with_the_way_to_get_it(hand_made_store, visitor):
    said = words(visitor(hand_made_store).open())
    assert "Not measured yet" in said and "Published scores to compare with." in said


def test_buttons_say_size_and_time_and_are_off_while_nobody_can_answer(settings, visitor):
    at = visitor(settings).open()
    said = words(at)
    assert "No engine process serves this data folder" in said
    assert "about 100 MB" in said and "under 4 minutes" in said
    buttons = [button for button in at.button if button.label == "Start"]
    assert len(buttons) == 5 and all(button.disabled for button in buttons)


def test_a_read_only_dashboard_says_so(settings, visitor, monkeypatch):
    monkeypatch.setenv("SCORELENS_READONLY", "1")
    at = visitor(settings).open()
    assert "This dashboard is read-only" in words(at)


def test_a_button_asks_the_engine_once_and_the_page_shows_how_far_it_is(settings, visitor):
    settings.data.mkdir(exist_ok=True)
    heartbeat.beat(settings)
    at = visitor(settings).open()
    at.button(key="ask-Rebuild").click().run()
    at.button(key="ask-Rebuild").click().run()
    (request,) = read_requests(settings)
    assert request.kind is RequestKind.BUILD and "build: waiting" in words(at)
    write_status(settings, request.request_id, Status(RequestState.RUNNING, "reading <b>files</b>", 3, 12, 65.0))
    at.run()
    assert "build: running · reading &lt;b&gt;files&lt;/b&gt; · 3 of 12 · about 1 min 5 s left" in words(at)


def test_a_failed_request_shows_the_engines_message(settings, visitor):
    request = ask(settings, RequestKind.FETCH, {"what": "mteb-results"})
    write_status(settings, request.request_id, Status(RequestState.FAILED, message="No network; expected one."))
    assert "fetch mteb-results: failed · No network; expected one." in words(visitor(settings).open())


PROMPTS, PUBLISHED = "How scores move over prompts", "Published scores to compare with"


@pytest.mark.parametrize(
    ("counts", "missing"),
    [
        ({"n_prompts": 0, "n_runs": 5, "n_default_runs": 5}, [PROMPTS]),
        ({"n_prompts": 3, "n_runs": 5, "n_default_runs": 0}, ["The default prompt in a", PUBLISHED]),
        ({"n_prompts": 0, "n_runs": 0, "n_default_runs": 0}, [PROMPTS, PUBLISHED, "Anything in a"]),
        ({"n_prompts": 0, "n_runs": 5, "n_default_runs": 5, "n_limited_runs": 2}, [PROMPTS, "Whole tasks in a"]),
    ],
)
def test_unmeasured_names_what_a_store_lacks(counts, missing):
    class Store:
        sources = pl.DataFrame([{"source_name": "a", "n_limited_runs": 0, **counts}])

    assert [what for what, _ in store_summary.unmeasured(Store())] == missing
