"""The command line: `python -m engine COMMAND`. Parses, calls, prints; an error is a sentence and an exit code."""

from __future__ import annotations

import sys

import typer

from engine import __version__
from engine.commands import (
    export,
    languages,
    leaderboard,
    prompts,
    registry,
    show,
    sweep,
    tasks,
    tokens,
    triplets,
    work,
)
from engine.commands.terminal import say
from engine.errors import EngineError, StoreError, is_of_disk

app = typer.Typer(
    help="Scorelens: what is an embedding model's score made of, and would it survive another prompt?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 done; 1 fault; 2 unknown name or value; 3 unreadable source; 4 no usable snapshot; "
    "5 check failed; 6 no network; 7 bundled weights missing; 8 a run failed, the others are there; 9 another engine "
    "process is at work; 10 no such model here; 11 no such task here.",
)

app.command()(registry.add)
app.command()(registry.remove)
app.command()(work.fetch)
app.command()(work.build)
app.command()(registry.status)
app.command()(work.check)
app.command()(work.demo)
app.command()(sweep.sweep)
app.command()(export.export)
app.command()(work.worker)
app.command()(work.serve)
app.command()(tokens.tokenize)
app.command()(show.sql)
show.show_app.command("leaderboard")(leaderboard.leaderboard)
show.show_app.command("rank-probabilities")(leaderboard.rank_probabilities)
show.show_app.command("fewest-switches")(leaderboard.fewest_switches)
show.show_app.command("language-composition")(languages.language_composition)
show.show_app.command("tokenization")(tokens.show_tokenization)
show.show_app.command("triplet-tests")(triplets.show_triplet_tests)
app.add_typer(show.show_app, name="show")
app.add_typer(registry.snapshots_app, name="snapshots")
app.add_typer(prompts.prompts_app, name="prompts")
app.add_typer(tasks.tasks_app, name="tasks")
app.add_typer(triplets.triplets_app, name="triplets")


@app.command()
def dictionary() -> None:
    """Print the data dictionary: every table, column and key, as Markdown."""
    from engine.data_dictionary import data_dictionary

    print(data_dictionary(), end="")


@app.command()
def version() -> None:
    """Print the version."""
    print(__version__)


def main() -> None:
    """Run the command line; leave with the error's own exit code where one is raised on purpose."""
    try:
        app()
    except EngineError as error:
        say(f"Error: {error}")
        sys.exit(error.exit_code)
    except OSError as error:
        if not is_of_disk(error):
            raise
        say(f"Error: the disk refused: {error}. Check its space and permissions, and run the command again.")
        sys.exit(StoreError.exit_code)


if __name__ == "__main__":
    main()
