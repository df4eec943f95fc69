"""Models stay loaded between requests, few at a time; the process that keeps them ends when nobody asks."""

from dataclasses import replace
from queue import SimpleQueue

import msgspec
import pytest

from engine.inbox import RequestKind, RequestState, ask, request_named
from engine.study import resident
from engine.study.resident import answer_all
from engine.study.warm import WarmModels
from tests.engine.sweep.fakes import RecordingEncoder


@pytest.fixture
def loads(offered) -> list[str]:
    """Names of models in the order in which they are loaded."""
    loaded = []

    def load(name):
        loaded.append(name)
        return RecordingEncoder(name)

    for name, found in offered["models"].items():
        offered["models"][name] = replace(found, load=lambda compute, name=name: load(name))
    return loaded


def test_model_is_loaded_once_and_encodes_a_string_once(settings, loads):
    with WarmModels(settings, device="cpu") as models:
        models("test/a").fetch(["x", "y"])
        source = models("test/a")
        source.fetch(["x"])
        assert source.encoder.seen == ["x", "y"]
    assert loads == ["test/a"]


def test_model_that_was_not_asked_for_longest_goes_first(settings, loads):
    with WarmModels(settings, device="cpu", most=1) as models:
        for name in ("test/a", "test/b", "test/b", "test/a"):
            models(name)
    assert loads == ["test/a", "test/b", "test/a"]


@pytest.fixture
def preview(settings, study):
    return lambda: ask(settings, RequestKind.PREVIEW, {"study": msgspec.to_builtins(study)}).request_id


def answered(settings, *names):
    waiting = SimpleQueue()
    for name in names:
        waiting.put(name)
    answer_all(settings, waiting, idle_seconds=0.1)
    return [request_named(settings, name).status.state for name in names]


def test_two_requests_load_each_model_once(settings, loads, preview):
    first = preview()
    assert answered(settings, first) == [RequestState.DONE]
    loads.clear()
    second, third = preview(), ask(settings, RequestKind.PREVIEW, {"study": {}}).request_id
    assert answered(settings, second, third, second) == [RequestState.DONE, RequestState.FAILED, RequestState.DONE]
    assert sorted(loads) == ["test/a", "test/b"]


def test_process_that_has_grown_large_ends_and_leaves_the_rest_to_the_next(settings, loads, preview, monkeypatch):
    monkeypatch.setattr(resident, "memory_bytes", lambda: 1)
    first, other = preview(), ask(settings, RequestKind.PREVIEW, {"study": {}}).request_id
    assert answered(settings, first, other) == [RequestState.DONE, RequestState.WAITING]
