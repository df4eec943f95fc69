"""mteb's task, benchmark and model metadata as frames: exported once per version of mteb, then read from files."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from engine.errors import StoreError
from engine.ingest.harvest import TASK_ROW_FRAME
from engine.schema import BENCHMARKS, MODELS, TASKS
from engine.settings import PROJECT, Settings

EXPORT_VERSION = 2
"""Raised when the export changes, so that older exports are made again."""

BENCHMARK_ROW_FRAME = pl.Schema({name: pl.String() for name in ("benchmark_name", "task_name", "split", "subset")})
LANGUAGE_NAME_FRAME = pl.Schema({name: pl.String() for name in ("part", "code", "name")})
FRAMES = {
    "models": MODELS.schema,
    "tasks": TASKS.schema,
    "task_rows": TASK_ROW_FRAME,
    "benchmarks": BENCHMARKS.schema,
    "benchmark_rows": BENCHMARK_ROW_FRAME,
    "language_names": LANGUAGE_NAME_FRAME,
}


@dataclass(frozen=True)
class Metadata:
    """What mteb says about models, tasks and benchmarks; all empty where mteb is not installed."""

    mteb_version: str | None
    models: pl.DataFrame
    """MODELS"""
    tasks: pl.DataFrame
    """TASKS"""
    task_rows: pl.DataFrame
    """ROWS without row_id: every split × subset of every task."""
    benchmarks: pl.DataFrame
    """BENCHMARKS"""
    benchmark_rows: pl.DataFrame
    """benchmark_name, task_name, split, subset: the rows that each benchmark averages."""
    language_names: pl.DataFrame
    """part (`language`: ISO 639-3, or `script`: ISO 15924), code, name."""


def mteb_version() -> str | None:
    """The installed version of mteb, found without importing it; None where it is not installed."""
    try:
        return importlib.metadata.version("mteb")
    except importlib.metadata.PackageNotFoundError:
        return None


def mteb_metadata(settings: Settings) -> Metadata:
    """Mteb's metadata, exported first where this version has no export yet (about 15 s).

    Raises:
        StoreError: The export failed.
    """
    version = mteb_version()
    if version is None:
        return Metadata(None, **{name: schema.to_frame() for name, schema in FRAMES.items()})
    folder = settings.metadata / f"mteb-{version}-{EXPORT_VERSION}"
    if not (folder / "done").exists():
        run_export("export", folder)
    return Metadata(version, **{name: pl.read_parquet(folder / f"{name}.parquet") for name in FRAMES})


def run_export(command: str, folder: Path, lines: Sequence[str] = ()) -> None:
    """Runs the child process that imports mteb; it fills the folder.

    Raises:
        StoreError: It failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "engine.ingest.metadata_export", command, str(folder)],
        cwd=PROJECT, input="\n".join(lines), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if child.returncode != 0:
        last = child.stderr.strip().splitlines()[-1:]
        raise StoreError(
            f"mteb's metadata could not be exported: code {child.returncode} {last}; expected 0. "
            f"Run `python -m engine.ingest.metadata_export {command} {folder}` to see why."
        )
