"""What each kind of request does: `python -m engine.handlers REQUEST_ID` answers one and writes its status.

A request has a process of its own: what it loads leaves with it, and what it breaks leaves the worker alive.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.errors import Busy, EngineError
from engine.fetch import fetch, offer_named
from engine.inbox import Request, RequestKind, RequestState, Status, request_named
from engine.jobs import demonstrate
from engine.lock import engine_lock
from engine.pipeline import BuildReport, build
from engine.reporting import Cancelled, Outcome, Reporter
from engine.settings import Settings, from_environment
from engine.signals import Stopped, ended_by_signals

if TYPE_CHECKING:
    from engine.study.warm import WarmModels

_LOG = logging.getLogger(__name__)
LOCK_SECONDS = 2.0
"""How long a small request waits for another one that writes; after that it waits in the inbox."""


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
    shown = demonstrate(settings, quick=options.get("quick") == "yes", progress=report)
    ended = published(shown.built)
    return replace(ended, message=f"{ended.message}. {shown.note}") if shown.note else ended


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
