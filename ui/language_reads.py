"""What the language page reads: boards with scores by language, their records, and what analyses make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import polars as pl

from engine.analysis.language_records import LanguageRecords
from engine.answers import language_composition as languages
from engine.answers.language_composition import LanguageQuestion
from engine.answers.language_rows import read_language_rows
from ui import reads

Answer = TypeVar("Answer")


def language_boards() -> dict[str, tuple[str, ...]]:
    """Sources with scores in some language, and the benchmarks that each covers."""
    return reads.answered("language boards", "", languages.offered)


def language_records(question: LanguageQuestion) -> LanguageRecords:
    """The records that a question is about.

    Raises:
        UsageError: The snapshot holds no such scores.
    """
    reading = question.reading
    return reads.answered("language records", repr(reading), lambda here: languages.read(here, reading))


def language_view(
    view: Callable[..., Answer], question: LanguageQuestion, *more: object, about: LanguageQuestion | None = None
) -> Answer:
    """What a function of `engine.answers.language_views` answers, computed once per snapshot and question.

    Args:
        view: Takes records and question first.
        question: What is asked.
        more: What else the function takes; their words say all that they are.
        about: The part of the question that the answer depends on, where that is not all of it.

    Raises:
        UsageError: The question names something that the records do not hold.
    """
    records, asked = language_records(question), about or question
    name = f"{view.__module__}.{view.__qualname__}"
    return reads.answered(name, repr((asked, more)), lambda _: view(records, asked, *more))


def language_rows(question: LanguageQuestion, model_name: str, language: str) -> pl.DataFrame:
    """The single rows of a model that name a language."""
    view = language_records(question).settings
    return reads.answered(
        "language rows",
        repr((question.reading, model_name, language)),
        lambda here: read_language_rows(here, view, model_name, language),
    )


def models_by_rank(question: LanguageQuestion) -> tuple[str, ...]:
    """Models of a board, the best by mteb's Borda rule first."""
    records = language_records(question)
    return reads.answered("language models", repr(question.reading), lambda _: tuple(languages.models_by_rank(records)))
