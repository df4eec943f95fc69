"""Processes of the worker: what a request needs for itself, and what becomes of one whose process dies."""

import contextlib
import subprocess
import sys

import pytest

from engine.inbox import RequestKind, RequestState, Status, ask, write_status
from engine.workforce import ChildJob, ResidentJob, Workforce


@pytest.fixture
def child():
    """A process that waits until its input ends, or for good where it is told to ignore that."""
    children = []

    def start(code: str) -> subprocess.Popen:
        children.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return children[-1]

    yield start
    for each in children:
        each.kill()
        each.wait()
        each.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            each.stdin.close()


def wait_for(job) -> int:
    while job.poll() is None:
        pass
    return job.poll()


@pytest.mark.parametrize(
    ("kind", "options", "n_gpus", "devices"),
    [
        (RequestKind.DEMO, {}, 2, {"cpu"}),
        (RequestKind.SWEEP, {"study": {"device": "auto"}}, 0, {"cpu"}),
        (RequestKind.SWEEP, {"study": {}}, 2, {"cuda:0"}),
        (RequestKind.SWEEP, {"study": {"device": "cpu"}}, 2, {"cpu"}),
        (RequestKind.SWEEP, {"study": {"device": "cuda:1"}}, 2, {"cuda:1"}),
        (RequestKind.SWEEP, {"study": {"device": "all"}}, 2, {"cuda:0", "cuda:1"}),
    ],
)
def test_devices_of_a_request(settings, monkeypatch, kind, options, n_gpus, devices):
    monkeypatch.setattr(Workforce, "_gpus", lambda _: n_gpus)
    with Workforce(settings) as workforce:
        assert workforce.devices_of(ask(settings, kind, options)) == devices


def test_job_that_does_not_end_when_asked_is_ended(child, monkeypatch):
    monkeypatch.setattr("engine.workforce._STOP_SECONDS", 0.1)
    stubborn = child("import signal; signal.signal(15, signal.SIG_IGN); print('up', flush=True); input()")
    stubborn.stdout.readline()
    job = ChildJob(stubborn)
    assert job.poll() is None
    job.stop()
    assert wait_for(job) == -9


def test_resident_job_is_over_when_the_request_is_answered(settings, child):
    request = ask(settings, RequestKind.PREVIEW, {"study": {}})
    listener = child("print(input(), flush=True); input()")
    job = ResidentJob(settings, request.request_id, listener)
    assert listener.stdout.readline().decode().strip() == request.request_id
    assert job.poll() is None
    write_status(settings, request.request_id, Status(RequestState.DONE))
    assert job.poll() == 0


def test_resident_that_died_is_noticed(settings, child):
    request = ask(settings, RequestKind.PREVIEW, {"study": {}})
    dead = child("raise SystemExit(3)")
    dead.wait()
    assert wait_for(ResidentJob(settings, request.request_id, dead)) == 3


def test_resident_job_that_goes_on_after_it_was_cancelled_is_ended(settings, child, monkeypatch):
    monkeypatch.setattr("engine.workforce._RESIDENT_STOP_SECONDS", 0.1)
    job = ResidentJob(settings, ask(settings, RequestKind.PREVIEW, {}).request_id, child("input(); input()"))
    job.stop()
    assert wait_for(job) == -9
