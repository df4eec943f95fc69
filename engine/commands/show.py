"""Commands that answer: the same questions as the pages ask, with the same numbers, for scripts."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from engine.analysis.references import Reference
from engine.commands.options import ExcludedTasks, Layout, Models, SnapshotId, Tasks
from engine.commands.terminal import Format, say, show_frame
from engine.schema import PromptKind
from engine.settings import from_environment

if TYPE_CHECKING:
    import polars as pl

    from engine.analysis.prompt_distributions import PromptDistributions
    from engine.store import Snapshot

show_app = typer.Typer(help="Print an analysis: the numbers that its page shows.", no_args_is_help=True)


class OverviewTable(StrEnum):
    """The tables of the overview page."""

    SOURCES = "sources"
    REJECTS = "rejects"


class ProvenanceTable(StrEnum):
    """The tables of the methods page."""

    MEASURES = "measures"
    BUILT = "built"
    PROMPTS = "prompts"
    DEFAULT_PROMPTS = "default-prompts"
    MODEL_REVISIONS = "model-revisions"
    DATASET_REVISIONS = "dataset-revisions"
    VERSIONS = "versions"
    TASKS = "tasks"


class PromptTable(StrEnum):
    """The tables of a page about prompt distributions."""

    CELLS = "cells"
    SCORES = "scores"
    PROMPTS = "prompts"
    LEFT_OUT = "left-out"
    NOTES = "notes"
    CALLS = "calls"
    CALLS_BY_MODEL = "calls-by-model"
    TENTHS = "tenths"
    CV_BY_MODEL = "cv-by-model"
    KINDS = "kinds"
    KIND_SPREAD = "kind-spread"
    KIND_BY_MODEL = "kind-by-model"
    AUTHORS = "authors"
    READINGS = "readings"
    EVERY_READING = "every-reading"
    BEST_PROMPTS = "best-prompts"


Source = Annotated[str, typer.Option("--source", help="Source with prompt experiments; empty = the first by name.")]
PromptSet = Annotated[str, typer.Option("--prompts", help="shared (run by every model), all, or a prompt file.")]
Kinds = Annotated[list[PromptKind] | None, typer.Option("--kind", help="Prompt kind; repeatable.")]
Generators = Annotated[list[str] | None, typer.Option("--generator", help="Who wrote the prompt; repeatable.")]
Search = Annotated[str, typer.Option("--search", help="Text that a prompt contains.")]
ExcludedPrompts = Annotated[list[str] | None, typer.Option("--exclude-prompt", help="Id of a prompt; repeatable.")]
Rows = Annotated[str, typer.Option("--rows", help="study (rows in every run of the task), or a benchmark.")]
Low = Annotated[float, typer.Option("--low", help="A reference below this quantile of the prompt scores is low.")]
High = Annotated[float, typer.Option("--high", help="A reference above this quantile is high.")]
Published = Annotated[str, typer.Option("--published", help="Source of published scores; empty = every other one.")]


@show_app.command("prompt-distributions")
def prompt_distributions(
    source: Source = "",
    task: Tasks = None,
    exclude_task: ExcludedTasks = None,
    model: Models = None,
    reference: Annotated[Reference, typer.Option(help="Score whose place is asked for.")] = Reference.SAME_HARNESS,
    prompts: PromptSet = "shared",
    kind: Kinds = None,
    generator: Generators = None,
    search: Search = "",
    exclude_prompt: ExcludedPrompts = None,
    rows: Rows = "study",
    low: Low = 0.1,
    high: High = 0.9,
    published: Published = "",
    snapshot: SnapshotId = "",
    what: Annotated[PromptTable, typer.Option(help="Which of the page's tables to print.")] = PromptTable.CELLS,
    layout: Layout = Format.TABLE,
) -> None:
    """Scores over prompts per model and task, and where the reported score stands among them."""
    from engine.answers.prompt_distributions import PromptQuestion, answer
    from engine.store import open_snapshot

    question = PromptQuestion(
        source=source,
        tasks=tuple(task or ()),
        exclude_tasks=tuple(exclude_task or ()),
        models=tuple(model or ()),
        reference=reference,
        prompts=prompts,
        kinds=tuple(each.value for each in kind or ()),
        generators=tuple(generator or ()),
        search=search,
        exclude_prompts=tuple(exclude_prompt or ()),
        rows=rows,
        low=low,
        high=high,
        published=published,
    )
    here = open_snapshot(from_environment(), snapshot or None)
    answered = answer(here, question)
    if what is not PromptTable.NOTES:
        for note in answered.notes:
            say(note)
    show_frame(_prompt_table(here, answered, what), layout)


@show_app.command("overview")
def overview(
    snapshot: SnapshotId = "",
    what: Annotated[OverviewTable, typer.Option(help="Which of the page's tables to print.")] = OverviewTable.SOURCES,
    layout: Layout = Format.TABLE,
) -> None:
    """What is in the store by source: models, tasks, prompts, runs, completeness, freshness, rejects."""
    from engine.answers.overview import answer
    from engine.store import open_snapshot

    answered = answer(open_snapshot(from_environment(), snapshot or None))
    show_frame(answered.sources if what is OverviewTable.SOURCES else answered.rejects, layout)


@show_app.command("methods")
def methods(
    snapshot: SnapshotId = "",
    what: Annotated[
        ProvenanceTable, typer.Option(help="Which of the page's tables to print.")
    ] = ProvenanceTable.MEASURES,
    layout: Layout = Format.TABLE,
) -> None:
    """Every measure with its formula, and what exactly went into the snapshot: a paper's appendix."""
    from engine.answers.methods import answer
    from engine.measures import MEASURES
    from engine.store import open_snapshot

    if what is ProvenanceTable.MEASURES:
        import polars as pl

        show_frame(
            pl.DataFrame([{name: str(value) for name, value in vars(measure).items()} for measure in MEASURES]), layout
        )
        return
    answered = answer(open_snapshot(from_environment(), snapshot or None))
    show_frame(getattr(answered, what.value.replace("-", "_")), layout)


def sql(
    query: Annotated[str, typer.Argument(help="One SELECT over the tables of the store; `SHOW TABLES` lists them.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most rows to print.")] = 1000,
    snapshot: SnapshotId = "",
    layout: Layout = Format.TABLE,
) -> None:
    """Ask the snapshot in SQL: read-only, no access to files or network."""
    from engine.store import open_snapshot

    rows = open_snapshot(from_environment(), snapshot or None).answer(query, limit + 1)
    if len(rows) > limit:
        say(f"Only the first {limit:,} rows are printed; --limit prints more.")
    show_frame(rows.head(limit), layout)


def _prompt_table(here: Snapshot, answered: PromptDistributions, what: PromptTable) -> pl.DataFrame:
    import polars as pl

    from engine.analysis import calls, readings, variation
    from engine.answers import best_prompts

    tables: dict[PromptTable, Callable[[], pl.DataFrame]] = {
        PromptTable.CELLS: lambda: answered.cells,
        PromptTable.SCORES: lambda: answered.scores,
        PromptTable.PROMPTS: lambda: answered.prompts,
        PromptTable.LEFT_OUT: lambda: answered.left_out,
        PromptTable.NOTES: lambda: pl.DataFrame({"note": answered.notes}, schema={"note": pl.String}),
        PromptTable.CALLS: lambda: calls.count_by_conditions(answered.cells),
        PromptTable.CALLS_BY_MODEL: lambda: calls.calls_by_model(answered.cells, high=answered.reading.high),
        PromptTable.TENTHS: lambda: calls.count_tenths(answered.cells),
        PromptTable.CV_BY_MODEL: lambda: variation.cv_by_model(answered.cells),
        PromptTable.KINDS: lambda: variation.spread_by_kind(answered.scores, answered.prompts).kinds,
        PromptTable.KIND_SPREAD: lambda: variation.spread_by_kind(answered.scores, answered.prompts).cells,
        PromptTable.KIND_BY_MODEL: lambda: variation.kind_by_model(
            variation.spread_by_kind(answered.scores, answered.prompts).kinds
        ),
        PromptTable.AUTHORS: lambda: variation.compare_authors(answered.scores, answered.prompts),
        PromptTable.READINGS: lambda: readings.read_every_way(answered).cells,
        PromptTable.EVERY_READING: lambda: readings.read_every_way(answered).readings,
        PromptTable.BEST_PROMPTS: lambda: best_prompts.answer(here, answered),
    }
    return tables[what]()
