"""The background process: takes requests, does the work, publishes what came of it.

What it is doing stands in `requests/<id>.status.json`. Killed or stopped, it leaves the request
waiting; the next worker takes it up again, and sweeps go on where they were.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event
from types import FrameType

from engine.errors import Busy, EngineError
from engine.fetch import fetch, offer_named
from engine.inbox import Request, RequestKind, RequestState, Status, is_cancelled, read_requests, write_status
from engine.jobs import demonstrate
from engine.lock import engine_lock
from engine.pipeline import BuildReport, build
from engine.progress import Progress
from engine.settings import Settings

SMALL_FIRST = (RequestKind.BUILD, RequestKind.FETCH, RequestKind.DEMO)
_LOG = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds between two looks into the inbox."""
_BETWEEN_STATUSES = 0.5


class Stopped(BaseException):
    """The process was asked to end; not an error, so no handler of errors takes it."""


class Cancelled(BaseException):
    """The request was dropped by whoever made it."""


def work(settings: Settings, *, until_idle: bool = False) -> None:
    """Answer requests until a signal ends the process, or until none is left.

    Raises:
        Busy: Another worker serves this data folder.
    """
    with _ended_by_signals() as stop, engine_lock(settings, "worker"):
        _requeue(settings)
        while not stop.is_set():
            if not _answer_next(settings) and until_idle:
                return
            stop.wait(0 if until_idle else PAUSE)


def next_request(settings: Settings) -> Request | None:
    """The waiting request to answer first: small kinds before big ones, older before newer."""
    waiting = [each for each in read_requests(settings) if each.status.state is RequestState.WAITING]
    return min(waiting, key=lambda each: (SMALL_FIRST.index(each.kind), each.request_id), default=None)


@dataclass
class _Reporter:
    """Writes a request's status as the work goes on, and notices when it was cancelled."""

    settings: Settings
    request: Request
    status: Status = field(default_factory=lambda: Status(RequestState.RUNNING))
    written: float = 0.0

    def __call__(self, stage: str, done: int, total: int, seconds_left: float | None = None) -> None:
        if is_cancelled(self.settings, self.request.request_id):
            raise Cancelled
        self.status = replace(self.status, stage=stage, done=done, total=total, seconds_left=seconds_left)
        if time.monotonic() - self.written >= _BETWEEN_STATUSES:
            self.write(self.status)

    def write(self, status: Status) -> None:
        write_status(self.settings, self.request.request_id, status)
        self.written = time.monotonic()


@contextmanager
def _ended_by_signals() -> Iterator[Event]:
    """A block that SIGTERM or Ctrl-C ends at once, and without an error."""
    stop = Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()
        raise Stopped

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with suppress(Stopped):
            yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _requeue(settings: Settings) -> None:
    """What an earlier worker was doing when it ended waits again."""
    for request in read_requests(settings):
        if request.status.state is RequestState.RUNNING:
            write_status(settings, request.request_id, Status())


def _answer_next(settings: Settings) -> bool:
    """True where a request was answered."""
    request = next_request(settings)
    if request is None:
        return False
    report = _Reporter(settings, request)
    if is_cancelled(settings, request.request_id):
        report.write(Status(RequestState.CANCELLED))
        return True
    try:
        with engine_lock(settings):
            report.write(report.status)
            built = _HANDLERS[request.kind](settings, request.options, report)
    except Busy as busy:
        report.write(Status(RequestState.WAITING, message=str(busy)))
        return False
    except Cancelled:
        report.write(Status(RequestState.CANCELLED))
    except EngineError as error:
        report.write(Status(RequestState.FAILED, message=str(error)))
    except Stopped:
        report.write(Status())
        raise
    except Exception as error:
        # A fault in one request must not leave all others unanswered.
        _LOG.exception("request %s failed", request.request_id)
        report.write(Status(RequestState.FAILED, message=f"{type(error).__name__}: {error}. Please report this fault."))
    else:
        message = "published" if built.is_new else "nothing had changed"
        report.write(Status(RequestState.DONE, message=message, snapshot_id=built.snapshot_id))
    return True


def _answer_build(settings: Settings, options: Mapping[str, str], progress: Progress) -> BuildReport:
    return build(settings, progress)


def _answer_fetch(settings: Settings, options: Mapping[str, str], progress: Progress) -> BuildReport:
    offer = offer_named(options.get("what", ""), full=options.get("full") == "yes")
    fetch(settings, offer, options.get("origin", ""), progress)
    return build(settings, progress)


def _answer_demo(settings: Settings, options: Mapping[str, str], progress: Progress) -> BuildReport:
    return demonstrate(settings, quick=options.get("quick") == "yes", progress=progress)


_HANDLERS: dict[RequestKind, Callable[[Settings, Mapping[str, str], Progress], BuildReport]] = {
    RequestKind.BUILD: _answer_build,
    RequestKind.FETCH: _answer_fetch,
    RequestKind.DEMO: _answer_demo,
}
