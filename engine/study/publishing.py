"""Puts a sweep's results before readers: registers its folder as a source and builds, now and then while it runs.

A build in the course of a sweep is a process of its own, so that encoding goes on. A machine without DuckDB builds
nothing: its results are files, and another machine reads them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from engine.errors import UsageError
from engine.inbox import AFTER, RequestKind, RequestState, ask, read_requests
from engine.leash import start_leashed, stop
from engine.lock import engine_lock
from engine.progress import Progress, silent
from engine.settings import Settings, from_environment

if TYPE_CHECKING:
    from engine.pipeline import BuildReport

EVERY_SECONDS = 20.0
"""Shortest time between two builds while a sweep runs."""
BUILDS_SHARE = 5.0
"""A build is followed by so many times its own duration without one: looking through a large store takes minutes."""
LOCK_SECONDS = 600.0
"""How long a sweep waits for somebody else's build before it gives up publishing."""


def can_build() -> bool:
    """This machine has what a build needs."""
    return find_spec("duckdb") is not None


def expect_free_name(settings: Settings, name: str, folder: Path) -> None:
    """Refuse a study under the name of a source that is something else.

    Raises:
        UsageError: The name is taken.
    """
    if not can_build():
        return
    from engine.sources import read_sources

    taken = {source.name: source.path for source in read_sources(settings)}
    if taken.get(name, folder).resolve() != folder.resolve():
        raise UsageError(f"The name {name!r} is that of the source {taken[name]}; choose another for the study.")


def publish(settings: Settings, name: str, folder: Path, progress: Progress = silent) -> BuildReport:
    """Register a sweep's folder and build.

    Raises:
        SourceError: The folder holds no results.
        Busy: Another process writes, and goes on doing so.
    """
    from engine.pipeline import build
    from engine.sources import add_source

    with engine_lock(settings, wait=LOCK_SECONDS):
        add_source(settings, folder, name)
        return build(settings, progress)


def ask_to_publish(settings: Settings, request_id: str) -> None:
    """Ask the worker to take up what a request has just left in files; once, however many requests end meanwhile.

    A build under way may have looked at those files before, so only one that still waits will do.
    """
    if not can_build():
        return
    open_builds = [each for each in read_requests(settings) if each.kind is RequestKind.BUILD]
    if not any(each.status.state is RequestState.WAITING for each in open_builds):
        ask(replace(settings, readonly=False), RequestKind.BUILD, {AFTER: request_id})


def publish_own_files(settings: Settings, progress: Progress = silent) -> BuildReport | None:
    """Build, so that results of triplets and token counts are seen; None on a machine without DuckDB.

    Raises:
        Busy: Another process writes, and goes on doing so.
    """
    if not can_build():
        return None
    from engine.pipeline import build

    with engine_lock(settings, wait=LOCK_SECONDS):
        return build(settings, progress)


class Publisher:
    """Publishes a sweep under way: at most so often, one build at a time, and none that nobody would see."""

    def __init__(self, settings: Settings, name: str, folder: Path, every_seconds: float = EVERY_SECONDS) -> None:
        self._settings, self._name, self._folder = settings, name, folder
        self._every = every_seconds
        self._began = time.monotonic()
        self._not_before = self._began + every_seconds
        self._published = 0
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._child:
            stop(self._child)

    def note(self, done: int) -> None:
        """So many runs are done: publish if it is time."""
        if self._child is not None and self._child.poll() is not None:
            stop(self._child)
            self._child, now = None, time.monotonic()
            self._not_before = now + max(self._every, BUILDS_SHARE * (now - self._began))
        if self._child is not None or done == self._published or time.monotonic() < self._not_before:
            return
        if can_build():
            self._published, self._began = done, time.monotonic()
            self._child = start_leashed(
                self._settings, "engine.study.publishing", self._name, str(self._folder), stderr=subprocess.DEVNULL
            )

    def finish(self, progress: Progress) -> BuildReport | None:
        """The last build, once one under way is over; None where there is nothing to build, or no DuckDB."""
        if self._child:
            self._child.wait()
        if not can_build() or not (self._folder / "results").is_dir():
            return None
        return publish(self._settings, self._name, self._folder, progress)


if __name__ == "__main__":
    publish(from_environment(), sys.argv[1], Path(sys.argv[2]))
