"""The app's only write path: a request is whole or absent, and nothing is lost with a page."""

import json
from dataclasses import replace

import pytest

from engine.errors import UsageError
from engine.inbox import (
    RequestKind,
    RequestState,
    Status,
    ask,
    cancel,
    read_requests,
    request_named,
    write_status,
)


def test_inbox_is_empty_at_first(settings):
    assert read_requests(settings) == ()


def test_asked_request_waits(settings):
    asked = ask(settings, RequestKind.FETCH, {"what": "prompt-study"})
    (read,) = read_requests(settings)
    assert read == asked
    assert (read.kind, read.options, read.status.state) == (
        RequestKind.FETCH,
        {"what": "prompt-study"},
        RequestState.WAITING,
    )


def test_requests_come_in_the_order_they_were_made(settings):
    ids = [ask(settings, RequestKind.FETCH, {"what": str(number)}).request_id for number in range(5)]
    assert [request.request_id for request in read_requests(settings)] == ids


def test_equal_request_is_made_once_while_it_is_open(settings):
    first = ask(settings, RequestKind.DEMO, {"quick": "yes"})
    assert ask(settings, RequestKind.DEMO, {"quick": "yes"}).request_id == first.request_id
    assert ask(settings, RequestKind.DEMO).request_id != first.request_id
    write_status(settings, first.request_id, Status(RequestState.DONE))
    assert ask(settings, RequestKind.DEMO, {"quick": "yes"}).request_id != first.request_id


def test_status_is_read_back(settings):
    request = ask(settings, RequestKind.BUILD)
    written = Status(RequestState.RUNNING, "reading", 3, 10, 4.5)
    write_status(settings, request.request_id, written)
    status = request_named(settings, request.request_id).status
    assert replace(status, changed_at="") == written and status.changed_at


def test_cancelled_request_says_so_also_without_a_worker(settings):
    request = ask(settings, RequestKind.BUILD)
    cancel(settings, request.request_id)
    assert request_named(settings, request.request_id).status.state is RequestState.CANCELLED


def test_finished_request_cannot_be_cancelled_any_more(settings):
    request = ask(settings, RequestKind.BUILD)
    write_status(settings, request.request_id, Status(RequestState.DONE))
    cancel(settings, request.request_id)
    assert request_named(settings, request.request_id).status.state is RequestState.DONE


def test_read_only_dashboard_asks_for_nothing(settings):
    readonly = replace(settings, readonly=True)
    with pytest.raises(UsageError, match="python -m engine demo"):
        ask(readonly, RequestKind.DEMO)
    request = ask(settings, RequestKind.DEMO)
    with pytest.raises(UsageError, match="read-only"):
        cancel(readonly, request.request_id)


def test_unknown_request_names_the_known_ones(settings):
    request = ask(settings, RequestKind.BUILD)
    with pytest.raises(UsageError, match=request.request_id):
        cancel(settings, "nothing")


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"kind": "magic", "options": {}, "asked_at": ""})])
def test_damaged_request_is_shown_as_failed_and_blocks_nobody(settings, text):
    good = ask(settings, RequestKind.BUILD)
    (settings.requests / "00000000-bad.json").write_text(text)
    bad, read = read_requests(settings)
    assert (bad.status.state, read.request_id) == (RequestState.FAILED, good.request_id)
    assert "00000000-bad.json" in bad.status.message


def test_damaged_status_counts_as_waiting(settings):
    request = ask(settings, RequestKind.BUILD)
    (settings.requests / f"{request.request_id}.status.json").write_text("{")
    assert request_named(settings, request.request_id).status.state is RequestState.WAITING


def test_no_part_of_a_file_is_left_behind(settings):
    request = ask(settings, RequestKind.BUILD)
    write_status(settings, request.request_id, Status())
    assert sorted(path.name for path in settings.requests.iterdir()) == [
        f"{request.request_id}.json",
        f"{request.request_id}.status.json",
    ]


def test_file_that_is_no_request_is_shown_as_failed_beside_the_others(settings):
    asked = ask(settings, RequestKind.FETCH, {"what": "prompt-study"})
    (settings.requests / "a-folder.json").mkdir()
    (settings.requests / "deep.json").write_text("[" * 100_000)
    (settings.requests / "garbage.json").write_bytes(b"\xff{")
    states = {each.request_id: each.status.state for each in read_requests(settings)}
    assert states.pop(asked.request_id) is RequestState.WAITING
    assert states == dict.fromkeys(("a-folder", "deep", "garbage"), RequestState.FAILED)


@pytest.mark.parametrize("content", ['{"state": "done", "done": "three"}', '{"state": "gone"}', "[]", "{"])
def test_status_that_somebody_has_edited_counts_as_none(settings, content):
    asked = ask(settings, RequestKind.FETCH, {"what": "prompt-study"})
    (settings.requests / f"{asked.request_id}.status.json").write_text(content)
    assert request_named(settings, asked.request_id).status == Status()
