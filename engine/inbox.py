"""Requests to the engine: the only thing the dashboard may write.

A request is one file, `requests/<id>.json`; how far it is stands beside it in `<id>.status.json`,
which the worker writes. What a request found out, or how a sweep stands cell by cell, is its answer in
`<id>.answer.json`: a preview's is `engine.study.board.PreviewAnswer`, a sweep's `engine.study.board.Board`,
rewritten at most twice a second while it runs. All are whole or absent at any moment. A page that goes
away loses nothing.

Options by kind: a sweep and a preview take `{"study": {…}}`, the fields of `engine.study.file.Study`; triplets
take `{"set", "models", "items", "roles"}`. A build that the engine asks for itself has `{"after"}`, the request
whose results it takes up; the worker spaces such builds out.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from engine.atomic import write_atomically
from engine.errors import UsageError
from engine.settings import Settings


class RequestKind(StrEnum):
    """What can be asked of the engine."""

    BUILD = "build"
    FETCH = "fetch"
    DEMO = "demo"
    SWEEP = "sweep"
    PREVIEW = "preview"
    TRIPLETS = "triplets"
    TOKENIZE = "tokenize"


class RequestState(StrEnum):
    """How far a request is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


_INSTEAD = {
    **{
        kind: f"Run `python -m engine {kind.value}` where the data lies."
        for kind in (RequestKind.BUILD, RequestKind.FETCH, RequestKind.DEMO, RequestKind.SWEEP)
    },
    RequestKind.PREVIEW: "Run `python -m engine sweep --dry-run` where the data lies.",
}
AFTER = "after"
"""Option of a build: the request whose results it shall put before readers."""
_BESIDE = (".status.json", ".answer.json")
OPEN_STATES = (RequestState.WAITING, RequestState.RUNNING)


@dataclass(frozen=True)
class Status:
    """How far a request is, in words and numbers."""

    state: RequestState = RequestState.WAITING
    stage: str = ""
    """what is being done now"""
    done: int = 0
    total: int = 0
    """steps of this stage; 0 = not known"""
    seconds_left: float | None = None
    message: str = ""
    """why it failed, or what came of it"""
    snapshot_id: str | None = None
    """snapshot that holds the outcome"""
    changed_at: str = ""
    """time of this status, ISO 8601"""


@dataclass(frozen=True)
class Request:
    """Something asked of the engine, and how far it is."""

    request_id: str
    kind: RequestKind
    options: Mapping[str, Any]
    """JSON values by name"""
    asked_at: str
    status: Status

    @property
    def is_open(self) -> bool:
        """It waits or is being worked on."""
        return self.status.state in OPEN_STATES


def ask(settings: Settings, kind: RequestKind, options: Mapping[str, Any] | None = None) -> Request:
    """The request that was made; the same one where an equal one is still open.

    Raises:
        UsageError: This dashboard is read-only.
    """
    if settings.readonly:
        raise UsageError(
            f"This dashboard is read-only (SCORELENS_READONLY=1); asked for {kind.value}. "
            f"{_INSTEAD.get(kind, 'Ask where the data lies.')}"
        )
    wanted = json.loads(json.dumps(options or {}))
    for request in read_requests(settings):
        if request.is_open and (request.kind, dict(request.options)) == (kind, wanted):
            return request
    now = datetime.now(UTC)
    request = Request(f"{now:%Y%m%dT%H%M%S%f}-{secrets.token_hex(2)}", kind, wanted, _iso(now), Status())
    entry = {"kind": kind.value, "options": wanted, "asked_at": request.asked_at}
    write_atomically(_request_path(settings, request.request_id), json.dumps(entry, indent=2) + "\n")
    return request


def retry(settings: Settings, request_id: str) -> Request:
    """The request for the same once more: a sweep tries what failed and what is missing, and nothing else.

    Raises:
        UsageError: There is no such request, or the dashboard is read-only.
    """
    before = request_named(settings, request_id)
    return ask(settings, before.kind, before.options)


def cancel(settings: Settings, request_id: str) -> None:
    """Ask for a request to be dropped; the worker stops it at its next step.

    Raises:
        UsageError: There is no such request, or the dashboard is read-only.
    """
    request = request_named(settings, request_id)
    if settings.readonly:
        raise UsageError("This dashboard is read-only (SCORELENS_READONLY=1); requests cannot be cancelled here.")
    if request.is_open:
        _cancel_path(settings, request_id).touch()


def is_cancelled(settings: Settings, request_id: str) -> bool:
    """Somebody asked for the request to be dropped."""
    return _cancel_path(settings, request_id).exists()


def read_requests(settings: Settings, leave_out: Collection[str] = ()) -> tuple[Request, ...]:
    """All requests but those left out by id, oldest first."""
    files = sorted(settings.requests.glob("*.json"))
    return tuple(
        _read_request(settings, path)
        for path in files
        if not path.name.endswith(_BESIDE) and path.stem not in leave_out
    )


def request_named(settings: Settings, request_id: str) -> Request:
    """The request of that id.

    Raises:
        UsageError: There is none.
    """
    path = _request_path(settings, request_id)
    if "/" in request_id or not path.exists():
        known = [request.request_id for request in read_requests(settings)]
        raise UsageError(f"No request {request_id!r}; there are: {', '.join(known) or 'none'}.")
    return _read_request(settings, path)


def write_status(settings: Settings, request_id: str, status: Status) -> None:
    """Say how far a request is: for the worker alone."""
    entry = {**asdict(status), "state": status.state.value, "changed_at": _iso(datetime.now(UTC))}
    write_atomically(_status_path(settings, request_id), json.dumps(entry, indent=2) + "\n")


def write_answer(settings: Settings, request_id: str, answer: Mapping[str, Any]) -> None:
    """Keep what a request found out: for the worker alone."""
    write_atomically(_answer_path(settings, request_id), json.dumps(answer, ensure_ascii=False) + "\n")


def read_answer(settings: Settings, request_id: str) -> dict[str, Any] | None:
    """What a request found out so far; None where there is nothing yet, or nothing that can be read."""
    try:
        answer = json.loads(_answer_path(settings, request_id).read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def _read_request(settings: Settings, path: Path) -> Request:
    request_id = path.stem
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        kind, options = RequestKind(entry["kind"]), dict(entry["options"])
        asked_at = str(entry["asked_at"])
    except (OSError, RecursionError, ValueError, KeyError, TypeError) as error:
        # Somebody else's file: it is shown as failed, so that it neither blocks the others nor vanishes.
        reason = f"{path.name} holds {error!r}; expected kind, options and asked_at. Remove the file and ask again."
        return Request(request_id, RequestKind.BUILD, {}, "", Status(RequestState.FAILED, message=reason))
    return Request(request_id, kind, options, asked_at, status_of(settings, request_id))


def status_of(settings: Settings, request_id: str) -> Status:
    """How far a request is, even where somebody has removed the request itself."""
    try:
        return msgspec.json.decode(_status_path(settings, request_id).read_bytes(), type=Status)
    except FileNotFoundError:
        return Status(RequestState.CANCELLED) if is_cancelled(settings, request_id) else Status()
    except (OSError, msgspec.DecodeError):
        # The worker writes it whole; whatever this is, the work is simply done again.
        return Status()


def _request_path(settings: Settings, request_id: str) -> Path:
    return settings.requests / f"{request_id}.json"


def _status_path(settings: Settings, request_id: str) -> Path:
    return settings.requests / f"{request_id}.status.json"


def _answer_path(settings: Settings, request_id: str) -> Path:
    return settings.requests / f"{request_id}.answer.json"


def _cancel_path(settings: Settings, request_id: str) -> Path:
    return settings.requests / f"{request_id}.cancel"


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
