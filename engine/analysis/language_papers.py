"""Examination papers side by side: what each language is asked by description, and what one model's score stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.analysis.sentences import Segment, Sentence, counted, part_of, percent, points, said, strong, task

_THIRD = 1 / 3


@dataclass(frozen=True)
class LanguagePapers:
    """The papers of some languages, and one model's marks.

    Attributes:
        model_name: Whose scores.
        languages: One row per language, in the order asked: `language`, `language_name`, `rows_described`, `rows` (with
            a score of the model, as mteb counts them), `n_tasks` (described), `score`, `largest_task` (of the rows with
            a score), `largest_share`, `rows_of_largest`, `mean_of_largest`, `score_without` (the other tasks; null =
            there is no other), `change`, `paper_task` (largest by description), `paper_share`, `rows_missing`.
        tasks: One row per language × task, by language, then by share of the paper: `language`, `task_name`,
            `task_type`, `corpus`, `rows_described`, `rows`, `share` (of the paper), `mean`, `uses_train`.
    """

    model_name: str
    languages: pl.DataFrame
    tasks: pl.DataFrame


def lay_out_papers(records: LanguageRecords, model_name: str, languages: Sequence[str]) -> LanguagePapers:
    """The papers of these languages by description of the benchmark, beside the scores of one model.

    Formula: share = rows of the task ÷ rows of the language, both by description; where results have more rows of a
    task than its description, by results. Score without the largest task = mean over all rows but those of the task
    with most rows *that have a score*. Ties: the task that comes first by name. Missing: a task without a score keeps
    its share of the paper and has no mean.

    Raises:
        UsageError: There is no such model or language.
    """
    for language in languages:
        records.expect_language(language)
    tasks = _tasks(records, records.model_index(model_name), languages)
    order = pl.DataFrame({"language": list(languages)}, schema={"language": pl.String})
    papers = order.join(_papers(tasks), on="language", how="left", maintain_order="left")
    named = pl.Series("language_name", [records.label(language) for language in languages], dtype=pl.String)
    return LanguagePapers(model_name, papers.insert_column(1, named), tasks.drop("total"))


def _tasks(records: LanguageRecords, at: int, languages: Sequence[str]) -> pl.DataFrame:
    keys = ("language", "task_name", "task_type", "corpus")
    asked = pl.col("language").is_in(list(languages))
    told = records.papers.filter(asked).group_by(keys).agg(
        rows_described=pl.col("rows").sum(), train_told=(pl.col("split") == "train").any()
    )  # fmt: skip
    sums = records.sums
    held = (
        sums.cells.with_columns(rows=pl.Series(sums.rows[:, at]), total=pl.Series(sums.scores[:, at]))
        .filter(asked, pl.col("rows") > 0)
        .group_by(keys)
        .agg(pl.col("rows").sum().cast(pl.Int64), pl.col("total").sum(), train_held=(pl.col("split") == "train").any())
    )
    whole = pl.max_horizontal("rows_described", "rows")
    return (
        told.join(held, on=keys, how="full", coalesce=True)
        .with_columns(pl.col("rows_described", "rows").fill_null(0), uses_train=pl.coalesce("train_held", "train_told"))
        .with_columns(share=whole / whole.sum().over("language"), mean=pl.col("total") / pl.col("rows"))
        .select(*keys, "rows_described", "rows", "share", pl.col("mean").fill_nan(None), "uses_train", "total")
        .sort("language", "share", "task_name", descending=[False, True, False])
    )


def _papers(tasks: pl.DataFrame) -> pl.DataFrame:
    scored = tasks.filter(pl.col("rows") > 0).sort("rows", "task_name", descending=[True, False])
    first, rows, total = pl.col("rows").first(), pl.col("rows").sum(), pl.col("total").sum()
    marks = scored.group_by("language", maintain_order=True).agg(
        rows=rows,
        score=total / rows,
        largest_task=pl.col("task_name").first(),
        largest_share=first / rows,
        rows_of_largest=first,
        mean_of_largest=pl.col("mean").first(),
        score_without=pl.when(rows > first).then((total - pl.col("total").first()) / (rows - first)),
    )
    asked = tasks.group_by("language", maintain_order=True).agg(
        rows_described=pl.col("rows_described").sum(),
        n_tasks=pl.len().cast(pl.Int64),
        paper_task=pl.col("task_name").first(),
        paper_share=pl.col("share").first(),
        rows_missing=(pl.col("rows_described") - pl.col("rows")).clip(lower_bound=0).sum(),
    )
    order = ("language", "rows_described", "rows", "n_tasks", "score", "largest_task", "largest_share")
    rest = (
        "rows_of_largest",
        "mean_of_largest",
        "score_without",
        "change",
        "paper_task",
        "paper_share",
        "rows_missing",
    )
    return (
        asked.join(marks, on="language", how="left")
        .with_columns(pl.col("rows").fill_null(0), change=pl.col("score_without") - pl.col("score"))
        .select(*order, *rest)
    )


def find_papers(papers: LanguagePapers) -> Sentence:
    """What the papers side by side say: whose score hangs most on one task, and how common that is."""
    marks = papers.languages.drop_nulls("change")
    if marks.is_empty():
        return (said("No language here has a score of "), _model(papers), said(" over more than one task."))
    ordered = marks.sort(pl.col("change").abs(), "language", descending=[True, False])
    most = ordered.row(0, named=True)
    n_languages = len(papers.languages)
    heavy = int((papers.languages["paper_share"] > _THIRD).sum())
    way = "rises" if most["change"] > 0 else "falls"
    sentence: list[Segment] = [
        *([strong(_how_many(papers))] if n_languages > 1 else []),
        said("Without "),
        task(most["largest_task"]),
        said(f", {percent(most['largest_share'])} of its scored rows, {most['language_name']} {way} from "),
        strong(points(most["score"])),
        said(" to "),
        strong(points(most["score_without"])),
    ]
    if len(ordered) > 1:
        second = ordered.row(1, named=True)
        others = (
            f"none of the other {len(ordered) - 1} moves by more than" if len(ordered) > 2 else "the other moves by"
        )
        sentence.append(said(f"; {others} {points(abs(second['change']))} points without its own largest task"))
    if n_languages > 1:
        sentence += [said(". In "), strong(part_of(heavy, n_languages)), said(" one task makes up more than a third")]
        sentence.append(said(" of the paper"))
    return (*sentence, said("."))


def _how_many(papers: LanguagePapers) -> str:
    """How many different papers the languages sit: two are the same where every task has as many rows in both."""
    parts = pl.struct("task_name", "rows_described", "rows").sort_by("task_name")
    different = papers.tasks.group_by("language").agg(parts=parts)["parts"].n_unique()
    n_languages = len(papers.languages)
    if different == n_languages:
        return "No two languages sit the same paper. "
    return f"The {n_languages} languages sit {counted(different, 'different paper')}. "


def _model(papers: LanguagePapers) -> Segment:
    return Segment(papers.model_name.rsplit("/", 1)[-1], foreign=True)
