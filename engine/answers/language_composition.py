"""Questions about languages: what is a language score made of, and what would it be otherwise?"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis.contamination import Closure
from engine.analysis.dataset_revisions import Data
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_scores import Weight, WhatIf
from engine.analysis.language_shortlist import ModelFilter, Purpose
from engine.analysis.languages import Merging
from engine.analysis.ranking import build_score_matrix, rank_models
from engine.answers.language_records import EVERY_ROW, read_language_records
from engine.answers.leaderboard import expect
from engine.answers.published_scores import covered_benchmarks
from engine.errors import UsageError
from engine.schema import RowKind
from engine.store import Snapshot

FIRST_BENCHMARK = "MTEB(Multilingual, v2)"
"""Taken where nobody names one and a source covers it."""
LANGUAGES_SHOWN = 20


@dataclass(frozen=True)
class LanguageQuestion:
    """What is asked; the same names are URL parameters and options of `engine show language-composition`.

    Attributes:
        source: Source of the scores; empty = the first that covers the benchmark.
        benchmark: Whose rows count, or `every row` of the source; empty = `MTEB(Multilingual, v2)` where the source
            covers it, else the first one that it covers, else every row.
        languages: Languages to show; empty = all in tables, those of mteb's site in pictures.
        models: Models to show; empty = all in tables, the first of the leaderboard where one is asked for.
        tasks: The only tasks to take; empty = all.
        drop_tasks: Tasks to leave out.
        drop_corpora: Source corpora to leave out.
        drop_types: Task types to leave out.
        drop_kinds: Kinds of row to leave out.
        weight: What counts the same in a score.
        merge: Which codes count as one language.
        data: Which revisions of a task's data are compared.
        purpose: What a short list is for.
        wanted: Which models may be on it.
        closure: Which tasks a declared training task speaks for.
        seed: Seed of everything random.
    """

    source: str = ""
    benchmark: str = ""
    languages: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    drop_tasks: tuple[str, ...] = ()
    drop_corpora: tuple[str, ...] = ()
    drop_types: tuple[str, ...] = ()
    drop_kinds: tuple[RowKind, ...] = ()
    weight: Weight = Weight.ROW
    merge: Merging = Merging.SPELLINGS
    data: Data = Data.ANY
    purpose: Purpose = Purpose.SEARCH
    wanted: ModelFilter = ModelFilter()
    closure: Closure = Closure.SIMILAR
    seed: int = 0

    @property
    def what_if(self) -> WhatIf:
        """What is left out, and what counts the same."""
        return WhatIf(
            self.tasks, self.drop_tasks, self.drop_corpora, self.drop_types, self.drop_kinds, weight=self.weight
        )

    @property
    def reading(self) -> LanguageQuestion:
        """The part of the question that decides what is read: questions that differ elsewhere share the records."""
        return LanguageQuestion(source=self.source, benchmark=self.benchmark, merge=self.merge, data=self.data)


def offered(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """Sources with default runs in some language, each with the benchmarks that it covers; published ones first.

    A source that covers no benchmark offers every row that it has (`EVERY_ROW`).
    """
    summed = snapshot.read(
        "SELECT DISTINCT source_name FROM runs WHERE run_id IN (SELECT run_id FROM language_scores) ORDER BY 1"
    )["source_name"]
    with_prompts = set(
        snapshot.read("SELECT DISTINCT source_name FROM runs WHERE prompt_id IS NOT NULL")["source_name"]
    )
    benchmarks = {source: covered_benchmarks(snapshot, source) for source in summed}
    in_order = sorted(benchmarks, key=lambda source: (not benchmarks[source], source in with_prompts, source))
    return {source: (*benchmarks[source], EVERY_ROW) for source in in_order}


def read(snapshot: Snapshot, question: LanguageQuestion) -> LanguageRecords:
    """The records that a question is about; they depend on `question.reading` alone.

    Raises:
        UsageError: No source has scores in any language, or the one named does not cover the benchmark.
    """
    sources = offered(snapshot)
    if not sources:
        raise UsageError(
            "No source of this snapshot has scores in any language; add published results: "
            "`engine add PATH --name NAME`, then `engine build`."
        )
    if question.source:
        expect(question.source, sources, "source with scores in any language")
    wanted = question.benchmark or FIRST_BENCHMARK
    covering = [name for name in sources if wanted in sources[name] and question.source in ("", name)]
    source = question.source or (covering or list(sources))[0]
    if question.benchmark:
        expect(question.benchmark, sources[source], f"benchmark that {source!r} covers")
    benchmark = wanted if covering else sources[source][0]
    return read_language_records(snapshot, source, benchmark, question.merge, question.data)


def check(records: LanguageRecords, question: LanguageQuestion) -> None:
    """Nothing, where the records hold all that a question names.

    Raises:
        UsageError: A language, model, task, corpus or task type is not there.
    """
    for language in question.languages:
        records.expect_language(language)
    for model in question.models:
        records.model_index(model)
    for name in (*question.tasks, *question.drop_tasks):
        expect(name, records.tasks["task_name"], "task of this benchmark")
    for name in question.drop_corpora:
        expect(name, records.tasks["corpus"].unique().sort(), "corpus of this benchmark")
    for name in question.drop_types:
        expect(name, records.tasks["task_type"].drop_nulls().unique().sort(), "task type of this benchmark")


def models_by_rank(records: LanguageRecords) -> pl.Series:
    """Models in the order of the leaderboard (Borda over tasks), those without a language at the end."""
    ranked = rank_models(build_score_matrix(records.task_scores))["model_name"]
    return ranked.filter(ranked.is_in(records.sums.model_names))


def chosen_model(records: LanguageRecords, question: LanguageQuestion) -> str:
    """The model of a view of one: the first that is named, else the first of the leaderboard."""
    return question.models[0] if question.models else str(models_by_rank(records)[0])


def chosen_languages(records: LanguageRecords, question: LanguageQuestion) -> tuple[str, ...]:
    """The languages of a picture: those named, else those of mteb's site, else the twenty with most rows."""
    if question.languages:
        return question.languages
    known = set(records.known_languages)
    if shown := tuple(language for language in records.view if language in known):
        return shown[:LANGUAGES_SHOWN]
    counted = records.papers.group_by("language").agg(pl.col("rows").sum())
    return tuple(counted.sort("rows", "language", descending=[True, False])["language"].head(LANGUAGES_SHOWN))
