"""Options that several commands share, named as the pages' URL parameters are."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.analysis.dataset_revisions import Data
from engine.commands.terminal import Format

Layout = Annotated[Format, typer.Option("--format", help="How to print; csv and json are unrounded and whole.")]
SnapshotId = Annotated[str, typer.Option("--snapshot", help="Published snapshot to read; empty = the newest.")]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="Task to show; repeat for several, none = all.")]
ExcludedTasks = Annotated[list[str] | None, typer.Option("--exclude-task", help="Task to leave out; repeatable.")]
Compared = Annotated[Data, typer.Option("--data", help="Which revisions of a task's data are compared.")]
Models = Annotated[list[str] | None, typer.Option("--model", help="Model to show; repeat for several, none = all.")]
