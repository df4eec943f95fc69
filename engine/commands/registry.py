"""Commands about what is registered and what is published: add, remove, status, snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from engine import snapshots
from engine.commands.options import Layout
from engine.commands.terminal import Format, say, show_frame
from engine.errors import SnapshotMissing
from engine.settings import from_environment
from engine.sources import add_source, read_sources, remove_source, source_problems

snapshots_app = typer.Typer(
    help="The published snapshots: list them, keep one for good, let it go.", no_args_is_help=True
)


def add(
    path: Annotated[
        Path, typer.Argument(help="An MTEB cache tree, a results repository, or mteb's leaderboard frame (.parquet).")
    ],
    name: Annotated[str, typer.Option("--name", help="What to call it: letters, digits, dots, dashes, underscores.")],
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="File that says more about its prompts: kinds, authors.")
    ] = None,
) -> None:
    """Register a folder or file of results; nothing is copied. Run `build` afterwards."""
    source = add_source(from_environment(), path, name, prompts)
    say(f"Registered {source.name}: {source.path} ({source.kind.value}). Next: python -m engine build")


def remove(name: Annotated[str, typer.Argument(help="Name of a registered source.")]) -> None:
    """Take a source out of the registry; its files stay. Run `build` afterwards."""
    source = remove_source(from_environment(), name)
    say(f"Removed {source.name}; its files stay in {source.path}. Next: python -m engine build")


def status(layout: Layout = Format.TABLE) -> None:
    """What is registered, what of it is in the store, and what was rejected."""
    from engine.store import open_snapshot

    settings = from_environment()
    sources = read_sources(settings)
    for source in sources:
        for problem in source_problems(source).values():
            say(f"{source.name} cannot be read now: {problem}")
    registered = pl.DataFrame({"source_name": [source.name for source in sources]}, schema={"source_name": pl.String})
    try:
        snapshot = open_snapshot(settings)
    except SnapshotMissing as missing:
        say(str(missing))
        show_frame(registered.with_columns(pl.lit("no").alias("in_store")), layout)
        return
    say(f"Snapshot {snapshot.snapshot_id} in {settings.snapshots}")
    built = snapshot.read(_STATUS)
    show_frame(registered.join(built, on="source_name", how="full", coalesce=True).sort("source_name"), layout)


def list_snapshots(layout: Layout = Format.TABLE) -> None:
    """The published snapshots, oldest first."""
    files = snapshots.published(from_environment())
    rows = [
        {
            "snapshot_id": file.snapshot_id,
            "n_bytes": file.path.stat().st_size,
            "current": file.is_current,
            "pinned": file.is_pinned,
        }
        for file in files
    ]
    schema = {"snapshot_id": pl.String, "n_bytes": pl.Int64, "current": pl.Boolean, "pinned": pl.Boolean}
    show_frame(pl.DataFrame(rows, schema=schema), layout)


def pin(snapshot_id: Annotated[str, typer.Argument(help="Id of a published snapshot.")]) -> None:
    """Keep a snapshot for good, so that links to it stay alive."""
    snapshots.pin_snapshot(from_environment(), snapshot_id)
    say(f"Snapshot {snapshot_id} stays.")


def unpin(snapshot_id: Annotated[str, typer.Argument(help="Id of a published snapshot.")]) -> None:
    """Let a pinned snapshot go with the others when it is old."""
    snapshots.unpin_snapshot(from_environment(), snapshot_id)
    say(f"Snapshot {snapshot_id} goes when {snapshots.KEPT} newer ones are there.")


_STATUS = """
    SELECT source_name, source_kind, n_files, n_bytes, newest_file,
        count(DISTINCT model_name) AS models, count(DISTINCT task_name) AS tasks,
        count(DISTINCT prompt_id) AS prompts, count(run_id) AS runs,
        (SELECT count(*) FROM scores JOIN runs AS r USING (run_id) WHERE r.source_name = sources.source_name) AS scores,
        (SELECT count(*) FROM rejects AS r WHERE r.source_name = sources.source_name) AS rejects
    FROM sources LEFT JOIN runs USING (source_name)
    GROUP BY ALL
"""

snapshots_app.command("list")(list_snapshots)
snapshots_app.command("pin")(pin)
snapshots_app.command("unpin")(unpin)
