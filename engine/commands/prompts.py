"""The command `engine prompts check`: what a prompt file holds, and which of its prompts a reader would confuse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from engine.commands.options import Layout
from engine.commands.terminal import Format, say, show_frame

prompts_app = typer.Typer(help="Prompt files: look at one before a sweep uses it.", no_args_is_help=True)


@prompts_app.callback()
def about() -> None:
    """Keep `check` a word of its own, though it is the only one."""


def check(
    file: Annotated[Path, typer.Argument(help="A prompt file: JSON Lines, or the prompt study's list.")],
    layout: Layout = Format.TABLE,
) -> None:
    """Name prompts that are alike: the same twice, or the same but for case, spaces, signs or Unicode form.

    They stay as they are: each text is a prompt of its own, and a sweep runs each once.
    """
    from engine.ingest.prompts import duplicate_prompts
    from engine.sweep.prompting import read_prompts

    prompts = read_prompts(file)
    rows = [
        (prompt.task_name, None if prompt.prompt_type is None else str(prompt.prompt_type), prompt.text, f"{number:08}")
        for number, prompt in enumerate(prompts, start=1)
    ]
    columns = ["task_name", "prompt_type", "prompt_text", "prompt_id"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    alike = duplicate_prompts(frame).select(
        "task_name", "likeness", pl.col("prompt_id").cast(pl.Int64).alias("record"), "prompt_text",
        pl.col("twin_id").cast(pl.Int64).alias("twin_record"), "twin_text",
    )  # fmt: skip
    show_frame(alike, layout)
    unsaid = sum(prompt.kind is None for prompt in prompts)
    kinds = f"; {unsaid:,} say no kind and get it by the rule of the Methods page" if unsaid else ""
    say(
        f"{len(prompts):,} prompts for {frame['task_name'].n_unique():,} tasks; {len(alike):,} are like another{kinds}."
    )


prompts_app.command("check")(check)
