"""How a sweep from a terminal stands: a file in its folder, so that pages see what they did not ask for.

A sweep that a page asked for is told by its request. Here the file's age tells whether the sweep still runs: its
process touches it every second, as a worker does its heartbeat. It only tells: a disk that is full costs the
picture, not the sweep.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from engine.atomic import write_atomically
from engine.errors import Busy, EngineError
from engine.heartbeat import EVERY_SECONDS, is_fresh
from engine.inbox import RequestState
from engine.settings import Settings
from engine.study.board import Board
from engine.study.file import Study
from engine.study.shards import Shard

TOLD_EVERY_SECONDS = 0.5


class Standing(msgspec.Struct, frozen=True):
    """One sweep from a terminal, and how far it is."""

    study: dict[str, Any]
    """its fields, as a request has them"""
    begun_at: str
    """ISO 8601"""
    state: RequestState = RequestState.RUNNING
    message: str = ""
    """why it failed"""
    board: Board | None = None


class Teller:
    """Writes the standing of one sweep, at most twice a second."""

    def __init__(self, path: Path, study: Study) -> None:
        self._path = path
        self._standing = Standing(msgspec.to_builtins(study), datetime.now(UTC).isoformat(timespec="seconds"))
        self._told = -TOLD_EVERY_SECONDS
        self._is_over = threading.Event()

    def tell(self, board: Board) -> None:
        """Keep how the sweep stands now."""
        self._standing = msgspec.structs.replace(self._standing, board=board)
        if monotonic() - self._told >= TOLD_EVERY_SECONDS:
            self._write()

    def end(self, state: RequestState, message: str = "") -> None:
        """Keep how the sweep ended."""
        self._is_over.set()
        self._standing = msgspec.structs.replace(self._standing, state=state, message=message)
        self._write()

    def leave(self) -> None:
        """Say nothing more, and leave what the file says."""
        self._is_over.set()

    def live(self) -> None:
        """Touch the file every second until the end."""
        while not self._is_over.wait(EVERY_SECONDS):
            try:
                os.utime(self._path)
            except OSError:
                # There is none yet, or none can be written: the next one to be written has a new time anyway.
                continue

    def _write(self) -> None:
        try:
            write_atomically(self._path, msgspec.json.encode(self._standing))
        except OSError:
            # As the module says: the sweep itself finds out whether its results can be written.
            return
        self._told = monotonic()


@contextmanager
def told(folder: Path, study: Study, shard: Shard) -> Iterator[Teller]:
    """Tells how a sweep stands for as long as the block lasts, and how it ended.

    Args:
        folder: The sweep's folder.
        study: What is run.
        shard: The part of it that runs here; each part has a file of its own, so that they can be copied together.
    """
    part = f"-{shard.number}of{shard.of}" if shard.of > 1 else ""
    teller = Teller(folder / f"board{part}.json", study)
    threading.Thread(target=teller.live, daemon=True).start()
    try:
        yield teller
    except Busy:
        # Nothing was begun; and the file may be that of the sweep that goes on.
        teller.leave()
        raise
    except EngineError as error:
        teller.end(RequestState.FAILED, str(error))
        raise
    except BaseException:
        teller.end(RequestState.CANCELLED)
        raise
    teller.end(RequestState.DONE)


def board_files(settings: Settings) -> list[Path]:
    """The files of all sweeps that were run from a terminal."""
    return sorted((settings.results / "sweeps").glob("*/board*.json"))


def read_standing(path: Path) -> Standing | None:
    """How the sweep of a file stands; one whose process is gone was stopped. None where the file says nothing.

    A file of an earlier version, or half a copy, says nothing.
    """
    try:
        standing = msgspec.json.decode(path.read_bytes(), type=Standing)
    except (OSError, msgspec.DecodeError):
        return None
    if standing.state is RequestState.RUNNING and not is_fresh(path):
        return msgspec.structs.replace(standing, state=RequestState.CANCELLED)
    return standing
