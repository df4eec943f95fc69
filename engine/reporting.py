"""How a request's answering is told: its status and answer as the work goes on, and that it was cancelled."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engine import inbox
from engine.inbox import Request, RequestState, Status, is_cancelled, write_status
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.study.warm import WarmModels

_BETWEEN_STATUSES = 0.5


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
