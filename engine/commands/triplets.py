"""Commands about triplet sets: `engine triplets run | check | import | export` and `engine show triplet-tests`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from engine.commands.options import Layout, Models, SnapshotId
from engine.commands.terminal import Format, progress_bar, say, show_frame
from engine.errors import ModelUnavailable, SourceError
from engine.settings import from_environment

triplets_app = typer.Typer(help="Triplet sets: look-alikes that mean something else.", no_args_is_help=True)
SetName = Annotated[str, typer.Option("--set", help="Name of the set: a file of data/triplets without its ending.")]


class TripletTable(StrEnum):
    """The tables of the triplet page."""

    RATES = "rates"
    OUTCOMES = "outcomes"
    ITEMS = "items"
    SIMILARITIES = "similarities"
    COMPARISONS = "comparisons"
    CANDIDATES = "candidates"
    BASELINES = "baselines"
    BASELINE_RATES = "baseline_rates"
    SATURATED = "saturated"
    FAILED_BY_ALL = "failed_by_all"
    PROMPTS_DISAGREE = "prompts_disagree"


@triplets_app.command("run")
def run(
    models: Annotated[list[str], typer.Option("--model", help="Model to ask; repeatable.")],
    set_name: SetName = "starter",
    base: Annotated[str, typer.Option("--base-prompt", help="Put before each base; empty = none.")] = "",
    candidate: Annotated[str, typer.Option("--candidate-prompt", help="Put before each candidate; empty = none.")] = "",
) -> None:
    """Ask models about every item of a set and keep what they say."""
    from engine.study.publishing import publish_own_files
    from engine.study.warm import WarmModels
    from engine.triplets.run import run_triplets

    settings = from_environment()
    roles = [{"base": base or None, "candidate": candidate or None}]
    with progress_bar() as progress, WarmModels(settings) as encoders:
        found = run_triplets(settings, {"set": set_name, "models": models, "roles": roles}, progress, encoders)
        publish_own_files(settings, progress)
    if found["refused"]:
        raise ModelUnavailable("; ".join(refusal["reason"] for refusal in found["refused"]))
    say(
        f"Asked {found['n_measured']:,} times, {found['n_held']:,} answers were there before. "
        f"Next: python -m engine show triplet-tests --set {set_name}"
    )


@triplets_app.command("check")
def check(set_name: SetName = "starter", layout: Layout = Format.TABLE) -> None:
    """List what is amiss with the items of a set, and lines that are no items."""
    from engine.triplets.checks import problems
    from engine.triplets.files import read_set

    found = read_set(from_environment(), set_name)
    rows = [(f"line {reject.line}", "error", "", reject.reason) for reject in found.rejects]
    for item in found.items:
        others = [other for other in found.items if other is not item]
        rows += [(item.item_id, each.level, each.field, each.words) for each in problems(item, others)]
    columns = ("item_id", "level", "field", "words")
    show_frame(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row"), layout)
    say(f"{len(found.items):,} items, {len(rows):,} remarks.")


@triplets_app.command("import")
def import_items(
    file: Annotated[Path, typer.Argument(help="CSV, TSV or JSON Lines; or anchor, positive, negative columns.")],
    set_name: SetName,
) -> None:
    """Add the items of a table to a set; where one row cannot be used, nothing is added and each is named."""
    from engine.triplets.exchange import read_items
    from engine.triplets.files import begin_set, read_set, save_set, set_names

    settings = from_environment()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read ({error}); expected a table of items. Check the path.") from error
    held = read_set(settings, set_name).items if set_name in set_names(settings) else ()
    found = read_items(content, file.name, held)
    unused = f", not used: {', '.join(found.unused)}" if found.unused else ""
    say(f"Encoding {found.encoding_words}, delimiter {found.delimiter}, {len(found.items):,} items{unused}.")
    if found.problems:
        named = "; ".join(f"line {each.line} {each.column}: {each.reason}" for each in found.problems[:10])
        raise SourceError(f"{len(found.problems):,} rows cannot be used, nothing was added: {named}")
    if set_name not in set_names(settings):
        begin_set(settings, set_name)
    now = read_set(settings, set_name)
    save_set(settings, set_name, (*now.items, *found.items), now.digest)


@triplets_app.command("export")
def export_items(
    set_name: SetName = "starter",
    form: Annotated[
        str, typer.Option("--form", help="jsonl, csv, tsv, or triplets.csv (sentence-transformers).")
    ] = "jsonl",
) -> None:
    """Print the items of a set in a form that other programs read."""
    import sys

    from engine.triplets.exchange import exported
    from engine.triplets.files import read_set

    sys.stdout.write(exported(read_set(from_environment(), set_name).items, form))


def show_triplet_tests(
    set_name: SetName = "starter",
    models: Models = None,
    what: Annotated[TripletTable, typer.Option("--what", help="Which table.")] = TripletTable.RATES,
    snapshot: SnapshotId = "",
    layout: Layout = Format.TABLE,
) -> None:
    """What models made of a triplet set: outcomes by order, rates with intervals, pairs compared."""
    from engine.answers.triplet_tests import TripletQuestion, answer, similarities
    from engine.store import open_snapshot

    here, question = open_snapshot(from_environment(), snapshot or None), TripletQuestion(set_name, tuple(models or ()))
    if what is TripletTable.SIMILARITIES:
        show_frame(similarities(here, question), layout)
        return
    tests = answer(here, question)
    show_frame(getattr(tests, what.value), layout)
    for note in tests.notes:
        say(note)
