"""Whole files or none: every small file that another process may be reading is written through here."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file's content in one step; a reader sees the old content or the new one, never a part.

    The folder is made if needed. The bytes are on disk before the name moves, so a crash leaves the
    old file and at most a `.part` file beside it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_content(path, content)
    sync_folder(path.parent)


def replace_content(path: Path, content: str | bytes) -> None:
    """The same, without the folder: whoever puts several files in place syncs it once, after the last."""
    part = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(3)}.part")
    try:
        with part.open("wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Put a folder's list of names on disk, so that a rename in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Put a finished file's bytes on disk."""
    sync_folder(path)
