"""Answers: how do the scores of models move over prompts, and where does the reported score stand among them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from engine.analysis.places import STUDY_ROWS, Reading
from engine.analysis.prompt_distributions import PromptDistributions, distribute
from engine.analysis.prompt_records import PromptRecords
from engine.analysis.prompt_sets import Authorship, PromptFilter, select_prompts
from engine.analysis.references import Reference
from engine.answers.prompt_records import read_prompt_cells, read_records
from engine.errors import UsageError, names_like
from engine.ingest.prompts import read_prompt_file
from engine.store import Snapshot

SHARED = "shared"
ALL = "all"


@dataclass(frozen=True)
class PromptQuestion:
    """What is asked; the same names are URL parameters and options of `engine show prompt-distributions`.

    Attributes:
        source: Source with prompt experiments; empty = the first by name.
        tasks: Tasks to show; empty = all.
        exclude_tasks: Tasks to leave out.
        models: Models to show; empty = all. Which prompts are shared does not depend on it.
        reference: What the prompts are compared with.
        prompts: `shared` (run by every model), `all`, or the path of a prompt file.
        kinds: Prompt kinds; empty = all.
        generators: Authors of prompts (`not recorded` for prompts without); empty = all.
        search: Literal text that a prompt contains.
        exclude_prompts: Ids of prompts to leave out.
        rows: `study` (rows in every run of the task) or the name of a benchmark.
        low: Lower threshold of the call (fraction).
        high: Upper threshold (fraction).
        published: Source to take published scores from; empty = every other source.
    """

    source: str = ""
    tasks: tuple[str, ...] = ()
    exclude_tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    reference: Reference = Reference.SAME_HARNESS
    prompts: str = SHARED
    kinds: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    search: str = ""
    exclude_prompts: tuple[str, ...] = ()
    rows: str = STUDY_ROWS
    low: float = 0.1
    high: float = 0.9
    published: str = ""


@dataclass(frozen=True)
class PromptOptions:
    """What a source offers to choose from, each in a fixed order."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    kinds: tuple[str, ...]
    generators: tuple[str, ...]
    benchmarks: tuple[str, ...]
    published: tuple[str, ...]


def options(snapshot: Snapshot, source: str) -> PromptOptions:
    """Models, tasks, kinds, authors, benchmarks and other sources that a question about a source may name.

    Benchmarks are those that average at least one row of the source's prompt runs.
    """
    runs = snapshot.read(
        "SELECT DISTINCT model_name, task_name FROM runs WHERE source_name = ? AND prompt_id IS NOT NULL", [source]
    )
    prompts = snapshot.read(
        "SELECT DISTINCT p.prompt_kind, p.generators FROM prompts p JOIN runs r USING (prompt_id, task_name) "
        "WHERE r.source_name = ?",
        [source],
    )
    benchmarks = snapshot.read(
        "SELECT DISTINCT b.benchmark_name FROM benchmark_rows b WHERE b.row_id IN (SELECT s.row_id FROM scores s "
        "WHERE s.run_id IN (SELECT run_id FROM runs WHERE source_name = ? AND prompt_id IS NOT NULL))",
        [source],
    )
    others = snapshot.read("SELECT source_name FROM sources WHERE source_name <> ?", [source])
    return PromptOptions(
        models=_names(runs["model_name"]),
        tasks=_names(runs["task_name"]),
        kinds=_names(prompts["prompt_kind"]),
        generators=_names(prompts["generators"].explode()),
        benchmarks=_names(benchmarks["benchmark_name"]),
        published=_names(others["source_name"]),
    )


def answer(snapshot: Snapshot, question: PromptQuestion) -> PromptDistributions:
    """The distributions that a question asks for.

    Raises:
        UsageError: The question names something that the snapshot does not hold, or its thresholds are not in order.
    """
    records = read(snapshot, question)
    for author in question.generators:
        _expect(author, (*options(snapshot, records.source).generators, Authorship.NOT_RECORDED), "author of prompts")
    if question.exclude_prompts:
        prompt_ids = snapshot.read("SELECT DISTINCT prompt_id FROM prompts ORDER BY 1")["prompt_id"].to_list()
        for prompt_id in question.exclude_prompts:
            _expect(prompt_id, prompt_ids, "prompt")
    return answer_from(records, snapshot, question)


def read(snapshot: Snapshot, question: PromptQuestion) -> PromptRecords:
    """The records that a question is about; they depend on its source, tasks, excluded tasks and `published` alone.

    Raises:
        UsageError: The question names a source, task or model that the snapshot does not hold.
    """
    cells = read_prompt_cells(snapshot)
    source = _chosen_source(cells, question.source)
    own = cells.filter(pl.col("source_name") == source)
    known = _names(own["task_name"])
    for task in (*question.tasks, *question.exclude_tasks):
        _expect(task, known, f"task in source {source!r}")
    tasks = [task for task in question.tasks or known if task not in question.exclude_tasks]
    return read_records(snapshot, source, tasks, question.published, cells)


def answer_from(records: PromptRecords, snapshot: Snapshot, question: PromptQuestion) -> PromptDistributions:
    """The same answer, from records that were read before.

    Raises:
        UsageError: The question names a model, benchmark or prompt file that is not there, or its thresholds are not
            in order.
    """
    for model in question.models:
        _expect(model, _names(records.prompt_runs["model_name"]), "model with prompt experiments")
    views = _names(records.views["view"])
    if question.rows not in (STUDY_ROWS, *views):
        raise UsageError(
            f"No rows {question.rows!r} for these tasks; expected `{STUDY_ROWS}`, or a benchmark: "
            f"{names_like(question.rows, views)}."
        )
    if not 0 <= question.low < question.high <= 1:
        raise UsageError(
            f"Thresholds are {question.low} and {question.high}; expected 0 ≤ low < high ≤ 1, such as 0.1 and 0.9."
        )
    return distribute(
        records,
        chosen_prompts(records, question),
        Reading(question.reference, question.rows, question.low, question.high),
        models=question.models,
        settings=_in_words(question, records.source, snapshot.snapshot_id),
    )


def chosen_prompts(records: PromptRecords, question: PromptQuestion) -> pl.DataFrame:
    """The rows of `records.prompts` that a question selects.

    Raises:
        UsageError: The prompt file does not exist.
    """
    wanted = PromptFilter(question.kinds, question.generators, question.search, question.exclude_prompts)
    return select_prompts(_prompt_set(records, question.prompts), wanted)


def _prompt_set(records: PromptRecords, wanted: str) -> pl.DataFrame:
    prompts = records.prompts
    if wanted == ALL:
        return prompts
    if wanted == SHARED:
        return prompts.filter(pl.col("shared"))
    path = Path(wanted)
    if not path.is_file():
        raise UsageError(f"No prompts {wanted!r}; expected `shared`, `all`, or the path of a prompt file.")
    named = read_prompt_file(path, records.tasks).select("task_name", "prompt_id")
    return prompts.join(named, on=["task_name", "prompt_id"], how="semi", maintain_order="left")


def _chosen_source(cells: pl.DataFrame, source: str) -> str:
    sources = _names(cells["source_name"])
    if not sources:
        raise UsageError(
            "No source of this snapshot holds prompt experiments; run `python -m engine demo`, "
            "or add one: `engine add PATH --name NAME`, then `engine build`."
        )
    if source and source not in sources:
        raise UsageError(f"No prompt experiments in source {source!r}; expected one of: {', '.join(sources)}.")
    return source or sources[0]


def _expect(name: str, known: Iterable[str], what: str) -> None:
    names = list(known)
    if name not in names:
        raise UsageError(f"No {what} is called {name!r}; there are: {names_like(name, names)}.")


def _names(values: pl.Series) -> tuple[str, ...]:
    return tuple(values.drop_nulls().unique().sort())


def _in_words(question: PromptQuestion, source: str, snapshot_id: str) -> dict[str, str]:
    words = {
        "snapshot": snapshot_id,
        "source": source,
        "task": ", ".join(question.tasks) or "all",
        "exclude-task": ", ".join(question.exclude_tasks),
        "model": ", ".join(question.models) or "all",
        "reference": question.reference.value,
        "prompts": question.prompts,
        "kind": ", ".join(question.kinds),
        "generator": ", ".join(question.generators),
        "search": question.search,
        "exclude-prompt": ", ".join(question.exclude_prompts),
        "rows": question.rows,
        "low": f"{question.low:g}",
        "high": f"{question.high:g}",
        "published": question.published,
    }
    return {key: value for key, value in words.items() if value}
