"""The sentences on variation: how much scores move over prompts, what kinds explain, who writes better ones."""

from __future__ import annotations

import numpy as np
import polars as pl

from engine.analysis import sentences as say
from engine.analysis.places import LEAST_PROMPTS
from engine.analysis.prompt_sets import Authorship
from engine.analysis.sentences import Sentence, said, strong
from engine.analysis.variation import WIDE, KindSpread

NOTABLE = 0.1
"""Cells that vary less than this need no steadying."""


def find_variation(cells: pl.DataFrame) -> Sentence:
    """How much scores vary over prompts, and where most."""
    varying = cells.filter(pl.col("cv").is_not_null()).sort("cv", descending=True)
    if varying.is_empty():
        return (
            said(
                "No pair of model and task has two prompt scores with a positive mean: there is no variation to show."
            ),
        )
    widest = varying.row(0, named=True)
    who = (say.model(widest["model_name"]), said(" on "), say.task(widest["task_name"]))
    if len(varying) == 1:
        return (
            *who,
            said(" varies by "),
            strong(say.percent(widest["cv"], 1)),
            said(f" over {say.counted(widest['n'], 'prompt')}."),
        )
    median = _median(varying)
    wide = varying.filter(pl.col("cv") >= WIDE).height
    wide_words = (said(f", {say.worded(wide)} by "), strong(f"{say.percent(WIDE)} or more")) if wide else ()
    return (
        said("Half the pairs of model and task vary by less than "),
        strong(say.percent(median, 1)),
        said(" over prompts"),
        *wide_words,
        said("; most of all "),
        *who,
        said(", by "),
        strong(say.percent(widest["cv"])),
        said("."),
    )


def find_kinds(spread: KindSpread) -> Sentence:
    """How much the kind of prompt explains, and which kind steadies a model most."""
    told = spread.cells.filter(pl.col("between_share").is_not_null())
    if told.is_empty():
        return (said("These prompts are of one kind, or too few, so kinds cannot be compared."),)
    most = told.filter(pl.col("between_share") > 0.5).height
    opening = (
        said("In "),
        *say.share_of(most, len(told), "model and task pair"),
        said(" the kind of prompt explains more than half of the spread"),
    )
    return (*opening, *_steadiest(spread), said("."))


def find_authors(authors: pl.DataFrame) -> Sentence:
    """Whether handwritten or generated prompts score higher, where a source has both."""
    medians = {
        who: authors.filter(pl.col("authorship") == who.value).select("model_name", "task_name", "median", "n")
        for who in Authorship
    }
    pairs = medians[Authorship.HANDWRITTEN].join(
        medians[Authorship.GENERATED], on=["model_name", "task_name"], suffix="_generated"
    )
    if pairs.is_empty():
        return (said("No pair of model and task has both handwritten and generated prompts on record."),)
    higher = pairs.filter(pl.col("median") > pl.col("median_generated")).height
    return (
        said("In "),
        *say.share_of(higher, len(pairs), "model and task pair"),
        said(" the median handwritten prompt scores above the median generated one."),
    )


def variation_clause(cells: pl.DataFrame) -> Sentence:
    """What a sentence on places adds: `; half the cells vary by less than …`; empty for fewer than two cells."""
    varying = cells.filter(pl.col("cv").is_not_null())
    if len(varying) < 2:
        return ()
    wide = varying.filter(pl.col("cv") >= WIDE).height
    tail: Sentence = (
        (said(f" over prompts, {say.worded(wide)} by more than "), strong(say.percent(WIDE)))
        if wide
        else (said(" over prompts"),)
    )
    return (said("; half the cells vary by less than "), strong(say.percent(_median(varying), 1)), *tail)


def _steadiest(spread: KindSpread) -> Sentence:
    """Where one kind of prompt, no worse than the median prompt, takes most of a notable variation away."""
    cells = spread.cells.select("model_name", "task_name", cell_cv="cv")
    several = (pl.col("n") >= LEAST_PROMPTS) & pl.col("cv").is_not_null() & (pl.col("from_median") >= 0)
    drops = (
        spread.kinds.filter(several)
        .join(cells.filter(pl.col("cell_cv") >= NOTABLE), on=["model_name", "task_name"])
        .with_columns(left=pl.col("cv") / pl.col("cell_cv"))
        .filter(pl.col("left") < 1)
        .sort("left", "model_name", "task_name")
    )
    if drops.is_empty():
        return ()
    most = drops.row(0, named=True)
    return (
        said(". "),
        say.model(most["model_name"]),
        said(" on "),
        say.task(most["task_name"]),
        said(" varies by "),
        strong(say.percent(most["cell_cv"])),
        said(" over all prompts and by "),
        strong(say.percent(most["cv"])),
        said(f" over the {say.counted(most['n'], 'prompt')} of kind “{most['prompt_kind']}”"),
    )


def _median(cells: pl.DataFrame) -> float:
    return float(np.median(cells["cv"].to_numpy()))
