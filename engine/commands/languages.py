"""The command that answers about languages: `engine show language-composition`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from engine.analysis.contamination import Closure
from engine.analysis.dataset_revisions import Data
from engine.analysis.language_composition import Part
from engine.analysis.language_scores import Weight
from engine.analysis.language_shortlist import ModelFilter, Purpose
from engine.analysis.languages import Merging
from engine.commands.options import Compared, ExcludedTasks, Layout, Models, SnapshotId
from engine.commands.terminal import Format, say, show_frame
from engine.schema import RowKind
from engine.settings import from_environment

if TYPE_CHECKING:
    import polars as pl

    from engine.analysis.language_records import LanguageRecords
    from engine.answers.language_composition import LanguageQuestion
    from engine.store import Snapshot


class LanguageTable(StrEnum):
    """The tables of the language page."""

    SCORES = "scores"
    WIDE = "wide"
    TASKS = "tasks"
    TASK_TYPES = "task-types"
    CORPORA = "corpora"
    ROW_KINDS = "row-kinds"
    ROWS = "rows"
    DIRECTIONS = "directions"
    WITHOUT = "without"
    LANGUAGES_MOVED = "languages-moved"
    MODELS_MOVED = "models-moved"
    HUB = "hub"
    PAIRS = "pairs"
    PAPERS = "papers"
    PAPER_TASKS = "paper-tasks"
    COVERAGE = "coverage"
    SAME_PAPER = "same-paper"
    WORTH = "worth"
    CHECKLIST = "checklist"
    SHORTLIST = "shortlist"
    DECLARED = "declared"
    DECLARED_TASKS = "declared-tasks"
    DECLARED_SHARE = "declared-share"
    DECLARED_CORRELATION = "declared-correlation"
    DISAGREEMENT = "disagreement"
    DISAGREEMENT_BETWEEN = "disagreement-between"
    MOVERS = "movers"
    CODES = "codes"
    NOTES = "notes"


Source = Annotated[str, typer.Option("--source", help="Source of the scores; empty = the first with the benchmark.")]
Benchmark = Annotated[
    str, typer.Option("--benchmark", help="Benchmark whose rows count, or `every row`; empty = the widest one.")
]
Languages = Annotated[list[str] | None, typer.Option("--language", help="Language code such as eng-Latn; repeatable.")]
OnlyTasks = Annotated[list[str] | None, typer.Option("--task", help="Task to take; repeat for several, none = all.")]
DropTasks = Annotated[list[str] | None, typer.Option("--drop-task", help="Task to leave out; repeatable.")]
DropCorpora = Annotated[list[str] | None, typer.Option("--drop-corpus", help="Corpus to leave out; repeatable.")]
DropTypes = Annotated[list[str] | None, typer.Option("--drop-type", help="Task type to leave out; repeatable.")]
DropKinds = Annotated[list[RowKind] | None, typer.Option("--drop-kind", help="Kind of row to leave out; repeatable.")]
Weighted = Annotated[Weight, typer.Option("--weight", help="What counts the same in a score; row = mteb's rule.")]
Merged = Annotated[Merging, typer.Option("--merge", help="Which codes count as one language.")]
By = Annotated[Part, typer.Option("--by", help="For `without`: what is left out in turn.")]
For = Annotated[Purpose, typer.Option("--purpose", help="For `shortlist`: what the model is for.")]
Speaks = Annotated[Closure, typer.Option("--closure", help="Which tasks a declared training task speaks for.")]
MaxParameters = Annotated[int | None, typer.Option("--max-parameters", help="Most parameters of a listed model.")]
MaxDimension = Annotated[int | None, typer.Option("--max-dimension", help="Longest embedding of a listed model.")]
MinTokens = Annotated[int | None, typer.Option("--min-tokens", help="Least input length of a listed model.")]
OpenWeights = Annotated[bool, typer.Option("--open-weights", help="List only models whose weights can be downloaded.")]
Licenses = Annotated[list[str] | None, typer.Option("--license", help="Licence of listed models; repeatable.")]
ReleasedFrom = Annotated[
    datetime | None, typer.Option("--released-from", formats=["%Y-%m-%d"], help="First day of release.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the intervals.")]


def language_composition(
    source: Source = "",
    benchmark: Benchmark = "",
    language: Languages = None,
    model: Models = None,
    task: OnlyTasks = None,
    exclude_task: ExcludedTasks = None,
    drop_task: DropTasks = None,
    drop_corpus: DropCorpora = None,
    drop_type: DropTypes = None,
    drop_kind: DropKinds = None,
    weight: Weighted = Weight.ROW,
    merge: Merged = Merging.SPELLINGS,
    data: Compared = Data.ANY,
    by: By = Part.TASK,
    purpose: For = Purpose.SEARCH,
    max_parameters: MaxParameters = None,
    max_dimension: MaxDimension = None,
    min_tokens: MinTokens = None,
    open_weights: OpenWeights = False,
    license: Licenses = None,  # noqa: A002 - the option is called so
    released_from: ReleasedFrom = None,
    closure: Speaks = Closure.SIMILAR,
    seed: Seed = 0,
    snapshot: SnapshotId = "",
    what: Annotated[LanguageTable, typer.Option(help="Which of the page's tables to print.")] = LanguageTable.SCORES,
    layout: Layout = Format.TABLE,
) -> None:
    """What language scores are made of: mteb's table, its parts, and what it would be without them."""
    from engine.answers.language_composition import LanguageQuestion, check, read
    from engine.store import open_snapshot

    day = released_from.date() if released_from else None
    wanted = ModelFilter(max_parameters, max_dimension, min_tokens, open_weights, tuple(license or ()), day)
    question = LanguageQuestion(
        source=source,
        benchmark=benchmark,
        languages=tuple(language or ()),
        models=tuple(model or ()),
        tasks=tuple(task or ()),
        drop_tasks=(*(drop_task or ()), *(exclude_task or ())),
        drop_corpora=tuple(drop_corpus or ()),
        drop_types=tuple(drop_type or ()),
        drop_kinds=tuple(drop_kind or ()),
        weight=weight,
        merge=merge,
        data=data,
        purpose=purpose,
        wanted=wanted,
        closure=closure,
        seed=seed,
    )
    opened = open_snapshot(from_environment(), snapshot or None)
    records = read(opened, question)
    check(records, question)
    if what is not LanguageTable.NOTES:
        for note in records.notes:
            say(note)
    show_frame(_language_table(opened, records, question, what, by), layout)


def _language_table(
    snapshot: Snapshot, records: LanguageRecords, question: LanguageQuestion, what: LanguageTable, part: Part
) -> pl.DataFrame:
    import polars as pl

    from engine.analysis.language_papers import lay_out_papers
    from engine.analysis.language_rows import sum_directions
    from engine.analysis.languages import merge_table
    from engine.answers import language_views as views
    from engine.answers.language_composition import chosen_languages, chosen_model
    from engine.answers.language_rows import read_language_rows

    languages = chosen_languages(records, question)
    model = chosen_model(records, question)

    def rows() -> pl.DataFrame:
        return read_language_rows(snapshot, records.settings, model, languages[0])

    tables: dict[LanguageTable, Callable[[], pl.DataFrame]] = {
        LanguageTable.SCORES: lambda: views.table(records, question),
        LanguageTable.WIDE: lambda: views.scores(records, question).wide(),
        LanguageTable.TASKS: lambda: views.composition(records, question).tasks,
        LanguageTable.TASK_TYPES: lambda: views.composition(records, question).parts(Part.TASK_TYPE),
        LanguageTable.CORPORA: lambda: views.composition(records, question).parts(Part.CORPUS),
        LanguageTable.ROW_KINDS: lambda: views.composition(records, question).row_kinds,
        LanguageTable.ROWS: rows,
        LanguageTable.DIRECTIONS: lambda: sum_directions(rows()),
        LanguageTable.WITHOUT: lambda: views.parts_left_out(records, question, part),
        LanguageTable.LANGUAGES_MOVED: lambda: views.effect(records, question).languages_of(model, languages),
        LanguageTable.MODELS_MOVED: lambda: views.effect(records, question).models_of(languages[0]),
        LanguageTable.HUB: lambda: views.hub(records, question).tasks,
        LanguageTable.PAIRS: lambda: views.hub(records, question).pairs,
        LanguageTable.PAPERS: lambda: lay_out_papers(records, model, languages).languages,
        LanguageTable.PAPER_TASKS: lambda: lay_out_papers(records, model, languages).tasks,
        LanguageTable.COVERAGE: lambda: views.coverage(records, question),
        LanguageTable.SAME_PAPER: lambda: views.same_paper(records, question).scores,
        LanguageTable.WORTH: lambda: views.worth(records, question),
        LanguageTable.CHECKLIST: lambda: views.checklist(records, question),
        LanguageTable.SHORTLIST: lambda: views.shortlist(records, question).models,
        LanguageTable.DECLARED: lambda: views.declarations(records, question).models,
        LanguageTable.DECLARED_TASKS: lambda: views.declarations(records, question).states_of(
            list(question.models) or None
        ),
        LanguageTable.DECLARED_SHARE: lambda: views.declared_share(records, question),
        LanguageTable.DECLARED_CORRELATION: lambda: views.declared_correlation(records, question),
        LanguageTable.DISAGREEMENT: lambda: views.disagreement(records, question).with_overall,
        LanguageTable.DISAGREEMENT_BETWEEN: lambda: views.disagreement(records, question).between,
        LanguageTable.MOVERS: lambda: views.disagreement(records, question).movers,
        LanguageTable.CODES: lambda: merge_table(records.languages),
        LanguageTable.NOTES: lambda: pl.DataFrame({"note": records.notes}, schema={"note": pl.String}),
    }
    return tables[what]()
