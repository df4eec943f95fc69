"""One engine process at a time: whoever writes to a data folder holds its lock."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import Busy, StoreError
from engine.settings import Settings


@contextmanager
def engine_lock(settings: Settings, name: str = "engine", wait: float = 0.0) -> Iterator[None]:
    """Hold one of the data folder's locks; the same process may take it again while it holds it.

    The operating system frees the lock when the process ends, however it ends.

    Args:
        settings: Whose data folder.
        name: `engine` for writing sources and snapshots; `worker` for being the background process; `device-…` for
            sweeping on a device.
        wait: How many seconds to wait for another holder.

    Raises:
        Busy: Another process holds it; the message says which one.
        StoreError: The data folder cannot be written to.
    """
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        (settings.data / f"{name}.lock").touch()
    except OSError as error:
        raise StoreError(
            f"{settings.data} cannot be written to ({error.strerror}); expected a folder of yours. "
            "Change its permissions, or set SCORELENS_DATA to another one."
        ) from error
    lock = FileLock(settings.data / f"{name}.lock", is_singleton=True, thread_local=False)
    holder = settings.data / f"{name}.pid"
    try:
        lock.acquire(timeout=wait)
    except Timeout as timeout:
        raise Busy(
            f"Another {name} process{_holder_named(holder)} holds {settings.data}; expected none. "
            "Wait until it is done, or end it."
        ) from timeout
    try:
        holder.write_text(f"{os.getpid()} on {socket.gethostname()}\n", encoding="utf-8")
        yield
    finally:
        if lock.lock_counter == 1:
            holder.unlink(missing_ok=True)
        lock.release()


def _holder_named(holder: Path) -> str:
    try:
        return f" (pid {holder.read_text(encoding='utf-8').strip()})"
    except FileNotFoundError:
        return ""
