"""What was asked of the engine, and asking it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import fetch, heartbeat, inbox
from engine.inbox import Request, RequestKind
from ui.reads.snapshots import settings


def offer(what: str, *, full: bool) -> fetch.Offer:
    """What can be fetched under a name, with its size and time."""
    return fetch.offer_named(what, full=full)


def requests() -> tuple[Request, ...]:
    """What was asked of the engine, oldest first, and how far each is."""
    return inbox.read_requests(settings())


def ask(kind: str, options: Mapping[str, Any]) -> None:
    """Asks the engine for something; an equal open request is not made twice.

    Raises:
        UsageError: This dashboard is read-only.
    """
    inbox.ask(settings(), RequestKind(kind), options)


def why_nothing_can_be_asked() -> str:
    """Why buttons are off: read-only, or nobody is there to answer; empty = they are on."""
    if settings().readonly:
        return "This dashboard is read-only: run the command where the data lies."
    if not heartbeat.is_alive(settings()):
        return (
            "No engine process serves this data folder, so nothing can be asked of it. "
            "Start one with “python -m engine worker”, or all with “make run”."
        )
    return ""
