"""Sentences about language scores: what one is made of, what moves it, what it is worth, and what models declare."""

from __future__ import annotations

import polars as pl

from engine.analysis.contamination import Declarations
from engine.analysis.language_composition import LanguageComposition
from engine.analysis.language_same_paper import SamePaper
from engine.analysis.language_scores import LanguageScores
from engine.analysis.language_shortlist import Shortlist
from engine.analysis.sentences import (
    Segment,
    Sentence,
    counted,
    model,
    part_of,
    percent,
    points,
    said,
    strong,
    task,
)


def find_composition(composition: LanguageComposition, beside: LanguageComposition | None = None) -> Sentence:
    """What a score is made of: its size, its largest task, and what it would be without that task."""
    if composition.score is None:
        return (
            model(composition.model_name),
            said(f" has no score in {composition.language_name}: the benchmark asks {_asked(composition)}."),
        )
    sentence = [
        model(composition.model_name),
        said(" scores "),
        strong(points(composition.score)),
        said(f" in {composition.language_name}"),
    ]
    if beside is not None and beside.score is not None:
        sentence += [said(" and "), strong(points(beside.score)), said(f" in {beside.language_name}")]
    largest = composition.tasks.row(0, named=True)
    sentence += [
        said(". "),
        strong(percent(largest["share"])),
        said(f" of the {composition.language_name} rows come from one task, "),
        task(largest["task_name"]),
        said(f" (mean {points(largest['mean'])})"),
    ]
    if beside is not None and beside.rows:
        sentence.append(said(f"; {beside.language_name} has {_rows_of(beside, largest['task_name'])} of it"))
    if composition.rows > largest["rows"]:
        rest = (composition.score - largest["contribution"]) / (1 - largest["share"])
        sentence += [said(f". Without it {composition.language_name} is at "), strong(points(rest))]
    return (*sentence, said("."))


def _asked(composition: LanguageComposition) -> str:
    return counted(int(composition.tasks["rows_described"].sum()), "row")


def _rows_of(composition: LanguageComposition, task_name: str) -> str:
    rows = composition.tasks.filter(pl.col("task_name") == task_name)["rows"].sum()
    return counted(int(rows), "row") if rows else "no row"


def find_left_out(without: pl.DataFrame, named: str, name: str) -> Sentence:
    """Which part of a language a score hangs on most, where nothing is left out yet."""
    moves = without.drop_nulls("change")
    if moves.is_empty():
        return (said(f"Nothing can be left out of {name}: one task is all there is."),)
    most = moves.row(0, named=True)
    way = "rises" if most["change"] > 0 else "falls"
    sentence = [said("Leave "), Segment(str(most[named]), strong=True), said(f" out and {name} {way} by ")]
    sentence += [strong(f"{points(abs(most['change']))} points"), said(f", to {points(most['score_without'])}")]
    if len(moves) > 1:
        second = moves.row(1, named=True)
        sentence += [said("; nothing else moves it by more than "), strong(points(abs(second["change"])))]
    return (*sentence, said("."))


def find_what_if(moved: pl.DataFrame, language: str, name: str, change: str) -> Sentence:
    """What a change does to one language, and how far the others move.

    Args:
        moved: `WhatIfEffect.languages_of`.
        language: The language that is told first.
        name: What it is called.
        change: What is changed, in words, such as `without BibleNLPBitextMining`.
    """
    own = moved.filter(pl.col("language") == language).drop_nulls("change")
    others = moved.filter(pl.col("language") != language).drop_nulls("change")
    if own.is_empty():
        return (said(f"With the change ({change}) nothing is left of {name} to score."),)
    row = own.row(0, named=True)
    way = "rises" if row["change"] > 0 else "falls"
    head: list[Segment] = (
        [strong(f"{name} {way} by {points(abs(row['change']))} points"), said(f" {change}, ")]
        if abs(row["change"]) >= 5e-4
        else [strong(f"{name} stays where it is"), said(f" {change}, ")]
    )
    before, after = row["place_before"], row["place_after"]
    place = f"and keeps place {before}" if before == after else f"from place {before} to {after}"
    if len(moved) == 1:
        return (*head[:-1], said(f" {change}, to {points(row['score_after'])}."))
    head.append(said(f"{place} of {len(moved)}"))
    if others.is_empty():
        return (*head, said("."))
    most = max(abs(change) for change in others["change"])
    return (*head, said("; no other language moves by more than "), strong(f"{points(most)} points"), said("."))


def find_table(scored: LanguageScores, language: str, name: str) -> Sentence:
    """How many models have all rows of a language, and where the first of them would stand by mteb's rule."""
    if language not in scored.languages:
        return (said(f"No model has a score in {name}."),)
    at = scored.column(language)
    held, complete = scored.rows[:, at] > 0, scored.is_complete[:, at]
    if not complete.any():
        return (strong(f"No model has every row of {name}"), said(f"; {counted(int(held.sum()), 'model')} have some."))
    scores = scored.scores[:, at]
    best = max(scores[complete])
    above = int((held & ~complete & (scores > best)).sum())
    first = scored.model_names[int((scores == best).nonzero()[0][0])]
    sentence = [
        _opening(part_of(int(complete.sum()), int(held.sum()))),
        said(f" models with a score in {name} have all of its {counted(int(scored.rows_expected[at]), 'row')}; "),
        model(first),
        said(" leads them with "),
        strong(points(float(best))),
    ]
    if above:
        sentence += [said(". By mteb’s rule "), strong(counted(above, "partial model")), said(" would stand above it")]
    return (*sentence, said("."))


def find_shortlist(found: Shortlist, labels: dict[str, str]) -> Sentence:
    """Who leads a short list, how sure that is, and in which languages nothing was measured."""
    missing = ", ".join(labels.get(code, code) for code in found.unmeasured)
    nothing = (
        [strong(f"Nothing was measured for {found.purpose.value} within {missing}"), said(". ")] if missing else []
    )
    ranked = found.models.drop_nulls("rank")
    if found.n_tasks == 0:
        return (nothing[0], said("."))
    if ranked.is_empty():
        return (*nothing, said("No model that passes the filter has every row of these tasks."))
    first = ranked.row(0, named=True)
    level = int(ranked["could_be_first"].fill_null(value=False).sum())
    sentence = [*nothing, model(first["model_name"]), said(f" leads for {found.purpose.value} with ")]
    sentence += [strong(points(first["score"])), said(f" over {counted(found.n_tasks, 'task')}")]
    if found.n_tasks < 2:
        sentence.append(said("; a single task gives no interval"))
    elif level > 1:
        sentence += [said(", but the tasks cannot tell it from "), strong(counted(level - 1, "other model"))]
    return (*sentence, said("."))


def find_same_paper(found: SamePaper) -> Sentence:
    """What languages share, and how far apart they are on it."""
    scores = found.scores.drop_nulls("score")
    if found.n_tasks == 0 or scores.is_empty():
        return (strong("These languages share nothing: "), said("no task has parallel rows within all of them."))
    names = scores.sort("score", descending=True)
    first, last = names.row(0, named=True), names.row(-1, named=True)
    apart = first["score"] - last["score"]
    published = scores["score_published"].drop_nulls().to_list()
    spread = max(published) - min(published)
    return (
        said(f"On the {counted(found.n_tasks, 'task')} that all of them sit, "),
        strong(f"{points(apart)} points"),
        said(f" lie between {first['language_name']} ({points(first['score'])}) and {last['language_name']} "),
        said(f"({points(last['score'])}); as published, "),
        strong(f"{points(spread)} points"),
        said(" lie between the highest and the lowest."),
    )


def find_worth(worth: pl.DataFrame, n_without_search: int, n_without_similarity: int, n_languages: int) -> Sentence:
    """How many tests a language score is worth, and how many languages were never searched in."""
    least = worth.drop_nulls("effective_tasks")
    if least.is_empty():
        return (said("The rows of these languages are not described, so their weight is unknown."),)
    row = least.row(0, named=True)
    weigh = "weighs" if row["n_tasks"] == 1 else "weigh"
    head = (
        said(f"The {counted(row['n_tasks'], 'task')} of {row['language_name']} {weigh} like "),
        strong(f"{row['effective_tasks']:.2f}"),
    )
    if n_languages == 1:
        search, similarity = counted(row["n_search"], "search task"), counted(row["n_similarity"], "similarity task")
        return (*head, said(f"; {search} and {similarity} are among them."))
    return (
        *head,
        said(". Of "),
        strong(f"{n_languages:,} languages"),
        said(", "),
        strong(f"{n_without_search:,}"),
        said(" have no search task within the language, and "),
        strong(f"{n_without_similarity:,}"),
        said(" no similarity task."),
    )


def find_declared(declarations: Declarations, correlation: pl.DataFrame) -> Sentence:
    """How many models declare what, and how their place goes with it, under both treatments of unknown."""
    ranked = declarations.models.drop_nulls("rank")
    unknown = ranked["n_declared"].null_count()
    trained = int((ranked["n_declared"].fill_null(0) > 0).sum())
    sentence = [
        _opening(part_of(trained, len(ranked))),
        said(" models declare to have been trained on tasks of this benchmark; "),
        strong(part_of(unknown, len(ranked))),
        said(" declare nothing, which is not the same as clean"),
    ]
    every = correlation.filter(pl.col("models") == "all ranked").drop_nulls("spearman")
    if len(every) == 2:
        left_out, as_none = every["spearman"]
        way = "more" if left_out < 0 else "fewer"
        sentence += [
            said(f". Better places go with {way} declared tasks: ρ = {_signed(left_out)} without the unknown ones, "),
            said(f"{_signed(as_none)} if they count as none"),
        ]
    return (*sentence, said("."))


def _opening(words: str) -> Segment:
    """Words at the head of a sentence."""
    return strong(words[:1].upper() + words[1:])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
