"""Published scores by language, to stand beside what models make of items and of tokens: of which board, and whose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import streamlit as st

from engine.analysis.language_scores import LanguageScores
from engine.answers import language_views
from engine.answers.language_composition import LanguageQuestion
from ui import blocks, reads
from ui.formats import counted
from ui.language_reads import language_boards, language_view
from ui.selectors import pick_one

SAME_NAME, AFTER_SLASH = "the full name", "what follows the slash"
COLUMNS = {
    "published_name": pl.String(), "language": pl.String(), "score": pl.Float64(), "rows": pl.Int64(),
    "rows_expected": pl.Int64(),
}  # fmt: skip


@dataclass(frozen=True)
class PublishedScores:
    """Scores of one board, one row per model and language, as `COLUMNS`."""

    source: str
    benchmark: str
    scores: pl.DataFrame

    @property
    def words(self) -> str:
        """Where the scores come from."""
        return board_words(self.source, self.benchmark)


def board_words(source: str, benchmark: str) -> str:
    """A board in few words: `published: MTEB(Multilingual, v2)`."""
    return f"{source}: {benchmark}"


def pick_scores() -> PublishedScores | None:
    """Scores of the board that is chosen; None, and words about how to get there, where the snapshot has none."""
    boards = language_boards() if reads.shown_snapshot_id() is not None else {}
    named = {board_words(source, each): (source, each) for source, some in boards.items() for each in some}
    if not named:
        blocks.show_empty(
            "No published scores to stand beside", "Add MTEB results, or a results repository, and build a snapshot.",
            command="python -m engine add PATH --name published && python -m engine build",
        )  # fmt: skip
        return None
    with st.container(width=430):
        source, benchmark = named[pick_one("Scores of", tuple(named), parameter="scores")]
    question = LanguageQuestion(source=source, benchmark=benchmark)
    return PublishedScores(source, benchmark, long_scores(language_view(language_views.scores, question)))


def long_scores(found: LanguageScores) -> pl.DataFrame:
    """One row per model and language that has a score, as `COLUMNS`."""
    models, languages = np.nonzero(~np.isnan(found.scores))
    return pl.DataFrame(
        {
            "published_name": [found.model_names[place] for place in models],
            "language": [found.languages[place] for place in languages],
            "score": found.scores[models, languages],
            "rows": found.rows[models, languages].astype(np.int64),
            "rows_expected": np.asarray(found.rows_expected)[languages].astype(np.int64),
        },
        schema=COLUMNS,
    )


def beside(rows: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Rows of a frame with `model_name` and `language` that have a score, with it and `matched_by`.

    A model is sought by its full name; only one that is nowhere published by that name is sought by what follows the
    slash, and of several such names the first in the alphabet counts.
    """
    published = scores.select("published_name").unique().sort("published_name")
    names = rows.select("model_name").unique()
    exact = names.join(published.with_columns(model_name="published_name"), on="model_name")
    left = names.join(exact, on="model_name", how="anti").with_columns(_after_slash("model_name"))
    shorts = published.with_columns(_after_slash("published_name")).unique("short", keep="first", maintain_order=True)
    loose = left.join(shorts, on="short").select("model_name", "published_name")
    matched = pl.concat(
        [exact.with_columns(matched_by=pl.lit(SAME_NAME)), loose.with_columns(matched_by=pl.lit(AFTER_SLASH))],
        how="diagonal",
    )
    return rows.join(matched, on="model_name", maintain_order="left").join(
        scores, on=["published_name", "language"], maintain_order="left"
    )


def _after_slash(column: str) -> pl.Expr:
    return pl.col(column).str.split("/").list.last().alias("short")


def show_what_scores_stand_on(found: PublishedScores, shown: pl.DataFrame) -> None:
    """Draws the lines that say whose scores they are, of what, how models were matched, and which command has them."""
    loose = shown.filter(matched_by=AFTER_SLASH)["model_name"].n_unique()
    partial = shown.filter(pl.col("rows") < pl.col("rows_expected")).height
    blocks.show_caption(
        f"Scores: {found.words}, snapshot {reads.shown_snapshot_id()}: default runs, mean over a language’s rows by "
        "mteb’s rule",
        f"{counted(loose, 'model')} found by {AFTER_SLASH}, since nobody published the full name" if loose else "",
        f"{counted(partial, 'score')} on a part of the rows" if partial else "",
    )
    asked = {"source": found.source, "benchmark": found.benchmark, "what": "scores"}
    blocks.show_engine_line(blocks.engine_command("language-composition", asked))
