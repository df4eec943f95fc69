"""What the analyses of languages stand on: one benchmark's scores summed by language, and its rows by description.

The sums are small and dense: cells × models, where a cell is a language, task, split and kind of row. Whatever is
dropped or weighted anew is a choice of lines, so that every answer comes from the same four matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from engine.analysis.languages import language_labels, row_kind
from engine.analysis.ranking import Floats, Ints, positions
from engine.errors import UsageError, names_like

CELL_KEY = ("language", "task_name", "split", "row_kind")


@dataclass(frozen=True)
class Groups:
    """Lines of a frame by the values of some columns.

    Attributes:
        of_line: Number of each line's group.
        keys: One row per group, in order of first appearance: its values.
    """

    of_line: Ints
    keys: pl.DataFrame

    def total(self, values: Floats) -> Floats:
        """Sums of lines by group; groups × columns."""
        shape = (len(self.keys), len(self.of_line))
        members = csr_array((np.ones(len(self.of_line)), (self.of_line, np.arange(len(self.of_line)))), shape=shape)
        return np.asarray(members @ values)


def group_lines(lines: pl.DataFrame, *columns: str) -> Groups:
    """The groups of lines that agree in these columns."""
    keys = lines.select(columns).unique(maintain_order=True).with_row_index("group")
    of_line = lines.select(columns).join(keys, on=columns, how="left", maintain_order="left")["group"]
    return Groups(_whole_numbers(of_line), keys.drop("group"))


@dataclass(frozen=True)
class LanguageSums:
    """Scores summed by language, cells × models: a choice of cells is then a copy of whole lines of memory.

    Attributes:
        model_names: One a column, in alphabetical order.
        cells: One row per line: `language` (after merging), `language_code` (as written), `task_name`, `task_type`,
            `corpus` (the task itself where it shares none), `split`, `row_kind`; sorted by language and task.
        rows: Rows with a number, as often as mteb counts them.
        rows_distinct: The same rows, each once.
        scores: Sum of their scores, as often as they are counted.
        scores_distinct: Sum of their scores, each once.
    """

    model_names: tuple[str, ...]
    cells: pl.DataFrame
    rows: Floats
    rows_distinct: Floats
    scores: Floats
    scores_distinct: Floats

    def select_cells(self, kept: Ints) -> LanguageSums:
        """The sums of some cells, in the order of their positions."""
        matrices = (self.rows, self.rows_distinct, self.scores, self.scores_distinct)
        return LanguageSums(self.model_names, self.cells[kept], *(matrix[kept] for matrix in matrices))


@dataclass(frozen=True)
class LanguageRecords:
    """The scores of one benchmark in one source by language, and what they are about.

    Attributes:
        sums: The scores.
        papers: One row per language, task, split and kind of row by mteb's description of the benchmark, scored or not:
            the columns of `CELL_KEY`, `task_type`, `corpus`, `rows`, `rows_distinct`, `n_queries`, `n_documents`,
            `n_samples` (mean per row where known).
        asked: One row per language × task: `rows_expected`, the rows of a model that has them all; 0 = no model does.
        tasks: Table `tasks` of the benchmark's tasks, with `corpus`.
        corpora: Table `corpora`, of other tasks too.
        models: Table `models` of the models.
        languages: Table `languages`.
        task_scores: One row per model × task: `model_name`, `task_name`, `task_type`, `score`, `rows`,
            `rows_expected`, over all rows of the benchmark whatever their language.
        view: Languages that mteb's site shows for the benchmark.
        notes: What a reader must know.
        settings: The question in words, for downloads.
    """

    sums: LanguageSums
    papers: pl.DataFrame
    asked: pl.DataFrame
    tasks: pl.DataFrame
    corpora: pl.DataFrame
    models: pl.DataFrame
    languages: pl.DataFrame
    task_scores: pl.DataFrame
    view: tuple[str, ...]
    notes: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each language is called on screen."""
        return language_labels(self.languages, self.papers, self.view)

    @cached_property
    def by_language(self) -> Groups:
        """The lines of the sums by language."""
        return group_lines(self.sums.cells, "language")

    @cached_property
    def known_languages(self) -> tuple[str, ...]:
        """Languages that the benchmark's rows name, scored or not, in alphabetical order of their codes."""
        return tuple(pl.concat([self.sums.cells["language"], self.papers["language"]]).unique().sort())

    def label(self, language: str) -> str:
        """What a language is called on screen."""
        return self.labels.get(language, language)

    def model_index(self, model_name: str) -> int:
        """Where a model stands in the matrices.

        Raises:
            UsageError: It has no score here.
        """
        names = self.sums.model_names
        if model_name not in names:
            raise UsageError(
                f"No model with scores here is called {model_name!r}; there are: {names_like(model_name, names)}."
            )
        return names.index(model_name)

    def expect_language(self, language: str) -> None:
        """Nothing, where the benchmark has rows in a language.

        Raises:
            UsageError: It has none.
        """
        if language not in self.known_languages:
            raise UsageError(
                f"No row here is in language {language!r}; there are: {names_like(language, self.known_languages)}."
            )


def build_sums(runs: pl.DataFrame, sums: pl.DataFrame, cells: pl.DataFrame, merged: dict[str, str]) -> LanguageSums:
    """The matrices of stored sums.

    Args:
        runs: `run_id`, `model_name` of the runs shown: one a model and task.
        sums: Table `language_scores` of these runs and cells.
        cells: `language_cell_id`, `language`, `task_name`, `task_type`, `corpus`, `split`, `row_kind`.
        merged: The code that each written code counts as.
    """
    used = cells.join(sums, on="language_cell_id", how="semi").with_columns(
        language_code=pl.col("language"), language=pl.col("language").replace(merged)
    )
    used = used.sort(*CELL_KEY, "language_code", "language_cell_id")
    models = runs.join(sums, on="run_id", how="semi")["model_name"].unique().sort()
    placed = sums.join(runs.select("run_id", "model_name"), on="run_id", maintain_order="left")
    at = (_places(placed["language_cell_id"], used["language_cell_id"]), positions(placed["model_name"], models))
    columns = ("rows", "rows_distinct", "score_sum", "score_sum_distinct")
    matrices = (_matrix(placed[column], at, (len(used), len(models))) for column in columns)
    return LanguageSums(tuple(models), used.drop("language_cell_id"), *matrices)


def describe_papers(rows: pl.DataFrame, merged: dict[str, str]) -> pl.DataFrame:
    """One row per language, task, split and kind of row, from descriptions of rows alone.

    Args:
        rows: `task_name`, `task_type`, `corpus`, `split`, `languages`, `n_queries`, `n_documents`, `n_samples`.
        merged: The code that each written code counts as.
    """
    sizes = ("n_queries", "n_documents", "n_samples")
    named = (
        rows.with_columns(row_kind=row_kind(pl.col("languages")))
        .with_row_index("row")
        .explode("languages")
        .rename({"languages": "language"})
        .filter(pl.col("language").is_not_null())
        .with_columns(pl.col("language").replace(merged))
    )
    return (
        named.group_by(*CELL_KEY, "task_type", "corpus")
        .agg(
            pl.col(sizes).mean(),
            rows=pl.len().cast(pl.Int64),
            rows_distinct=pl.col("row").n_unique().cast(pl.Int64),
        )
        .sort(CELL_KEY)
    )


def _matrix(values: pl.Series, at: tuple[Ints, Ints], shape: tuple[int, int]) -> Floats:
    matrix = np.zeros(shape)
    matrix[at] = values.to_numpy()
    return matrix


def _places(ids: pl.Series, order: pl.Series) -> Ints:
    place = np.empty(int(order.to_numpy().max(initial=0)) + 1, dtype=np.int64)
    place[order.to_numpy()] = np.arange(len(order))
    return np.asarray(place[ids.to_numpy()])


def _whole_numbers(values: pl.Series) -> Ints:
    return np.asarray(values.to_numpy(), dtype=np.int64)


def count_asked(sums: LanguageSums, task_scores: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """One row per language × task: `rows_expected`, how many rows of it a complete model has; 0 = asked of nobody.

    A task is asked where some model has at least half of the rows that mteb describes: one of which only a few rows
    were ever published would make every model incomplete. Asked are then the most rows that any model has in the
    language; a task that mteb does not describe is asked as it is found.

    Args:
        sums: The scores.
        task_scores: `task_name`, `rows` (distinct), one row per model × task.
        rows: Rows of the benchmark by description, one each: `task_name`, `languages`.
    """
    told = rows.group_by("task_name").agg(told=pl.len())
    most_of_task = task_scores.group_by("task_name").agg(held=pl.col("rows").max())
    rare = told.join(most_of_task, on="task_name", how="left").filter(2 * pl.col("held").fill_null(0) < pl.col("told"))
    tasks = group_lines(sums.cells, "language", "task_name")
    most = tasks.total(sums.rows).max(axis=1, initial=0.0)
    is_rare = pl.col("task_name").is_in(rare["task_name"].implode())
    return tasks.keys.with_columns(rows_expected=pl.when(~is_rare).then(pl.Series(most).cast(pl.Int64)).otherwise(0))
