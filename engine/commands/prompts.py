"""The command `engine prompts check`: what a prompt file holds, and which of its prompts a reader would confuse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    from engine.sweep.prompt_twins import twin_prompts
    from engine.sweep.prompting import read_prompts

    prompts = read_prompts(file)
    twins = twin_prompts(prompts)
    show_frame(twins, layout)
    unsaid = sum(prompt.kind is None for prompt in prompts)
    kinds = f"; {unsaid:,} say no kind and get it by the rule of the Methods page" if unsaid else ""
    n_tasks = len({prompt.task_name for prompt in prompts})
    say(f"{len(prompts):,} prompts for {n_tasks:,} tasks; {len(twins):,} are like another{kinds}.")


prompts_app.command("check")(check)
