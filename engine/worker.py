"""The background process: takes requests and sees that each is answered.

Small requests are answered at once, one that changes the store at a time; sweeps run beside them, one a device.
What is being done stands in `requests/<id>.status.json`. Killed or stopped, the worker leaves requests waiting;
the next one takes them up again, and sweeps go on where they were.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine import heartbeat, inbox
from engine.inbox import AFTER, OPEN_STATES, Request, RequestKind, RequestState, Status, write_status
from engine.lock import engine_lock
from engine.settings import Settings
from engine.signals import ended_by_signals
from engine.workforce import Job, Workforce, is_resident

PAUSE = 0.2
"""Seconds between two looks into the inbox."""
RETRY_SECONDS = 2.0
"""How long a request waits that found its lock held by somebody else."""
SWEEP_RETRY_SECONDS = 30.0
"""The same for a sweep: looking again costs it seconds, and who holds a device holds it for long."""
REST_SHARE = 1.0
"""A build that follows a small question starts no sooner than so many times the last one's duration after it: somebody
waits for it, and yet half of the time goes to other work."""
CANCEL_SECONDS = 10.0
"""How long a cancelled request may go on: it ends by itself at its next step, and publishes what was done."""


Launch = Callable[[Settings, Request], Job]


def work(settings: Settings, *, until_idle: bool = False, launch: Launch | None = None) -> None:
    """Answer requests until a signal ends the process, or until none is left.

    Args:
        settings: Whose data folder.
        until_idle: End when no request is left that can be answered.
        launch: Begins to answer a request; by a process of its own, or the one that keeps models loaded, unless given.

    Raises:
        Busy: Another worker serves this data folder; the message names its process and host.
    """
    with ended_by_signals(), engine_lock(settings, "worker"), Workforce(settings) as workforce:
        worker = Worker(settings, launch or workforce.launch, workforce.devices_of)
        try:
            worker.requeue()
            while worker.step() or not until_idle:
                time.sleep(PAUSE)
        finally:
            worker.stop()
            worker.requeue()
            heartbeat.end(settings)


class Worker:
    """What is being answered, and what waits for what."""

    def __init__(self, settings: Settings, launch: Launch, devices_of: Callable[[Request], frozenset[str]]) -> None:
        self._settings = settings
        self._launch = launch
        self._devices_of = devices_of
        self._jobs: dict[str, tuple[Job, frozenset[str]]] = {}
        self._closed: set[str] = set()
        self._not_before: dict[str, float] = {}
        self._cancelled_at: dict[str, float] = {}
        self._beaten = 0.0
        self._build_began = 0.0
        self._builds_again = 0.0

    def step(self) -> bool:
        """Look once at all requests; False where nothing is under way and nothing can be begun."""
        if time.monotonic() - self._beaten >= heartbeat.EVERY_SECONDS:
            heartbeat.beat(self._settings)
            self._beaten = time.monotonic()
        requests = inbox.read_requests(self._settings, self._closed)
        self._closed |= {each.request_id for each in requests if not each.is_open and each.request_id not in self._jobs}
        for request in requests:
            self._look_after(request)
        self._drop_all_but({request.request_id for request in requests})
        began = [request for request in requests if self._begin(request)]
        return bool(began or self._jobs or any(self._is_held_back(request) for request in requests))

    def requeue(self) -> None:
        """What was being done when its process ended waits again."""
        for request in inbox.read_requests(self._settings, self._closed):
            if request.status.state is RequestState.RUNNING:
                write_status(self._settings, request.request_id, Status())

    def stop(self) -> None:
        """End all jobs; their requests wait for the next worker."""
        for job, _ in self._jobs.values():
            job.stop()
        while any(job.poll() is None for job, _ in self._jobs.values()):
            time.sleep(PAUSE / 4)

    def _look_after(self, request: Request) -> None:
        """Take notice of a job that is over, or that nobody wants any more."""
        if request.request_id not in self._jobs:
            return
        job, _ = self._jobs[request.request_id]
        code = job.poll()
        if code is not None:
            del self._jobs[request.request_id]
            if request.kind is RequestKind.BUILD:
                now = time.monotonic()
                self._builds_again = now + REST_SHARE * (now - self._build_began)
            self._settle(request, code)
        elif inbox.is_cancelled(self._settings, request.request_id):
            since = self._cancelled_at.setdefault(request.request_id, time.monotonic())
            if time.monotonic() - since >= CANCEL_SECONDS:
                job.stop()

    def _drop_all_but(self, asked: set[str]) -> None:
        """End jobs whose request somebody has removed: nobody waits for them, and they hold what others need."""
        for name in self._jobs.keys() - asked:
            job, _ = self._jobs[name]
            if job.poll() is None:
                job.stop()
            else:
                del self._jobs[name]

    def _settle(self, request: Request, code: int) -> None:
        """See that a request whose job is over says how it ended."""
        request_id = request.request_id
        if inbox.status_of(self._settings, request_id).state not in OPEN_STATES:
            return
        if inbox.is_cancelled(self._settings, request_id):
            write_status(self._settings, request_id, Status(RequestState.CANCELLED))
        elif code != 0:
            why = (
                f"Its process ended with code {code}; expected 0. −9 means killed, often for lack of memory. Ask again."
            )
            write_status(self._settings, request_id, Status(RequestState.FAILED, message=why))
        else:
            seconds = SWEEP_RETRY_SECONDS if request.kind is RequestKind.SWEEP else RETRY_SECONDS
            self._not_before[request_id] = time.monotonic() + seconds

    def _begin(self, request: Request) -> bool:
        """True where a request was begun or dropped; False where there is nothing to begin, or it must wait."""
        name = request.request_id
        if request.status.state is not RequestState.WAITING or name in self._jobs:
            return False
        if inbox.is_cancelled(self._settings, name):
            write_status(self._settings, name, Status(RequestState.CANCELLED))
            return True
        if time.monotonic() < self._not_before.get(name, 0.0) or self._is_held_back(request):
            return False
        lanes = self._lanes(request)
        if any(lanes & taken for _, taken in self._jobs.values()):
            return False
        self._jobs[name] = self._launch(self._settings, request), lanes
        if request.kind is RequestKind.BUILD:
            self._build_began = time.monotonic()
        return True

    def _is_held_back(self, request: Request) -> bool:
        """It is a build that nobody but the engine asked for, and the last one is too short a time ago."""
        waits = request.kind is RequestKind.BUILD and request.status.state is RequestState.WAITING
        return waits and AFTER in request.options and time.monotonic() < self._builds_again

    def _lanes(self, request: Request) -> frozenset[str]:
        """What a request needs for itself: the store, the process with loaded models, or devices."""
        if is_resident(request.kind):
            return frozenset({"resident"})
        if request.kind in (RequestKind.BUILD, RequestKind.FETCH):
            return frozenset({"store"})
        return self._devices_of(request)
