"""What each kind of request does: `python -m engine.handlers REQUEST_ID` answers one and writes its status.

A request has a process of its own: what it loads leaves with it, and what it breaks leaves the worker alive.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from engine.errors import Busy, EngineError
from engine.fetch import fetch, offer_named
from engine.inbox import Request, RequestKind, RequestState, Status, is_cancelled, request_named, write_status
from engine.jobs import demonstrate
from engine.lock import engine_lock
from engine.pipeline import BuildReport, build
from engine.progress import Progress
from engine.settings import Settings, from_environment
from engine.signals import Stopped, ended_by_signals

_LOG = logging.getLogger(__name__)
_BETWEEN_STATUSES = 0.5


class Cancelled(BaseException):
    """The request was dropped by whoever made it; not an error, so no handler of errors takes it."""


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


def answer_request(settings: Settings, request: Request) -> None:
    """Do what a request asks; how it ended stands in its status."""
    report = _Reporter(settings, request)
    try:
        with engine_lock(settings):
            report.write(report.status)
            built = _HANDLERS[request.kind](settings, request.options, report)
    except Busy as busy:
        report.write(Status(RequestState.WAITING, message=str(busy)))
    except Cancelled:
        report.write(Status(RequestState.CANCELLED))
    except EngineError as error:
        report.write(Status(RequestState.FAILED, message=str(error)))
    except Stopped:
        report.write(Status())
        raise
    except Exception as error:
        _LOG.exception("request %s failed", request.request_id)
        report.write(Status(RequestState.FAILED, message=f"{type(error).__name__}: {error}. Please report this fault."))
    else:
        message = "published" if built.is_new else "nothing had changed"
        report.write(Status(RequestState.DONE, message=message, snapshot_id=built.snapshot_id))


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


if __name__ == "__main__":
    with ended_by_signals():
        answer_request(from_environment(), request_named(from_environment(), sys.argv[1]))
