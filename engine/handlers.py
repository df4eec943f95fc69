"""What each kind of request does: `python -m engine.handlers REQUEST_ID` answers one and writes its status.

A request has a process of its own: what it loads leaves with it, and what it breaks leaves the worker alive.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engine import inbox
from engine.errors import Busy, EngineError
from engine.fetch import fetch, offer_named
from engine.inbox import Request, RequestKind, RequestState, Status, is_cancelled, request_named, write_status
from engine.jobs import demonstrate
from engine.lock import engine_lock
from engine.pipeline import BuildReport, build
from engine.settings import Settings, from_environment
from engine.signals import Stopped, ended_by_signals

if TYPE_CHECKING:
    from engine.study.warm import WarmModels

_LOG = logging.getLogger(__name__)
_BETWEEN_STATUSES = 0.5
LOCK_SECONDS = 2.0
"""How long a small request waits for another one that writes; after that it waits in the inbox."""


class Cancelled(BaseException):
    """The request was dropped by whoever made it; not an error, so no handler of errors takes it."""


@dataclass(frozen=True)
class Outcome:
    """What came of a request."""

    message: str
    snapshot_id: str | None = None


@dataclass
class Reporter:
    """Writes a request's status and answer as the work goes on, and notices when it was cancelled."""

    settings: Settings
    request: Request
    models: WarmModels | None = None
    """loaded models, where the process keeps any"""
    status: Status = field(default_factory=lambda: Status(RequestState.RUNNING))
    written: float = 0.0
    shown: float = 0.0

    def __call__(self, stage: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Take in how far the work is."""
        if is_cancelled(self.settings, self.request.request_id):
            raise Cancelled
        self.status = replace(self.status, stage=stage, done=done, total=total, seconds_left=seconds_left)
        if time.monotonic() - self.written >= _BETWEEN_STATUSES:
            self.write(self.status)

    def show(self, answer: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Write the answer as it is so far, not too often."""
        if at_once or time.monotonic() - self.shown >= _BETWEEN_STATUSES:
            inbox.write_answer(self.settings, self.request.request_id, answer)
            self.shown = time.monotonic()

    def write(self, status: Status) -> None:
        """Write a status at once."""
        write_status(self.settings, self.request.request_id, status)
        self.written = time.monotonic()


def answer_request(settings: Settings, request: Request, models: WarmModels | None = None) -> None:
    """Do what a request asks; how it ended stands in its status."""
    report = Reporter(settings, request, models)
    try:
        report.write(report.status)
        outcome = _HANDLERS[request.kind](settings, request.options, report)
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
        report.write(Status(RequestState.DONE, message=outcome.message, snapshot_id=outcome.snapshot_id))


def published(built: BuildReport) -> Outcome:
    """The outcome of a build."""
    return Outcome("published" if built.is_new else "nothing had changed", built.snapshot_id)


def _answer_build(settings: Settings, options: Mapping[str, Any], report: Reporter) -> Outcome:
    with engine_lock(settings, wait=LOCK_SECONDS):
        return published(build(settings, report))


def _answer_fetch(settings: Settings, options: Mapping[str, Any], report: Reporter) -> Outcome:
    with engine_lock(settings, wait=LOCK_SECONDS):
        offer = offer_named(options.get("what", ""), full=options.get("full") == "yes")
        fetch(settings, offer, options.get("origin", ""), report)
        return published(build(settings, report))


def _answer_demo(settings: Settings, options: Mapping[str, Any], report: Reporter) -> Outcome:
    return published(demonstrate(settings, quick=options.get("quick") == "yes", progress=report))


def _answer_study(settings: Settings, options: Mapping[str, Any], report: Reporter) -> Outcome:
    # Loads what scores: the process of a build has no use for it.
    from engine.study.answering import answer

    return answer(settings, options, report)


_HANDLERS: dict[RequestKind, Callable[[Settings, Mapping[str, Any], Reporter], Outcome]] = {
    RequestKind.BUILD: _answer_build,
    RequestKind.FETCH: _answer_fetch,
    RequestKind.DEMO: _answer_demo,
    **dict.fromkeys(
        (RequestKind.SWEEP, RequestKind.PREVIEW, RequestKind.TRIPLETS, RequestKind.TOKENIZE), _answer_study
    ),
}


if __name__ == "__main__":
    with ended_by_signals():
        answer_request(from_environment(), request_named(from_environment(), sys.argv[1]))
