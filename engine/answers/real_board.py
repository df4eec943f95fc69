"""Answers: which ranks could a model have on a published leaderboard by its choice of prompts alone?

The one place where prompt experiments enter a published view; pages mark it as such.
"""

from __future__ import annotations

import polars as pl

from engine.analysis.places import STUDY_ROWS
from engine.analysis.prompt_freedom import PromptFreedom, compute_prompt_freedom
from engine.analysis.ranking import DECIMALS, build_score_matrix
from engine.answers import prompt_distributions as prompts
from engine.answers.leaderboard import LeaderboardQuestion, expect, studies
from engine.answers.published_scores import (
    PublishedScores,
    covered_benchmarks,
    read_published_scores,
    read_row_scores,
)
from engine.errors import UsageError
from engine.store import Snapshot


def published_sources(snapshot: Snapshot, source: str) -> dict[str, tuple[str, ...]]:
    """Sources without prompt experiments, other than the given one, and the benchmarks that each covers."""
    names = snapshot.read("SELECT source_name FROM sources ORDER BY 1")["source_name"]
    with_prompts = studies(snapshot)
    covered = {name: covered_benchmarks(snapshot, name) for name in names if name not in (*with_prompts, source)}
    return {name: benchmarks for name, benchmarks in covered.items() if benchmarks}


def real_board(snapshot: Snapshot, question: LeaderboardQuestion) -> PromptFreedom:
    """The range of ranks of the question's target on a published leaderboard.

    The target's published rows are replaced by its prompt runs on the same rows; its other rows and everyone else's
    stay as published. The board is `question.benchmark` in `question.published`; where empty, the first covered one.

    Raises:
        UsageError: There is no such board, or the target is not on it.
    """
    offered = published_sources(snapshot, question.source)
    if not offered:
        raise UsageError("No source of published results covers a benchmark; add one: `engine add PATH --name NAME`.")
    source = question.published or next(iter(offered))
    expect(source, offered, "source of published results")
    benchmark = question.benchmark or offered[source][0]
    expect(benchmark, offered[source], f"benchmark that {source!r} covers")
    published = read_published_scores(snapshot, source, benchmark)
    board = build_score_matrix(published.scores)
    expect(question.target, board.model_names, "model on this leaderboard")
    return compute_prompt_freedom(
        board,
        question.target,
        _replaced(snapshot, question, benchmark, published),
        question.aggregate,
        question.missing,
        seed=question.seed,
    )


def _replaced(
    snapshot: Snapshot, question: LeaderboardQuestion, benchmark: str, published: PublishedScores
) -> pl.DataFrame:
    """The target's score on each task with each prompt: its prompt run on the shared rows, else its published rows."""
    asked = question.prompt_question
    records = prompts.read(snapshot, asked)
    chosen = prompts.chosen_prompts(records, asked)
    runs = records.prompt_runs.filter(pl.col("model_name") == question.target).join(
        chosen, on=["task_name", "prompt_id"], how="semi"
    )
    own = published.runs.filter(pl.col("model_name") == question.target)
    rows = read_row_scores(snapshot, benchmark, own["run_id"].to_list()).join(own, on="run_id")
    # Prompts are compared on the same rows: those of the study that the benchmark averages.
    of_prompts = (
        read_row_scores(snapshot, benchmark, runs["run_id"].to_list())
        .join(runs.select("run_id", "task_name", "prompt_id"), on="run_id")
        .join(records.rows_of(STUDY_ROWS), on=["task_name", "row_id"], how="semi")
    )
    every = runs.select("task_name", "prompt_id").join(rows.select("task_name", "row_id", "score"), on="task_name")
    replaced = pl.concat([of_prompts.select("task_name", "prompt_id", "row_id", "score"), every])
    ran = of_prompts.group_by("task_name", "prompt_id").agg(n_rows=pl.len())
    whole = ran.filter(pl.col("n_rows") == pl.col("n_rows").max().over("task_name"))
    return (
        replaced.unique(["task_name", "prompt_id", "row_id"], keep="first", maintain_order=True)
        .join(whole, on=["task_name", "prompt_id"], how="semi")
        .sort("task_name", "prompt_id", "row_id")
        .group_by("task_name", "prompt_id", maintain_order=True)
        .agg(pl.col("score").mean().round(DECIMALS))
    )
