"""What a reader would ask of a language score before trusting it: eight points, each computed and explained.

Unknown is an answer: mteb's descriptions do not say everything, and what they do not say is not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from engine.analysis.language_coverage import SEARCH
from engine.analysis.language_records import LanguageRecords
from engine.analysis.sentences import counted, percent
from engine.schema import RowKind

TRANSLATION = "BitextMining"
_TRAIN = "train"
_THIRD = 1 / 3
_THRESHOLD = r"(accuracy|f1|precision|recall)$"
"""Metrics of pairs that call a pair alike above some similarity; `max_ap` looks at the order alone."""
_IDENTIFIES = r"(?i)language[ -]identification"
_HARD_NEGATIVES = r"(?i)hard[ -]?negative"


class Point(StrEnum):
    """The points of the list."""

    COMPARABLE = "rows are within the language, or of parallel texts"
    NO_THRESHOLD = "no metric with an absolute threshold"
    NATIVE = "written in the language, not translated"
    HARD_NEGATIVES = "search among hard negatives"
    PUBLISHED = "composition published"
    BALANCED = "no task above a third of the rows"
    HELD_OUT = "no split that is training data"
    NOT_BY_SCRIPT = "not solvable from the script alone"


class Answer(StrEnum):
    """What can be said about a point."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class _Paper:
    """All that is known about one language's rows: lines of `papers` with their tasks' descriptions."""

    language: str
    lines: pl.DataFrame
    undescribed: list[str]

    @property
    def rows(self) -> int:
        return int(self.lines["rows"].sum())

    def share(self, which: pl.Expr) -> float:
        """Share of the rows for which a condition holds."""
        return float(self.lines.filter(which)["rows"].sum()) / self.rows if self.rows else 0.0

    def tasks(self, which: pl.Expr) -> list[str]:
        """Tasks with a row for which a condition holds, by name."""
        return self.lines.filter(which)["task_name"].unique().sort().to_list()


Verdict = tuple[Answer, str]


def check_languages(records: LanguageRecords, languages: Sequence[str]) -> pl.DataFrame:
    """One row per language × point, in the order of `Point`: `language`, `point`, `answer` (yes, no, unknown), `why`.

    Args:
        records: Descriptions and sums.
        languages: Languages of the benchmark.
    """
    about = ("task_name", "main_score", "sample_creation", "description", pl.col("languages").alias("task_languages"))
    parallel = _parallel_corpora(records)
    described = records.papers.filter(pl.col("language").is_in(list(languages)))
    lines = described.join(records.tasks.select(about), on="task_name", how="left").with_columns(
        is_parallel=(pl.col("task_type") == TRANSLATION) | pl.col("corpus").is_in(parallel.implode())
    )
    by_language = {language: own for (language,), own in lines.group_by("language")}
    held = records.sums.cells.select("language", "task_name").unique()
    undescribed = held.join(records.papers, on=["language", "task_name"], how="anti")
    rows = []
    for language in languages:
        strange = undescribed.filter(pl.col("language") == language)["task_name"].sort().to_list()
        paper = _Paper(language, by_language.get(language, lines.clear()), strange)
        for point in Point:
            answer, why = _VERDICTS[point](paper)
            rows.append((language, point.value, answer.value, why))
    schema = {"language": pl.String, "point": pl.String, "answer": pl.String, "why": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _parallel_corpora(records: LanguageRecords) -> pl.Series:
    """Corpora of which some task matches translations: their texts are parallel in its other tasks too."""
    matching = records.tasks.filter(pl.col("task_type") == TRANSLATION)
    return matching["corpus"].unique()


def _comparable(paper: _Paper) -> Verdict:
    loose = (pl.col("row_kind") != RowKind.SAME.value) & ~pl.col("is_parallel")
    if tasks := paper.tasks(loose):
        return (
            Answer.NO,
            f"{percent(paper.share(loose), 1)} of the rows cross languages without parallel texts: {_some(tasks)}",
        )
    within = paper.share(pl.col("row_kind") == RowKind.SAME.value)
    return Answer.YES, f"{percent(within, 1)} of the rows are within the language, the others of parallel texts"


def _no_threshold(paper: _Paper) -> Verdict:
    if tasks := paper.tasks(pl.col("main_score").is_null()):
        return Answer.UNKNOWN, f"the metric is not known for {_some(tasks)}"
    pairs = pl.col("task_type") == "PairClassification"
    if tasks := paper.tasks(pairs & pl.col("main_score").str.contains(_THRESHOLD)):
        return Answer.NO, f"pairs are called alike above a threshold in {_some(tasks)}"
    return Answer.YES, "every metric looks at order, classes or clusters"


def _native(paper: _Paper) -> Verdict:
    made = pl.col("sample_creation")
    foreign = made.str.contains("translated|LM-generated").fill_null(value=False)
    unclear = made.is_null() | (made == "created")
    shares = f"{percent(paper.share(foreign), 1)} of the rows are known to be translated or generated"
    if paper.share(foreign):
        return Answer.NO, f"{shares}: {_some(paper.tasks(foreign))}"
    if paper.share(unclear):
        return (
            Answer.UNKNOWN,
            f"{percent(paper.share(unclear), 1)} of the rows were made for the test; mteb does not say how",
        )
    return Answer.YES, "every text was found, none was made for the test"


def _hard_negatives(paper: _Paper) -> Verdict:
    search = pl.col("task_type").is_in(SEARCH) & (pl.col("row_kind") == RowKind.SAME.value)
    if not paper.tasks(search):
        return Answer.NO, "there is no search task within the language"
    told = pl.concat_str("task_name", pl.col("description").fill_null(""), separator=" ").str.contains(_HARD_NEGATIVES)
    if tasks := paper.tasks(search & told):
        return Answer.YES, f"by the description of {_some(tasks)}"
    return Answer.UNKNOWN, "no description of a search task says so"


def _published(paper: _Paper) -> Verdict:
    if not paper.rows:
        return Answer.UNKNOWN, "the results name rows that mteb does not describe"
    if paper.undescribed:
        return Answer.NO, f"results in the language that mteb does not describe: {_some(paper.undescribed)}"
    return Answer.YES, f"mteb describes all {counted(paper.rows, 'row')}, though its table shows only their mean"


def _balanced(paper: _Paper) -> Verdict:
    if not paper.rows:
        return Answer.UNKNOWN, "mteb does not describe the rows"
    tasks = (
        paper.lines.group_by("task_name").agg(pl.col("rows").sum()).sort("rows", "task_name", descending=[True, False])
    )
    share = tasks["rows"][0] / paper.rows
    told = f"{tasks['task_name'][0]} makes up {percent(share, 1)}"
    return (Answer.NO if share > _THIRD else Answer.YES), told


def _held_out(paper: _Paper) -> Verdict:
    if not paper.rows:
        return Answer.UNKNOWN, "mteb does not describe the rows"
    trained = pl.col("split") == _TRAIN
    if tasks := paper.tasks(trained):
        return Answer.NO, f"{percent(paper.share(trained), 1)} of the rows are of a train split: {_some(tasks)}"
    return Answer.YES, "no row is of a train split; whether a model read the texts elsewhere is not known"


def _not_by_script(paper: _Paper) -> Verdict:
    if not paper.rows:
        return Answer.UNKNOWN, "mteb does not describe the rows"
    identifying = paper.lines.filter(pl.col("description").str.contains(_IDENTIFIES).fill_null(value=False))
    script = paper.language.partition("-")[2]
    alone = [
        row["task_name"]
        for row in identifying.unique("task_name").sort("task_name").iter_rows(named=True)
        if script and sum(code.endswith(f"-{script}") for code in row["task_languages"] or ()) == 1
    ]
    if alone:
        return Answer.NO, f"the script names the language in {_some(alone)}"
    if len(identifying):
        return Answer.YES, "other languages of the same script are told apart from it too"
    return Answer.YES, "no task asks which language a text is in"


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} and {counted(len(names) - 3, 'other')}" if len(names) > 3 else shown


_VERDICTS: dict[Point, Callable[[_Paper], Verdict]] = {
    Point.COMPARABLE: _comparable,
    Point.NO_THRESHOLD: _no_threshold,
    Point.NATIVE: _native,
    Point.HARD_NEGATIVES: _hard_negatives,
    Point.PUBLISHED: _published,
    Point.BALANCED: _balanced,
    Point.HELD_OUT: _held_out,
    Point.NOT_BY_SCRIPT: _not_by_script,
}
