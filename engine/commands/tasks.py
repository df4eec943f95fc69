"""The command `engine tasks check`: what a file or folder of one's own holds as a task, and which rows it loses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from engine.commands.options import Layout
from engine.commands.terminal import Format, say, show_frame
from engine.errors import TaskUnavailable

tasks_app = typer.Typer(help="Tasks of your own: look at a file before a sweep uses it.", no_args_is_help=True)


@tasks_app.callback()
def about() -> None:
    """Keep `check` a word of its own, though it is the only one."""


def check(
    path: Annotated[Path, typer.Argument(help="A folder in BEIR's layout, or a table of pairs or labelled texts.")],
    layout: Layout = Format.TABLE,
) -> None:
    """Read a task of your own and list every row that cannot be used, with its line and reason."""
    from engine.sweep.local_task import size_of
    from engine.sweep.user_tasks import read_user_task

    if not path.exists():
        raise TaskUnavailable(f"No file or folder {str(path)!r}. Check the path.")
    found = read_user_task(path.resolve())
    rows = [(each.line, each.column, each.reason) for each in found.problems]
    schema = {"line": pl.Int64, "column": pl.String, "reason": pl.String}
    show_frame(pl.DataFrame(rows, schema=schema, orient="row"), layout)
    for note in found.notes:
        say(note)
    sizes = {name: n for content in found.task.content.values() for name, n in vars(size_of(content)).items() if n}
    held = ", ".join(f"{n:,} {name.removeprefix('n_')}" for name, n in sizes.items())
    languages = ", ".join(code for codes in found.task.languages.values() for code in codes)
    say(f"{found.task.name} ({found.task.task_type}): {held}; language {languages}; {len(rows):,} rows set aside.")


tasks_app.command("check")(check)
