"""Reads the scores that a question about a leaderboard ranks: of a prompt study, or of a benchmark as published."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import polars as pl

from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_selection import PromptCube, build_prompt_cube
from engine.analysis.ranking import ScoreMatrix, build_score_matrix
from engine.answers import prompt_distributions as prompts
from engine.answers.leaderboard import (
    LeaderboardOptions,
    LeaderboardQuestion,
    chosen_source,
    expect,
    in_words,
    options,
    studies,
)
from engine.answers.published_scores import read_published_scores
from engine.errors import UsageError
from engine.store import Snapshot


@dataclass(frozen=True)
class Board:
    """The scores that are ranked.

    Attributes:
        matrix: Scores with default settings, models × tasks.
        cube: The same with scores over prompts; None for published results.
        prompts: The prompts of the cube (table `prompts`); empty for published results.
        n_texts: Texts that one more prompt makes a model encode, by task (queries, or samples); empty where not known.
        n_tasks: Tasks asked for, with results or without.
        notes: What a reader must know.
        settings: The question in words, for downloads.
    """

    matrix: ScoreMatrix
    cube: PromptCube | None
    prompts: pl.DataFrame
    n_texts: dict[str, int]
    n_tasks: int
    notes: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)


def answer(snapshot: Snapshot, question: LeaderboardQuestion) -> Board:
    """The scores that a question is about.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    as_published = bool(question.benchmark and not question.source)
    question = replace(question, source=chosen_source(snapshot, question))
    for task_type in question.task_types:
        expect(task_type, options(snapshot, question.source).task_types, f"task type in source {question.source!r}")
    if question.source in studies(snapshot) and not as_published:
        board = study_board(snapshot, question, prompts.answer(snapshot, question.prompt_question))
    else:
        board = published_board(snapshot, question)
    if question.target:
        expect(question.target, board.matrix.model_names, "model on this leaderboard")
    return board


def study_board(snapshot: Snapshot, question: LeaderboardQuestion, distributions: PromptDistributions) -> Board:
    """The scores of a source with prompt experiments, from its prompt distributions.

    Args:
        snapshot: Gives the numbers of texts.
        question: What is asked; task types are filtered here.
        distributions: The answer to `question.prompt_question`.
    """
    scores, cells = distributions.scores, distributions.cells
    if question.task_types:
        scores, cells = (frame.filter(pl.col("task_type").is_in(question.task_types)) for frame in (scores, cells))
    defaults = cells.select("model_name", "task_name", "task_type", pl.col("reference_score").alias("score"))
    left_out = distributions.left_out
    notes = (
        [f"{len(left_out):,} pairs of model and task are left out: {left_out['reason'][0]}."] if len(left_out) else []
    )
    return Board(
        matrix=build_score_matrix(defaults),
        cube=build_prompt_cube(scores, defaults),
        prompts=distributions.prompts,
        n_texts=_texts(snapshot, question, distributions),
        n_tasks=cells["task_name"].n_unique(),
        notes=(*distributions.notes, *notes),
        settings=in_words(question, snapshot.snapshot_id),
    )


def published_board(snapshot: Snapshot, question: LeaderboardQuestion) -> Board:
    """The scores of a benchmark in a source of published results.

    Raises:
        UsageError: The question names no benchmark, or one that the source does not cover.
    """
    offered = options(snapshot, question.source)
    if not question.benchmark:
        raise UsageError(f"Which benchmark of {question.source!r}? It covers: {', '.join(offered.benchmarks)}.")
    known = snapshot.read("SELECT benchmark_name FROM benchmarks ORDER BY 1")["benchmark_name"]
    expect(question.benchmark, known, "benchmark")
    published = read_published_scores(snapshot, question.source, question.benchmark, question.data)
    scores = _filtered(published.scores, question, offered)
    asked = bool(question.tasks or question.exclude_tasks or question.task_types)
    n_tasks = scores["task_name"].n_unique() if asked else published.n_tasks
    matrix = build_score_matrix(scores)
    return Board(
        matrix=matrix,
        cube=None,
        prompts=pl.DataFrame(schema={"task_name": pl.String, "prompt_id": pl.String, "prompt_text": pl.String}),
        n_texts={},
        n_tasks=n_tasks,
        notes=(*published.notes, *_gaps(matrix, n_tasks)),
        settings=in_words(question, snapshot.snapshot_id),
    )


def _filtered(scores: pl.DataFrame, question: LeaderboardQuestion, offered: LeaderboardOptions) -> pl.DataFrame:
    for name in (*question.tasks, *question.exclude_tasks):
        expect(name, offered.tasks, f"task in source {question.source!r}")
    for name in question.models:
        expect(name, offered.models, f"model in source {question.source!r}")
    wanted = {"task_name": question.tasks, "task_type": question.task_types, "model_name": question.models}
    for column, names in wanted.items():
        if names:
            scores = scores.filter(pl.col(column).is_in(names))
    return scores.filter(~pl.col("task_name").is_in(question.exclude_tasks))


def _gaps(matrix: ScoreMatrix, n_tasks: int) -> tuple[str, ...]:
    held = len(matrix.task_names)
    unasked = [name for name, asked in zip(matrix.task_names, matrix.is_asked, strict=True) if not asked]
    notes = [f"No result in this source: {n_tasks - held:,} of {n_tasks:,} tasks."] if n_tasks > held else []
    if unasked:
        notes.append(f"No model has every row of {', '.join(unasked)}; means and complete cases leave it out.")
    return tuple(notes)


def _texts(snapshot: Snapshot, question: LeaderboardQuestion, distributions: PromptDistributions) -> dict[str, int]:
    rows = distributions.records.rows_of(question.prompt_question.rows)
    counted = snapshot.read("SELECT row_id, coalesce(n_queries, n_samples) AS n_texts FROM rows")
    texts = rows.join(counted, on="row_id", how="left").group_by("task_name").agg(
        n_texts=pl.col("n_texts").sum(), unknown=pl.col("n_texts").null_count()
    )  # fmt: skip
    return {} if texts["unknown"].sum() else dict(texts.select("task_name", "n_texts").sort("task_name").iter_rows())
