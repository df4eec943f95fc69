"""What a page gets for a sweep or a preview: an answer cell by cell, a snapshot, and reasons."""

import msgspec
import pytest

from engine.content import row_counts
from engine.handlers import answer_request
from engine.inbox import RequestKind, RequestState, ask, cancel, read_answer, request_named, retry
from engine.sources import add_source, read_sources
from engine.store import open_snapshot
from engine.study import answering
from engine.study.board import Board, CellState, PreviewAnswer, from_json
from tests.engine.study.test_run import NanFor
from tests.engine.sweep.fakes import RecordingEncoder, model


@pytest.fixture
def answered(settings, study, without_mteb):
    """Asks for something about the study, with changes, and answers it in this process."""

    def answer(kind=RequestKind.SWEEP, **changes):
        request = ask(settings, kind, {"study": {**msgspec.to_builtins(study), **changes}})
        answer_request(settings, request)
        return request_named(settings, request.request_id)

    return answer


def test_sweep_leaves_a_full_board_and_a_snapshot_with_its_runs(settings, answered):
    request = answered()
    board = from_json(read_answer(settings, request.request_id), Board)
    assert (request.status.state, board.done, board.total) == (RequestState.DONE, 8, 8)
    assert {cell.state for cell in board.cells} == {CellState.DONE}
    assert [source.name for source in read_sources(settings)] == ["small"]
    snapshot = open_snapshot(settings)
    assert snapshot.snapshot_id == request.status.snapshot_id
    assert row_counts(snapshot)["runs"] == 8


def test_partial_sweep_is_done_and_says_what_is_missing(settings, answered, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    request = answered(models=["test/a", "test/b", "gone/model"])
    board = from_json(read_answer(settings, request.request_id), Board)
    assert request.status.state is RequestState.DONE
    assert "1 failed" in request.status.message and "gone/model" in request.status.message
    assert (board.failed, board.errors[0].model_name, board.refused[0].name) == (1, "test/a", "gone/model")


def test_retry_does_what_failed_and_nothing_else(settings, answered, offered):
    offered["models"]["test/a"] = model(NanFor("test/a"))
    first = answered()
    offered["models"]["test/a"] = model(RecordingEncoder("test/a"))
    again = retry(settings, first.request_id)
    assert again.request_id != first.request_id and again.options == first.options
    answer_request(settings, again)
    board = from_json(read_answer(settings, again.request_id), Board)
    assert (board.done, board.existing, board.failed) == (1, 7, 0)


def test_sweep_of_which_nothing_runs_has_failed(answered):
    status = answered(models=["gone/model"]).status
    assert status.state is RequestState.FAILED and "gone/model" in status.message


def test_cancelled_sweep_keeps_what_was_done(settings, answered, monkeypatch, study):
    request = ask(settings, RequestKind.SWEEP, {"study": msgspec.to_builtins(study)})
    run_study = answering.run_study

    def cancel_on_the_way(settings, resolved, devices, watch):
        def watch_and_cancel(board):
            if board.done == 3:
                cancel(settings, request.request_id)
            watch(board)

        return run_study(settings, resolved, devices, watch_and_cancel)

    monkeypatch.setattr(answering, "run_study", cancel_on_the_way)
    answer_request(settings, request)
    assert request_named(settings, request.request_id).status.state is RequestState.CANCELLED
    monkeypatch.undo()
    assert len(list((settings.results / "sweeps" / "small").glob("results/**/Tiny*.json"))) == 3


def test_name_of_another_source_is_refused(settings, answered, tree):
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    add_source(settings, tree.folder, "small")
    status = answered().status
    assert status.state is RequestState.FAILED and "choose another" in status.message


def test_page_cannot_have_a_models_code_run(answered):
    status = answered(models=[{"name": "test/a", "trust_remote_code": True}]).status
    assert status.state is RequestState.FAILED and "command line" not in status.message
    assert "trust_remote_code" in status.message


def test_preview_is_answered_and_changes_nothing(settings, answered):
    request = answered(RequestKind.PREVIEW)
    seen = from_json(read_answer(settings, request.request_id), PreviewAnswer)
    assert (request.status.state, seen.runs, seen.existing) == (RequestState.DONE, 8, 0)
    assert not settings.results.exists() and read_sources(settings) == ()


@pytest.mark.parametrize("options", [{}, {"study": {}}, {"study": "x"}, {"study": {"name": "s", "models": ["a"]}}])
def test_request_without_a_study_is_refused(settings, options):
    request = ask(settings, RequestKind.SWEEP, options)
    answer_request(settings, request)
    assert request_named(settings, request.request_id).status.state is RequestState.FAILED
