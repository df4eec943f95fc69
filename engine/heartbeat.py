"""Is a worker there? It touches a file every second, which works across containers and users, where a pid does not."""

from __future__ import annotations

import time
from pathlib import Path

from engine.settings import Settings

EVERY_SECONDS = 1.0
DEAD_AFTER_SECONDS = 15.0
"""Longer than any pause of a worker that lives: on a busy disk, or while it looks for GPUs."""


def beat(settings: Settings) -> None:
    """Say that the worker of this data folder is alive."""
    settings.heartbeat.touch()


def end(settings: Settings) -> None:
    """Say that there is no worker any more."""
    settings.heartbeat.unlink(missing_ok=True)


def is_alive(settings: Settings) -> bool:
    """A worker serves this data folder."""
    return is_fresh(settings.heartbeat)


def is_fresh(path: Path) -> bool:
    """Whoever touches this file every second lives."""
    try:
        return time.time() - path.stat().st_mtime < DEAD_AFTER_SECONDS
    except FileNotFoundError:
        return False
