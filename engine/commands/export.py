"""The command `engine export`: results of our own in the layout that MTEB's results repository takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from engine.commands.options import Layout
from engine.commands.terminal import Format, say, show_frame
from engine.errors import UsageError
from engine.settings import from_environment


def export(
    mteb: Annotated[Path, typer.Option("--mteb", help="Empty folder to write the tree into.")],
    source: Annotated[str, typer.Option("--source", help="Name of a registered source, or a folder.")] = "",
    study: Annotated[Path | None, typer.Option("--study", help="A study file, instead of a source.")] = None,
    experiments: Annotated[
        bool, typer.Option("--experiments", help="Take runs under other prompts along, too.")
    ] = False,
    layout: Layout = Format.TABLE,
) -> None:
    """Write results as MTEB's results repository takes them: whole, registered tasks of registered models.

    What is left out is listed with its reason. mteb's own loader reads the tree once it is written.
    """
    from engine.export import export_mteb

    report = export_mteb(_folder_of(source, study), mteb, experiments=experiments)
    rows = [{"path": each.path, "reason": each.reason} for each in report.left_out]
    show_frame(pl.DataFrame(rows, schema={"path": pl.String, "reason": pl.String}), layout)
    say(f"{len(report.exported):,} results are in {report.folder}; {len(rows):,} were left out.")


def _folder_of(source: str, study: Path | None) -> Path:
    """The results folder that was asked for."""
    from engine.sources import source_named
    from engine.study.file import read_study
    from engine.study.resolve import study_folder

    settings = from_environment()
    if (not source) == (study is None):
        raise UsageError("--source and --study: expected exactly one of the two. Name a source, or a study file.")
    if study is not None:
        return study_folder(settings, read_study(study))
    return Path(source) if Path(source).is_dir() else source_named(settings, source).path
