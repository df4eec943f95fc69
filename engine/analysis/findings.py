"""The one sentence that says what a selection of prompt distributions shows, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis import sentences as say
from engine.analysis.calls import CallCounts, count_calls
from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.readings import Readings
from engine.analysis.references import Reference
from engine.analysis.sentences import Sentence, said, strong
from engine.analysis.variation_findings import variation_clause


@dataclass(frozen=True)
class _Words:
    """How a kind of reference is spoken of."""

    subject: str
    others: str
    absent: str


_WORDS = {
    Reference.SAME_HARNESS: _Words("default prompt", "other prompts", "a default run in this source"),
    Reference.PUBLISHED_MATCHED: _Words(
        "published score", "prompts on the same rows", "a published score on the same rows"
    ),
    Reference.PUBLISHED_ALL: _Words("published score", "prompts", "a published score"),
}


def find_calls(distributions: PromptDistributions) -> Sentence:
    """Where the reference stands among the prompts: of one cell, one task, one model, or many cells."""
    cells = distributions.cells
    if cells.is_empty():
        return find_nothing(distributions)
    if len(cells) == 1:
        return _one_cell(distributions)
    counts = count_calls(cells)
    if counts.called == 0:
        return _no_call(distributions)
    if cells["task_name"].n_unique() == 1:
        return _one_task(distributions, counts)
    if cells["model_name"].n_unique() == 1:
        return (*_one_model(distributions, counts), *_uncalled(counts, "task"))
    return (*_many_cells(distributions, counts), *_uncalled(counts, "pair"))


def find_places(distributions: PromptDistributions) -> Sentence:
    """Whether references are systematically high, and how much cells vary."""
    counts = count_calls(distributions.cells)
    if counts.called == 0:
        return find_calls(distributions)
    words, reading = _WORDS[distributions.reading.reference], distributions.reading
    expected = counts.called * (1 - reading.high)
    many = counts.high >= 2 * expected and counts.high > 1
    opening = f"A {words.subject} is rarely an ordinary one" if many else f"A {words.subject} is much like the prompts"
    where = (
        "in the top tenth of their distribution"
        if abs(reading.high - 0.9) < 1e-9
        else f"above the {say.percentile(reading.high)} percentile of their distribution"
    )
    stand = "stands" if counts.high == 1 and counts.called == 1 else "stand"
    return (
        said(f"{opening}: "),
        strong(say.part_of(counts.high, counts.called)),
        said(f" {stand} {where}, where {expected:.1f} would be expected"),
        *variation_clause(distributions.cells),
        said("."),
    )


def find_readings(readings: Readings) -> Sentence:
    """How many calls hold however the records are read."""
    called = readings.cells.filter(pl.col("call").is_not_null() & (pl.col("n_readings") > 0))
    if called.is_empty():
        return (said("No call is shown that another reading could overturn."),)
    firm = called.filter(pl.col("n_same") == pl.col("n_readings")).height
    verb = "holds" if firm <= 1 else "hold"
    return (
        strong(say.part_of(firm, len(called), noun="call").capitalize()),
        said(f" {verb} in every admissible reading of reference, prompts and rows."),
    )


def _many_cells(distributions: PromptDistributions, counts: CallCounts) -> Sentence:
    return (
        said("In "),
        *say.share_of(counts.high, counts.called, "model and task pair"),
        said(f" the {_high_clause(distributions)}"),
        *_above_every("in", counts),
        said("."),
        *_low_clause("In", counts, distributions),
    )


def _one_model(distributions: PromptDistributions, counts: CallCounts) -> Sentence:
    words = _WORDS[distributions.reading.reference]
    name = distributions.cells["model_name"][0]
    return (
        said("On "),
        strong(say.part_of(counts.high, counts.called, noun="task")),
        said(f" the {words.subject} of "),
        say.model(name),
        said(f" {_high_verb(distributions)}"),
        *_above_every("on", counts),
        said("."),
        *_low_clause("On", counts, distributions),
    )


def _one_task(distributions: PromptDistributions, counts: CallCounts) -> Sentence:
    words, cells = _WORDS[distributions.reading.reference], distributions.cells
    widest = cells.sort("gap_to_median", descending=True, nulls_last=True).row(0, named=True)
    sizes = cells["n"].to_list()
    least, most = min(sizes), max(sizes)
    how_many = f"{most:,}" if least == most else f"{least:,}–{most:,}"
    every = counts.above_every > 0
    verb = f"beats every one of {how_many} {words.others}" if every else _high_verb(distributions)
    return (
        said("On "),
        strong(cells["task_name"][0]),
        said(f" the {words.subject} of "),
        strong(say.part_of(counts.above_every if every else counts.high, counts.called, noun="model")),
        said(f" {verb}. "),
        say.model(widest["model_name"]),
        said(" scores " if distributions.reading.reference is Reference.SAME_HARNESS else " reports "),
        strong(say.points(widest["reference_score"])),
        said("; its median prompt gives "),
        strong(say.points(widest["median"])),
        said("."),
    )


def _one_cell(distributions: PromptDistributions) -> Sentence:
    cell = distributions.cells.row(0, named=True)
    words = _WORDS[distributions.reading.reference]
    who = (say.model(cell["model_name"]), said(f"’s {words.subject} on "), say.task(cell["task_name"]))
    if cell["reference_score"] is None or not cell["n"]:
        return _no_call(distributions)
    others = words.others.removeprefix("other ") if cell["n"] == 1 else words.others
    ties = f", level with {cell['n_equal']:,}" if cell["n_equal"] else ""
    return (
        *who,
        said(" scores above " if distributions.reading.reference is Reference.SAME_HARNESS else " lies above "),
        strong(f"{cell['n_below']:,} of {cell['n']:,}"),
        said(f" {others}{ties}: "),
        strong(say.points(cell["reference_score"])),
        said(" against a median of "),
        strong(say.points(cell["median"])),
        said(f", which is {cell['call']}." if cell["call"] else f". No call: {cell['no_call_reason']}."),
    )


def _no_call(distributions: PromptDistributions) -> Sentence:
    cells = distributions.cells
    scored = cells.filter(pl.col("n") > 0)
    reasons = cells["no_call_reason"].drop_nulls().unique().sort().to_list()
    opening = (said(f"Nothing here can be called high or low: {'; '.join(reasons)}. "),)
    if scored.is_empty():
        return (*opening, said("No run has every row that counts."))
    widest = scored.sort("score_range", descending=True).row(0, named=True)
    who = (say.model(widest["model_name"]), said(" on "), say.task(widest["task_name"]))
    if widest["n"] == 1:
        return (*opening, *who, said(" scores "), strong(say.points(widest["max"])), said(" with its only prompt."))
    return (
        *opening,
        *who,
        said(f" ranges over {say.counted(widest['n'], 'prompt')} from "),
        strong(say.points(widest["min"])),
        said(" to "),
        strong(say.points(widest["max"])),
        said("."),
    )


def find_nothing(distributions: PromptDistributions) -> Sentence:
    """Why a selection is empty."""
    if distributions.left_out.is_empty():
        return (said("No prompt run passes these filters: choose other tasks, models or prompts."),)
    n = len(distributions.left_out)
    pairs = f"the {n:,} model and task pairs" if n > 1 else "this model and task pair"
    reasons = distributions.left_out["reason"].unique().sort().to_list()
    return (said(f"Nothing to compare for {pairs}: {'; '.join(reasons)}."),)


def _uncalled(counts: CallCounts, noun: str) -> Sentence:
    if counts.not_called == 0:
        return ()
    return (said(f" {say.counted(counts.not_called, noun)} {'has' if counts.not_called == 1 else 'have'} no call."),)


def _high_clause(distributions: PromptDistributions) -> str:
    return f"{_WORDS[distributions.reading.reference].subject} {_high_verb(distributions)}"


def _high_verb(distributions: PromptDistributions) -> str:
    words, reading = _WORDS[distributions.reading.reference], distributions.reading
    verb = "scores" if reading.reference is Reference.SAME_HARNESS else "lies"
    return f"{verb} above the {say.percentile(reading.high)} percentile of the {words.others}"


def _above_every(where: str, counts: CallCounts) -> Sentence:
    if counts.above_every == 0:
        return ()
    return (said(f"; {where} "), strong(f"{counts.above_every:,}"), said(" it beats every one of them"))


def _low_clause(where: str, counts: CallCounts, distributions: PromptDistributions) -> Sentence:
    low = say.percentile(distributions.reading.low)
    if counts.low == 0:
        return (said(f" Nowhere does it lie below the {low}."),)
    return (said(f" {where} {counts.low:,} it lies below the {low}."),)
