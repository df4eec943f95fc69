"""Language codes: what they are called, which are one language, and which languages meet in a row."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import polars as pl

from engine.schema import LanguageStatus, RowKind

ENGLISH = "eng-Latn"
_PROGRAMMING = "-Code"
_QUALIFIERS = r"\s*\((?:individual language|macrolanguage|\d+-)[^)]*\)$"


class Merging(StrEnum):
    """Which codes count as one language."""

    SPELLINGS = "spellings"
    """other ways to write a code; what mteb's table shows, but for misspelt codes"""
    BROADER = "broader"
    """also codes that may be merged on request, such as a language into its macrolanguage"""
    NONE = "none"
    """every code as it is written"""


def merged_codes(languages: pl.DataFrame, merging: Merging = Merging.SPELLINGS) -> dict[str, str]:
    """The code that each written code counts as; a code that is no known language counts as itself.

    Args:
        languages: Table `languages`.
        merging: Which codes count as one.
    """
    target = {
        Merging.NONE: pl.col("language"),
        Merging.SPELLINGS: pl.coalesce("standard", "language"),
        Merging.BROADER: pl.coalesce("broader", "standard", "language"),
    }[merging]
    return dict(languages.select("language", target.alias("target")).iter_rows())


def merge_table(languages: pl.DataFrame) -> pl.DataFrame:
    """One row per code that is not simply itself: merged, may be merged, a programming language, or unknown.

    Returns:
        `language`, `language_name`, `language_status`, `standard`, `broader`, `reason`.
    """
    plain = (pl.col("language_status") == LanguageStatus.KNOWN.value) & pl.col("broader").is_null()
    columns = ("language", "language_name", "language_status", "standard", "broader", "reason")
    return languages.filter(~plain).select(columns).sort("language_status", "language")


def language_labels(languages: pl.DataFrame, rows: pl.DataFrame, view: Sequence[str] = ()) -> dict[str, str]:
    """What each code is called on screen: the language's name, else the code itself.

    Where several codes have one name, the one that mteb's site shows, else the one with most rows, has it alone; the
    others add their script, and, where that is still not unique, the code.

    Args:
        languages: Table `languages`.
        rows: `language` and `rows`: how many rows name each code.
        view: Codes that mteb's site shows.
    """
    name = pl.col("language_name").str.replace(_QUALIFIERS, "")
    variant = pl.col("script_name").str.extract(r"\((\w+)")
    script = pl.coalesce(variant, "script_name")
    counted = rows.group_by("language").agg(pl.col("rows").sum())
    named = (
        languages.join(counted, on="language", how="left")
        .with_columns(
            pl.col("rows").fill_null(0),
            name=pl.coalesce(name, "language"),
            script=script,
            is_shown=pl.col("language").is_in(list(view)),
        )
        .sort("is_shown", "rows", "language", descending=[True, True, False])
    )
    first = pl.int_range(pl.len()).over("name") == 0
    label = pl.when(first).then("name").otherwise(pl.format("{} ({})", "name", pl.coalesce("script", "language")))
    labelled = named.with_columns(label=label)
    alone = pl.len().over("label") == 1
    shown = pl.when(alone).then("label").otherwise(pl.format("{} [{}]", "label", "language"))
    return dict(labelled.select("language", shown.alias("label")).iter_rows())


def row_kind(languages: pl.Expr) -> pl.Expr:
    """The kind of a row from its list of languages (design, rule 9).

    One language, programming languages not counted, is *same language*, however often it is named; several with
    English among them are *with English*; the others are *other languages*.
    """
    natural = languages.list.eval(pl.element().filter(~pl.element().str.ends_with(_PROGRAMMING))).list.unique()
    return (
        pl.when(natural.list.len() <= 1)
        .then(pl.lit(RowKind.SAME.value))
        .when(natural.list.contains(ENGLISH))
        .then(pl.lit(RowKind.ENGLISH.value))
        .otherwise(pl.lit(RowKind.OTHER.value))
    )
