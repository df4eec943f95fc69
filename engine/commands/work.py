"""Commands that do work: fetch, build, check, demo, worker, serve."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.commands.terminal import progress_bar, say
from engine.errors import CheckFailed
from engine.settings import from_environment


def fetch(
    what: Annotated[str, typer.Argument(help="mteb-results or prompt-study.")],
    full: Annotated[
        bool, typer.Option("--full", help="mteb-results: the whole repository instead of mteb's frame.")
    ] = False,
    origin: Annotated[str, typer.Option("--from", help="Take it from another address, folder or file.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it starts.")] = False,
) -> None:
    """Download published results, register them and build. Size and time are said first."""
    from engine.fetch import fetch as fetch_offer
    from engine.fetch import offer_named
    from engine.pipeline import build as build_store

    settings = from_environment()
    offer = offer_named(what, full=full)
    say(f"{offer.title}, from {origin or offer.origin}: {offer.size}, {offer.time}.")
    if not yes:
        typer.confirm("Start?", default=True, abort=True, err=True)
    with progress_bar() as progress:
        source = fetch_offer(settings, offer, origin, progress)
        report = build_store(settings, progress)
    say(f"{source.name} is in snapshot {report.snapshot_id}.")


def build() -> None:
    """Read what changed in the registered sources and publish a snapshot."""
    from engine.pipeline import build as build_store

    with progress_bar() as progress:
        report = build_store(from_environment(), progress)
    for problem in report.problems:
        say(f"Not read: {problem}")
    if report.is_new:
        say(
            f"Snapshot {report.snapshot_id}: {report.n_files_read:,} files read, {report.n_runs_added:,} runs in, "
            f"{report.n_runs_removed:,} out, {report.seconds:.1f} s."
        )
    else:
        say(f"Nothing changed; snapshot {report.snapshot_id} stays ({report.seconds:.1f} s).")


def check() -> None:
    """Read all files again and prove that the store agrees with them and with its schema."""
    from engine.check import check_store

    with progress_bar() as progress:
        report = check_store(from_environment(), progress)
    if report.problems:
        raise CheckFailed("\n".join(report.problems))
    say(f"Snapshot {report.snapshot_id} agrees with its sources: {report.n_rows:,} rows in {report.n_tables} tables.")


def demo(
    quick: Annotated[
        bool, typer.Option("--quick", help="Two small models and fewer prompts, for a first look.")
    ] = False,
) -> None:
    """Score the bundled models on small local tasks, with no model hub and no network, and build. Resumes."""
    from engine.jobs import demonstrate

    with progress_bar() as progress:
        shown = demonstrate(from_environment(), quick=quick, progress=progress)
    if shown.note:
        say(shown.note)
    say(f"The demo is in snapshot {shown.built.snapshot_id}. Next: python -m engine serve")


def worker(
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when no request is left.")] = False,
) -> None:
    """Answer what the dashboard asks, until Ctrl-C or SIGTERM."""
    from engine.worker import work

    work(from_environment(), until_idle=until_idle)


def serve() -> None:
    """Start worker and dashboard, fill an empty store with the demo first, print the address."""
    from engine.serve import fill_store, running

    settings = from_environment()
    if not fill_store(settings):
        # A dashboard without data says what to do; no dashboard says nothing.
        say("The store could not be filled; the dashboard starts all the same.")
    code = 0
    with running(settings) as dashboard:
        say(f"Scorelens is at {dashboard.address} (Ctrl-C stops it).")
        code = dashboard.wait()
    raise typer.Exit(code)
