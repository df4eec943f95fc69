"""The background process: takes requests one by one and sees that each is answered.

What it is doing stands in `requests/<id>.status.json`. Killed or stopped, it leaves the request
waiting; the next worker takes it up again, and sweeps go on where they were.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from engine import inbox
from engine.inbox import Request, RequestKind, RequestState, Status, request_named, write_status
from engine.lock import engine_lock
from engine.settings import PROJECT, Settings
from engine.signals import Stopped, ended_by_signals

SMALL_FIRST = (RequestKind.BUILD, RequestKind.FETCH, RequestKind.DEMO)
PAUSE = 1.0
"""Seconds between two looks into the inbox."""
_STOP_SECONDS = 8.0

Answer = Callable[[Settings, Request], None]


def answer_in_child(settings: Settings, request: Request) -> None:
    """Have a request answered by a process of its own, and say so where that process died."""
    command = [sys.executable, "-m", "engine.handlers", request.request_id]
    child = subprocess.Popen(command, cwd=PROJECT, env={**os.environ, "SCORELENS_DATA": str(settings.data)})
    try:
        code = child.wait()
    except Stopped:
        _stop(child)
        _requeue(settings)
        raise
    if code != 0 and request_named(settings, request.request_id).is_open:
        why = f"Its process ended with code {code}; expected 0. −9 means killed, often for lack of memory. Ask again."
        write_status(settings, request.request_id, Status(RequestState.FAILED, message=why))


def work(settings: Settings, *, until_idle: bool = False, answer: Answer = answer_in_child) -> None:
    """Answer requests until a signal ends the process, or until none is left.

    Args:
        settings: Whose data folder.
        until_idle: End when no request is left that can be answered.
        answer: Answers one request.

    Raises:
        Busy: Another worker serves this data folder.
    """
    with ended_by_signals(), engine_lock(settings, "worker"):
        _requeue(settings)
        while True:
            answered = _answer_next(settings, answer)
            if not answered and until_idle:
                return
            if not answered:
                time.sleep(PAUSE)


def next_request(settings: Settings) -> Request | None:
    """The waiting request to answer first: small kinds before big ones, older before newer."""
    waiting = [each for each in inbox.read_requests(settings) if each.status.state is RequestState.WAITING]
    return min(waiting, key=lambda each: (SMALL_FIRST.index(each.kind), each.request_id), default=None)


def _answer_next(settings: Settings, answer: Answer) -> bool:
    """True where a request was answered; False where there is none, or it must wait."""
    request = next_request(settings)
    if request is None:
        return False
    if inbox.is_cancelled(settings, request.request_id):
        write_status(settings, request.request_id, Status(RequestState.CANCELLED))
        return True
    answer(settings, request)
    return request_named(settings, request.request_id).status.state is not RequestState.WAITING


def _requeue(settings: Settings) -> None:
    """What was being done when its process ended waits again."""
    for request in inbox.read_requests(settings):
        if request.status.state is RequestState.RUNNING:
            write_status(settings, request.request_id, Status())


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
