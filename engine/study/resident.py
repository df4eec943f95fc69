"""The process that keeps models loaded: answers one small request after the other, named line by line on its input.

It ends by itself when nothing was asked for some minutes, or when its memory has grown large; the worker starts
another one with the next request.
"""

from __future__ import annotations

import logging
import os
import resource
import sys
from queue import Empty, SimpleQueue

from engine.handlers import answer_request
from engine.inbox import RequestState, Status, request_named, write_status
from engine.leash import listen
from engine.settings import Settings, from_environment
from engine.signals import ended_by_signals
from engine.study.warm import WarmModels

IDLE_SECONDS = 600.0
"""How long models stay loaded when nobody asks."""
MEMORY_SHARE = 0.5
"""Part of this machine's memory that the process may have taken at its peak; beyond that it ends."""

_LOG = logging.getLogger(__name__)


def answer_all(settings: Settings, names: SimpleQueue[str], *, idle_seconds: float = IDLE_SECONDS) -> None:
    """Answer the requests of these names until none has come for a while, or memory has grown large."""
    with WarmModels(settings) as models:
        while True:
            try:
                name = names.get(timeout=idle_seconds)
            except Empty:
                return
            answer_request(settings, request_named(settings, name), models)
            if request_named(settings, name).status.state is RequestState.WAITING:
                why = "Another engine process went on writing for minutes; expected an end. Ask again when it is done."
                write_status(settings, name, Status(RequestState.FAILED, message=why))
            if peak_bytes() > MEMORY_SHARE * memory_bytes():
                _LOG.warning("ends with %.1f GB in memory; the next request starts afresh", peak_bytes() / 1e9)
                return


def peak_bytes() -> int:
    """The most memory that this process has taken."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def memory_bytes() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


if __name__ == "__main__":
    waiting: SimpleQueue[str] = SimpleQueue()
    listen(waiting.put)
    with ended_by_signals():
        answer_all(from_environment(), waiting)
