"""Tables that describe: who says what a model, task or row is, and what remains of it in a snapshot.

Each of these tables is a pure function of mteb's metadata, the sources' own descriptions and what the
scores refer to. None of them remembers earlier builds, so an incremental build and a full one agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from engine.ingest.harvest import Harvest
from engine.ingest.language_data import describe_languages, read_corpora, read_spellings
from engine.ingest.metadata import Metadata
from engine.ingest.prompts import PROMPT_RECORD_FRAME, PROMPT_TEXT_FRAME, describe_prompts, read_prompt_file
from engine.schema import BENCHMARK_ROWS, MODELS, PROMPTS, ROWS, TASKS, Table
from engine.settings import Settings
from engine.sources import Source

ROW_KEY = ("task_name", "split", "subset")


def describe_models(metadata: Metadata, harvests: Sequence[Harvest], run_models: pl.Series) -> pl.DataFrame:
    """MODELS: every model that mteb registers or that has a run; mteb's word first, then the sources' in order."""
    return _describe(MODELS, metadata.models, [harvest.models for harvest in harvests], run_models)


def describe_tasks(metadata: Metadata, harvests: Sequence[Harvest], run_tasks: pl.Series) -> pl.DataFrame:
    """TASKS: every task that mteb registers or that has a run; mteb's word first, then the sources' in order."""
    return _describe(TASKS, metadata.tasks, [harvest.tasks for harvest in harvests], run_tasks)


def describe_rows(
    metadata: Metadata, harvests: Sequence[Harvest], scored: pl.DataFrame, tasks: pl.DataFrame
) -> pl.DataFrame:
    """ROWS without running numbers: rows that mteb or a source describes, and rows that have a score.

    Args:
        metadata: Description by mteb.
        harvests: Descriptions by the sources, in order.
        scored: `task_name`, `split`, `subset` of all rows with a score.
        tasks: TASKS; a row of any other task is left out.
    """
    columns = [name for name in ROWS.schema if name != "row_id"]
    described = [metadata.task_rows, *(harvest.task_rows for harvest in harvests)]
    rows = pl.concat([*(frame.select(columns) for frame in described), scored.select(ROW_KEY)], how="diagonal")
    return rows.unique(ROW_KEY, keep="first", maintain_order=True).join(tasks, on="task_name", how="semi").sort(ROW_KEY)


def describe_benchmark_rows(metadata: Metadata, rows: pl.DataFrame) -> pl.DataFrame:
    """BENCHMARK_ROWS: which numbered rows each benchmark averages."""
    numbered = metadata.benchmark_rows.join(rows.select("row_id", *ROW_KEY), on=ROW_KEY, how="inner")
    return numbered.select(list(BENCHMARK_ROWS.schema))


def describe_prompts_in_use(
    run_texts: pl.DataFrame, records: Sequence[pl.DataFrame], tasks: pl.DataFrame
) -> pl.DataFrame:
    """PROMPTS: every prompt that has a run, and every one that a prompt file wrote for a task of the store.

    Args:
        run_texts: Prompts that have a run: PROMPTS rows or their texts, repeats allowed.
        records: What prompt files say, in order of rising authority.
        tasks: TASKS.
    """
    columns = list(PROMPT_TEXT_FRAME)
    texts = pl.concat([run_texts.select(columns), *(frame.select(columns) for frame in records)])
    texts = texts.unique(PROMPTS.key, keep="first").join(tasks, on="task_name", how="semi").sort(PROMPTS.key)
    return describe_prompts(texts, records, tasks)


def describe_corpora(settings: Settings, tasks: pl.DataFrame) -> pl.DataFrame:
    """CORPORA: tasks of the store whose source corpus is on file."""
    return read_corpora(settings.corpora).join(tasks, on="task_name", how="semi").sort("task_name")


def describe_languages_in_use(settings: Settings, metadata: Metadata, codes: pl.Series) -> pl.DataFrame:
    """LANGUAGES: every code that a result file or a description of a row names.

    Args:
        settings: Whose file of spellings.
        metadata: Names of languages and scripts.
        codes: The codes, repeats allowed.
    """
    return describe_languages(codes, metadata.language_names, read_spellings(settings.spellings))


def read_prompt_records(
    settings: Settings, sources: Iterable[Source], harvests: Iterable[Harvest], tasks: pl.DataFrame
) -> list[pl.DataFrame]:
    """What all prompt files say, in order of rising authority.

    The project's files come first, then those in the sources' trees, those named when a source was added, and
    last the data folder's own, so that whoever looks at the numbers has the last word on a prompt's kind.

    Raises:
        SourceError: A prompt file cannot be read.
    """
    of_sources = [source.prompts for source in sources if source.prompts]
    return [
        *(read_prompt_file(path, tasks) for path in _prompt_files(settings.prompts)),
        *(harvest.prompt_records.select(list(PROMPT_RECORD_FRAME)) for harvest in harvests),
        *(read_prompt_file(path, tasks) for path in [*of_sources, *_prompt_files(settings.own_prompts)]),
    ]


def _prompt_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json*"))


def _describe(table: Table, by_mteb: pl.DataFrame, by_sources: list[pl.DataFrame], used: pl.Series) -> pl.DataFrame:
    """Rows of a table by its name column: described by mteb, else by a source that is used, else by nobody."""
    name = table.key[0]
    columns = list(table.schema)
    nobody = pl.DataFrame({name: used.unique()}).with_columns(pl.lit("nobody").alias("described_by"))
    sources = [frame.select(columns).join(nobody, on=name, how="semi") for frame in by_sources]
    rows = pl.concat([by_mteb.select(columns), *sources, nobody], how="diagonal")
    return rows.unique(name, keep="first", maintain_order=True).sort(name)
