"""From files to a snapshot: the only module that knows both the ingest and the store.

A build looks at every registered source, reads the files that changed since the current snapshot,
and publishes a new one; where nothing changed it publishes nothing. A source that cannot be read at all
(a disk that is not there) keeps its rows, is noted among the rejects, and stops no other source.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import polars as pl

from engine.build_plan import Plan, SourcePlan, plan_build
from engine.descriptions import (
    describe_benchmark_rows,
    describe_corpora,
    describe_languages_in_use,
    describe_models,
    describe_prompts_in_use,
    describe_rows,
    describe_tasks,
    read_prompt_records,
)
from engine.ingest.frames import read_frame
from engine.ingest.harvest import Harvest, empty_harvest
from engine.ingest.metadata import Metadata, mteb_metadata
from engine.ingest.mteb_results import read_results
from engine.ingest.prompts import PROMPT_TEXT_FRAME
from engine.intake import ROW_KEY, Intake
from engine.keeping import kept_harvest
from engine.language_cells import sum_languages
from engine.lock import engine_lock
from engine.numbering import add_numbers
from engine.progress import Progress, silent
from engine.schema import (
    BENCHMARK_ROWS,
    BENCHMARKS,
    CORPORA,
    LANGUAGE_LISTS,
    LANGUAGE_SCORES,
    LANGUAGES,
    MODELS,
    PROMPTS,
    ROWS,
    SOURCES,
    TASKS,
    SourceKind,
)
from engine.settings import Settings
from engine.store import Draft, Snapshot, drafting, open_usable_snapshot
from engine.triplet_intake import take_in_own_files

DESCRIBING_FRAMES = ("prompts", "prompt_records", "models", "tasks", "task_rows")
"""What a harvest holds beside runs and scores."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    snapshot_id: str
    is_new: bool
    """False where nothing had changed: the snapshot is the one from before."""
    n_files_read: int
    n_runs_added: int
    n_runs_removed: int
    seconds: float
    problems: tuple[str, ...]
    """Why a source, or its prompt file, could not be read; the rows of such a source stay as they were."""


def build(settings: Settings, progress: Progress = silent) -> BuildReport:
    """Bring the store up to date with its sources and publish it.

    Raises:
        SourceError: A prompt file of the data folder cannot be read; nothing is published then.
        Busy: Another engine process is writing.
    """
    started = time.monotonic()
    with engine_lock(settings):
        base = open_usable_snapshot(settings)
        plan = plan_build(settings, base)
        if base and plan.is_done_by(base) and not _files_beside_differ(settings, plan, base):
            return BuildReport(base.snapshot_id, False, 0, 0, 0, time.monotonic() - started, plan.problems)
        with drafting(settings) as draft:
            intake = fill_draft(settings, draft, plan, progress)
    n_read = sum(len(each.scan.changed) for each in plan.sources)
    seconds = time.monotonic() - started
    return BuildReport(draft.snapshot_id, True, n_read, intake.n_added, intake.n_removed, seconds, plan.problems)


def fill_draft(settings: Settings, draft: Draft, plan: Plan, progress: Progress) -> Intake:
    """Do what a plan says in a draft; what was counted on the way comes back."""
    metadata = mteb_metadata(settings)
    draft.mteb_version = metadata.mteb_version
    intake = Intake(draft)
    for name in plan.gone:
        intake.drop_source(name)
    harvests = []
    for position, each in enumerate(plan.sources):
        progress(f"reading {each.source.name}", position, len(plan.sources))
        if each.starts_over:
            intake.drop_source(each.source.name)
        harvests.append(_take_in(settings, each, metadata.tasks, draft, intake))
        intake.note_times(each.source.name, each.scan.touched)
        intake.note_problems(each.source.name, each.noted, each.problems)
    progress("describing", 0, 1)
    intake.sort_scores()
    _describe(settings, draft, plan, metadata, harvests, intake)
    sum_languages(draft)
    progress("reading triplet sets", 0, 1)
    take_in_own_files(settings, draft, plan.own_files)
    progress("publishing", 0, 1)
    return intake


def _take_in(settings: Settings, each: SourcePlan, tasks: pl.DataFrame, draft: Draft, intake: Intake) -> Harvest:
    """Put a source's scores into the draft; how it describes itself comes back."""
    described = []
    for portion in each.portions:
        harvest = harvest_source(settings, replace(each, scan=portion), tasks, draft)
        intake.replace_files(each.source.name, [*portion.changed, *portion.removed], harvest)
        described.append(empty_harvest(**{name: getattr(harvest, name) for name in DESCRIBING_FRAMES}))
    return replace(described[0], prompts=pl.concat([harvest.prompts for harvest in described]))


def harvest_source(settings: Settings, each: SourcePlan, tasks: pl.DataFrame, store: Draft | Snapshot) -> Harvest:
    """What the changed files of a source hold, and how the source describes its models, tasks and prompts.

    Args:
        settings: Whose data folder.
        each: The source and what changed in it.
        tasks: `task_name` and `task_type` of known tasks.
        store: What a source that is out of reach said when it was last read.
    """
    if each.is_out_of_reach:
        return kept_harvest(store, each.source.name)
    if each.source.kind is SourceKind.FRAME:
        return read_frame(each.source.name, each.source.path, tasks) if each.scan.changed else empty_harvest()
    return read_results(settings, each.source.name, each.source.path, each.scan, tasks)


def _files_beside_differ(settings: Settings, plan: Plan, base: Snapshot) -> bool:
    """Some file about prompts, corpora or languages says something else than the snapshot, though no result changed."""
    tasks = base.read("SELECT * FROM tasks")
    languages = base.read("SELECT * FROM languages ORDER BY language")
    described = describe_languages_in_use(settings, mteb_metadata(settings), languages["language"])
    corpora = base.read("SELECT * FROM corpora ORDER BY task_name")
    if not (described.equals(languages) and describe_corpora(settings, tasks).equals(corpora)):
        return True
    harvests = [harvest_source(settings, each, tasks, base) for each in plan.sources]
    records = read_prompt_records(settings, [each.source for each in plan.sources], harvests, tasks)
    prompts = describe_prompts_in_use(_texts_of_runs(base), records, tasks)
    return not prompts.equals(base.read("SELECT * FROM prompts").sort(PROMPTS.key))


def _describe(
    settings: Settings, draft: Draft, plan: Plan, metadata: Metadata, harvests: list[Harvest], intake: Intake
) -> None:
    """Write the tables that describe what the scores refer to."""
    sources = [each.source for each in plan.sources]
    used = draft.read("SELECT DISTINCT model_name, task_name FROM runs")
    tasks = describe_tasks(metadata, harvests, used["task_name"])
    scored = draft.read("SELECT DISTINCT row_id FROM scores").join(intake.rows, on="row_id")
    rows = add_numbers(describe_rows(metadata, harvests, scored, tasks), intake.rows, ROW_KEY, "row_id")
    records = read_prompt_records(settings, sources, harvests, tasks)
    run_texts = _texts_of_runs(draft, *(harvest.prompts for harvest in harvests))
    tables = {
        MODELS: describe_models(metadata, harvests, used["model_name"]),
        TASKS: tasks,
        ROWS: rows,
        BENCHMARKS: metadata.benchmarks,
        BENCHMARK_ROWS: describe_benchmark_rows(metadata, rows),
        PROMPTS: describe_prompts_in_use(run_texts, records, tasks),
        CORPORA: describe_corpora(settings, tasks),
        SOURCES: pl.concat([SOURCES.schema.to_frame(), *(_source_row(draft, each) for each in plan.sources)]),
    }
    for table, frame in tables.items():
        draft.replace(table, frame)
    draft.delete(LANGUAGE_LISTS, "language_list_id NOT IN (SELECT language_list_id FROM scores)")
    in_files = draft.read("SELECT DISTINCT unnest(languages) AS language FROM language_lists")["language"]
    codes = pl.concat([in_files, rows["languages"].explode(empty_as_null=False)])
    languages = describe_languages_in_use(settings, metadata, codes)
    if _is_told_otherwise(languages, draft.read("SELECT * FROM languages")):
        draft.delete(LANGUAGE_SCORES, "true")
    draft.replace(LANGUAGES, languages)


def _is_told_otherwise(languages: pl.DataFrame, before: pl.DataFrame) -> bool:
    """A code that was known before is described in another way now, so that kinds of rows may be others."""
    again = languages.join(before, on="language", how="semi")
    return bool(len(again.join(before, on=before.columns, how="anti", nulls_equal=True)))


def _texts_of_runs(reader: Draft | Snapshot, *read_now: pl.DataFrame) -> pl.DataFrame:
    """Texts of the prompts that have a run, from the store and from what was just read."""
    columns = list(PROMPT_TEXT_FRAME)
    texts = pl.concat(
        [reader.read("SELECT * FROM prompts").select(columns), *(each.select(columns) for each in read_now)]
    )
    with_runs = reader.read("SELECT DISTINCT prompt_id, task_name FROM runs WHERE prompt_id IS NOT NULL")
    return texts.join(with_runs, on=PROMPTS.key, how="semi")


def _source_row(draft: Draft, each: SourcePlan) -> pl.DataFrame:
    if each.is_out_of_reach:
        kept = draft.read("SELECT * FROM sources WHERE source_name = ?", [each.source.name])
        if not kept.is_empty():
            return kept
    newest = max((file.modified_ns for file in each.scan.found), default=None)
    row = {
        "source_name": each.source.name,
        "source_kind": each.source.kind.value,
        "path": str(each.source.path),
        "n_files": len(each.scan.found),
        "n_bytes": each.scan.n_bytes,
        "newest_file": None if newest is None else datetime.fromtimestamp(newest / 1e9, UTC),
    }
    return pl.DataFrame([row], schema=SOURCES.schema)
