"""Result files from before mteb 1.11, converted by mteb itself, once.

mteb takes seconds to import, so it does this in the child process that exports metadata. What it makes of a file
lies below `Settings.metadata` in the new format, named by the hash of the old file's bytes, and is read from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.ingest.metadata import mteb_version, run_export
from engine.settings import Settings


def conversion_folder(settings: Settings) -> Path:
    """Where converted files lie for the installed version of mteb."""
    return settings.metadata / f"converted-{mteb_version() or 'none'}"


def convert_old_files(settings: Settings, files: Mapping[str, Path]) -> None:
    """Converts files, given by the hash of their bytes; without mteb nothing is converted."""
    if mteb_version() is not None:
        run_export("convert", conversion_folder(settings), lines=[f"{name}\t{path}" for name, path in files.items()])
