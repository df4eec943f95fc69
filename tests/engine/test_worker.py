"""The background process: what it takes first, what it says, and that it loses nothing when it ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

from engine import handlers, heartbeat, reporting
from engine.content import row_counts
from engine.errors import Busy, NetworkUnavailable
from engine.handlers import answer_request
from engine.inbox import (
    AFTER,
    RequestKind,
    RequestState,
    Status,
    ask,
    cancel,
    read_requests,
    request_named,
    write_status,
)
from engine.lock import engine_lock
from engine.settings import PROJECT
from engine.sources import add_source
from engine.store import open_snapshot
from engine.study.publishing import ask_to_publish
from engine.worker import REST_SHARE, Worker, work
from engine.workforce import Workforce

TEST = ("test", "default")


def state_of(settings, request) -> RequestState:
    return request_named(settings, request.request_id).status.state


class Over:
    """A job that was done when it was begun."""

    def poll(self) -> int:
        return 0

    def stop(self) -> None:
        """Nothing is left to stop."""


def at_once(settings, request) -> Over:
    """Answers a request in this process."""
    answer_request(settings, request)
    return Over()


class Running(Over):
    """A job that goes on until it is ended."""

    code: int | None = None

    def poll(self) -> int | None:
        return self.code

    def stop(self) -> None:
        self.code = 0


@pytest.fixture
def source(settings, tree, without_mteb):
    tree.run("a/one", "Tweets", {TEST: 0.5})
    add_source(settings, tree.folder, "made-up")
    return settings


@pytest.fixture
def handled(monkeypatch):
    """Replaces what a kind of request does."""

    def replace_handler(kind, answer):
        monkeypatch.setitem(handlers._HANDLERS, kind, answer)

    return replace_handler


def test_build_request_publishes_and_names_the_snapshot(source):
    request = ask(source, RequestKind.BUILD)
    work(source, until_idle=True, launch=at_once)
    status = request_named(source, request.request_id).status
    snapshot = open_snapshot(source)
    assert (status.state, status.snapshot_id) == (RequestState.DONE, snapshot.snapshot_id)
    assert row_counts(snapshot)["runs"] == 1


def begun_by(settings, *asked) -> list[str]:
    """Which of these requests run beside each other."""
    names = {request.request_id: name for name, request in asked}
    begun = []

    def launch(settings, request):
        begun.append(names[request.request_id])
        return Running()

    with Workforce(settings) as workforce:
        worker = Worker(settings, launch, workforce.devices_of)
        worker.step()
        worker.step()
    return begun


def test_builds_after_small_requests_are_one_at_a_time_and_spaced_out(settings, monkeypatch):
    first = ask(settings, RequestKind.BUILD, {AFTER: "a"})
    begun = []

    def launch(settings, request):
        begun.append(request.request_id)
        write_status(settings, request.request_id, Status(RequestState.DONE))
        return Over()

    worker = Worker(settings, launch, lambda _: frozenset())
    now = [100.0]
    monkeypatch.setattr("engine.worker.time.monotonic", lambda: now[0])
    worker.step()
    now[0] += 3
    worker.step()
    second = ask(settings, RequestKind.BUILD, {AFTER: "b"})
    assert worker.step() and begun == [first.request_id], "it waits, and the worker with it"
    now[0] += 3 * REST_SHARE - 1
    assert worker.step() and begun == [first.request_id]
    now[0] += 1
    worker.step()
    assert begun == [first.request_id, second.request_id]


def test_build_that_somebody_asked_for_is_not_held_back(settings, monkeypatch):
    worker = Worker(settings, lambda *_: Over(), lambda _: frozenset())
    monkeypatch.setattr(worker, "_builds_again", float("inf"))
    follows, asked_for = (ask(settings, RequestKind.BUILD, options) for options in ({AFTER: "a"}, {}))
    worker.step()
    assert list(worker._jobs) == [asked_for.request_id] and state_of(settings, follows) is RequestState.WAITING


def test_answers_of_several_small_requests_ask_for_one_build(settings):
    ask_to_publish(settings, "a")
    ask_to_publish(settings, "b")
    (waiting,) = read_requests(settings)
    write_status(settings, waiting.request_id, Status(RequestState.RUNNING))
    ask_to_publish(settings, "c")
    assert [dict(each.options) for each in read_requests(settings)] == [{AFTER: "a"}, {AFTER: "c"}]


def study_on(device):
    return {"study": {"name": "s", "models": ["m"], "tasks": ["t"], "device": device}}


def test_small_requests_and_a_sweep_run_beside_each_other(settings):
    asked = [
        ("sweep", ask(settings, RequestKind.SWEEP, study_on("cpu"))),
        ("demo", ask(settings, RequestKind.DEMO)),
        ("fetch", ask(settings, RequestKind.FETCH, {"what": "prompt-study"})),
        ("build", ask(settings, RequestKind.BUILD)),
        ("triplets", ask(settings, RequestKind.TRIPLETS, {"set": "s"})),
        ("preview", ask(settings, RequestKind.PREVIEW, study_on("cpu"))),
    ]
    assert begun_by(settings, *asked) == ["sweep", "fetch", "triplets"]


def test_sweeps_on_several_devices_run_beside_each_other(settings, monkeypatch):
    monkeypatch.setattr(Workforce, "_gpus", lambda _: 2)
    asked = [
        (device, ask(settings, RequestKind.SWEEP, study_on(device))) for device in ("cpu", "auto", "cuda:1", "all")
    ]
    assert begun_by(settings, *asked) == ["cpu", "auto", "cuda:1"]


def test_cancelled_request_that_goes_on_is_ended_and_says_so(settings, monkeypatch):
    monkeypatch.setattr("engine.worker.CANCEL_SECONDS", 0.0)
    request, job = ask(settings, RequestKind.SWEEP, study_on("cpu")), Running()
    with Workforce(settings) as workforce:
        worker = Worker(settings, lambda *_: job, workforce.devices_of)
        worker.step()
        cancel(settings, request.request_id)
        worker.step()
        worker.step()
    assert (job.code, state_of(settings, request)) == (0, RequestState.CANCELLED)


def test_job_whose_request_was_removed_is_ended_and_leaves_its_device_to_the_next(settings):
    first, jobs = ask(settings, RequestKind.SWEEP, study_on("cpu")), []

    def launch(settings, request):
        jobs.append(Running())
        return jobs[-1]

    with Workforce(settings) as workforce:
        worker = Worker(settings, launch, workforce.devices_of)
        worker.step()
        (settings.requests / f"{first.request_id}.json").unlink()
        ask(settings, RequestKind.SWEEP, {**study_on("cpu"), "again": 1})
        for _ in range(3):
            worker.step()
    assert [job.code for job in jobs] == [0, None]


def test_failed_request_says_why_and_the_next_one_is_answered(source, handled):
    def no_network(settings, options, progress):
        raise NetworkUnavailable("no network; copy it here")

    handled(RequestKind.FETCH, no_network)
    fetch, demo = ask(source, RequestKind.FETCH, {"what": "prompt-study"}), ask(source, RequestKind.DEMO)
    handled(RequestKind.DEMO, handlers._HANDLERS[RequestKind.BUILD])
    work(source, until_idle=True, launch=at_once)
    status = request_named(source, fetch.request_id).status
    assert (status.state, status.message) == (RequestState.FAILED, "no network; copy it here")
    assert state_of(source, demo) is RequestState.DONE


def test_fault_in_a_request_is_shown_and_logged(source, handled, caplog):
    def fault(settings, options, progress):
        raise ZeroDivisionError("by zero")

    handled(RequestKind.DEMO, fault)
    request = ask(source, RequestKind.DEMO)
    work(source, until_idle=True, launch=at_once)
    assert "ZeroDivisionError" in request_named(source, request.request_id).status.message
    assert "ZeroDivisionError" in caplog.text


def test_progress_is_written_beside_the_request(source, handled):
    seen = []

    def slow(settings, options, progress):
        progress("encoding", 3, 10, 42.0)
        seen.append(read_requests(settings)[0].status)
        return handlers._answer_build(settings, options, progress)

    handled(RequestKind.DEMO, slow)
    reporting._BETWEEN_STATUSES, before = 0.0, reporting._BETWEEN_STATUSES
    try:
        ask(source, RequestKind.DEMO)
        work(source, until_idle=True, launch=at_once)
    finally:
        reporting._BETWEEN_STATUSES = before
    (status,) = seen
    assert (status.state, status.stage, status.done, status.total, status.seconds_left) == (
        RequestState.RUNNING,
        "encoding",
        3,
        10,
        42.0,
    )


def test_request_cancelled_while_it_runs_stops_at_its_next_step(source, handled):
    steps = []

    def long(settings, options, progress):
        for step in range(100):
            if step == 3:
                cancel(settings, read_requests(settings)[0].request_id)
            progress("working", step, 100)
            steps.append(step)

    handled(RequestKind.DEMO, long)
    request = ask(source, RequestKind.DEMO)
    work(source, until_idle=True, launch=at_once)
    assert (state_of(source, request), steps) == (RequestState.CANCELLED, [0, 1, 2])


def test_request_cancelled_before_it_began_is_not_begun(source, handled):
    handled(RequestKind.DEMO, lambda *_: pytest.fail("was begun"))
    request = ask(source, RequestKind.DEMO)
    cancel(source, request.request_id)
    work(source, until_idle=True, launch=at_once)
    assert state_of(source, request) is RequestState.CANCELLED


def test_request_of_a_killed_worker_is_taken_up_again(source):
    request = ask(source, RequestKind.BUILD)
    write_status(source, request.request_id, Status(RequestState.RUNNING, "reading", 1, 2))
    work(source, until_idle=True, launch=at_once)
    assert state_of(source, request) is RequestState.DONE


HOLD = (
    "import sys; from pathlib import Path; from engine.lock import engine_lock; from engine.settings import Settings\n"
)
HOLD += "with engine_lock(Settings(Path(sys.argv[1])), sys.argv[2]): print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def holder(settings):
    """Another process that holds one of the locks."""
    children = []

    def hold(name: str) -> None:
        command = [sys.executable, "-c", HOLD, str(settings.data), name]
        children.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=PROJECT))
        children[-1].stdout.readline()

    yield hold
    for child in children:
        child.communicate()


def test_second_worker_is_refused(settings, holder):
    holder("worker")
    with pytest.raises(Busy, match="worker"):
        work(settings, until_idle=True)


def test_request_waits_while_another_process_writes(source, holder):
    holder("engine")
    request = ask(source, RequestKind.BUILD)
    work(source, until_idle=True, launch=at_once)
    status = request_named(source, request.request_id).status
    assert status.state is RequestState.WAITING and "Another engine process" in status.message


def test_terminated_worker_ends_cleanly_and_leaves_the_request_waiting(source, handled):
    def stopped(settings, options, progress):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)

    handled(RequestKind.DEMO, stopped)
    request = ask(source, RequestKind.DEMO)
    work(source, launch=at_once)
    assert state_of(source, request) is RequestState.WAITING
    assert not heartbeat.is_alive(source)
    with engine_lock(source):
        pass


def test_request_is_answered_in_a_process_of_its_own(source):
    request = ask(source, RequestKind.FETCH, {"what": "nothing"})
    work(source, until_idle=True)
    status = request_named(source, request.request_id).status
    assert status.state is RequestState.FAILED and "prompt-study" in status.message


def test_request_whose_process_dies_is_shown_as_failed(source):
    request, job = ask(source, RequestKind.BUILD), Running()
    job.code = -9
    work(source, until_idle=True, launch=lambda *_: job)
    status = request_named(source, request.request_id).status
    assert status.state is RequestState.FAILED and "code -9" in status.message


def test_worker_process_beats_and_ends_on_sigterm_with_zero(settings):
    env = {**os.environ, "SCORELENS_DATA": str(settings.data)}
    child = subprocess.Popen([sys.executable, "-m", "engine", "worker"], env=env, cwd=PROJECT)
    deadline = time.monotonic() + 60
    while not heartbeat.is_alive(settings) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    assert child.wait(30) == 0
    assert not heartbeat.is_alive(settings)
