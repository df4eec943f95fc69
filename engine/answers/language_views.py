"""Answers about languages: each function asks one thing of the records that were read."""

from __future__ import annotations

import polars as pl

from engine.analysis.contamination import Declarations, correlate_declared, declared_weight, read_declarations
from engine.analysis.language_checklist import check_languages
from engine.analysis.language_composition import LanguageComposition, Part, compose
from engine.analysis.language_coverage import cover_task_types
from engine.analysis.language_disagreement import Disagreement, compare_orders
from engine.analysis.language_hub import LanguageHub, see_both_sides
from engine.analysis.language_records import LanguageRecords
from engine.analysis.language_same_paper import SamePaper, compare_same_paper
from engine.analysis.language_scores import LanguageScores, score_languages
from engine.analysis.language_shortlist import Shortlist, list_models
from engine.analysis.language_table import tabulate_languages
from engine.analysis.language_what_if import WhatIfEffect, compare_what_if, leave_each_out
from engine.analysis.language_worth import weigh_languages
from engine.answers.language_composition import LanguageQuestion, chosen_languages, chosen_model
from engine.errors import UsageError


def scores(records: LanguageRecords, question: LanguageQuestion) -> LanguageScores:
    """The score of every model in every language, under the question's what-if."""
    return score_languages(records, question.what_if)


def table(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """The language table as rows: all models and languages, or those that the question names."""
    rows = tabulate_languages(records, scores(records, question))
    if question.languages:
        rows = rows.filter(pl.col("language").is_in(question.languages))
    if question.models:
        rows = rows.filter(pl.col("model_name").is_in(question.models))
    return rows


def composition(records: LanguageRecords, question: LanguageQuestion) -> LanguageComposition:
    """What the score of the question's model is made of in its first language."""
    return compose(records, chosen_model(records, question), chosen_languages(records, question)[0], question.what_if)


def parts_left_out(records: LanguageRecords, question: LanguageQuestion, part: Part) -> pl.DataFrame:
    """The score of the question's model in its first language without each part in turn."""
    language = chosen_languages(records, question)[0]
    return leave_each_out(records, chosen_model(records, question), language, part, question.what_if)


def effect(records: LanguageRecords, question: LanguageQuestion) -> WhatIfEffect:
    """The language table as mteb computes it, and under the question's what-if."""
    return compare_what_if(records, question.what_if)


def hub(records: LanguageRecords, question: LanguageQuestion) -> LanguageHub:
    """Rows with English of the question's model, from both sides."""
    return see_both_sides(records, chosen_model(records, question))


def same_paper(records: LanguageRecords, question: LanguageQuestion) -> SamePaper:
    """The question's languages over what all of them share in kind.

    Raises:
        UsageError: The question names fewer than two languages.
    """
    if len(set(question.languages)) < 2:
        raise UsageError(
            f"Languages to compare: {', '.join(question.languages) or 'none'}; expected two or more. "
            "Name them with --language, such as --language deu-Latn --language hin-Deva."
        )
    return compare_same_paper(records, chosen_model(records, question), question.languages)


def worth(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """How much each language score is worth, for the question's languages or all."""
    return weigh_languages(records, question.languages or records.known_languages)


def checklist(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """The checklist of the question's languages, or of those that a picture shows."""
    return check_languages(records, chosen_languages(records, question))


def coverage(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """Kinds of test by language, for the question's languages or all."""
    covered = cover_task_types(records)
    return covered.filter(pl.col("language").is_in(question.languages)) if question.languages else covered


def declarations(records: LanguageRecords, question: LanguageQuestion) -> Declarations:
    """What each model declares to have been trained on."""
    return read_declarations(records, question.closure)


def declared_share(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """How much of each language score stands on declared tasks, for the question's models and languages or all."""
    shares = declared_weight(records, declarations(records, question))
    if question.languages:
        shares = shares.filter(pl.col("language").is_in(question.languages))
    return shares.filter(pl.col("model_name").is_in(question.models)) if question.models else shares


def declared_correlation(records: LanguageRecords, question: LanguageQuestion) -> pl.DataFrame:
    """Rank correlation between places and declared tasks."""
    return correlate_declared(declarations(records, question))


def shortlist(records: LanguageRecords, question: LanguageQuestion) -> Shortlist:
    """Models for the question's purpose in its languages.

    Raises:
        UsageError: The question names no language.
    """
    if not question.languages:
        raise UsageError("No language is named for a short list; name one with --language, such as deu-Latn.")
    return list_models(
        records,
        declarations(records, question),
        question.languages,
        question.purpose,
        question.wanted,
        seed=question.seed,
    )


def disagreement(records: LanguageRecords, question: LanguageQuestion) -> Disagreement:
    """How the question's languages order models, against the leaderboard and each other."""
    return compare_orders(records, scores(records, question), chosen_languages(records, question))
