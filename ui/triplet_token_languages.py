"""What whole languages cost in tokens: every set or parallel file that was counted, and the scores beside it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import polars as pl
import streamlit as st

from engine.errors import EngineError
from ui import blocks, reads
from ui.blocks import Sentence
from ui.charts.tokenization import SYMBOLS, Cost, CostBesideScore, cost_beside_score, hardly_read, token_costs
from ui.formats import counted, label, listed
from ui.reads import triplets
from ui.selectors import pick_one
from ui.tables import show_table

SIGNS = dict(zip(SYMBOLS, "●■◆▲✚★⬢", strict=True))


def show_languages(models: Sequence[str], *, is_off: bool) -> None:
    """Draws token costs by language, and one dot a language beside its published score.

    Args:
        models: Whose tokenizers count a set on request.
        is_off: Nobody can be asked now.
    """
    blocks.show_heading("By language", "All texts of a set, or the same texts in several languages, counted together.")
    _show_request(models, is_off=is_off)
    costs = triplets.token_costs()
    if not costs.height:
        blocks.show_text("Nothing was counted by language yet.")
        return
    with st.container(width=330):
        name = pick_one("Texts", costs["texts_name"].unique().sort().to_list(), parameter="texts")
    costs = costs.filter(pl.col("texts_name") == name)
    _show_costs(costs, name)
    _show_beside_scores(costs, name)


def _show_request(models: Sequence[str], *, is_off: bool) -> None:
    names = triplets.set_names()
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=260):
            chosen = pick_one("Set to count", names, parameter="count")
        if st.button("Count the set", key="count-set", disabled=is_off or not models):
            try:
                st.session_state["_token_request"] = triplets.ask_tokens(models, set_name=chosen)
            except EngineError as error:
                blocks.show_error(str(error))
            else:
                st.rerun()


def _show_costs(costs: pl.DataFrame, name: str) -> None:
    names = triplets.language_names()
    has_ratio = costs["ratio_to_english"].null_count() < costs.height
    column = "ratio_to_english" if has_ratio else "tokens_per_character"
    axis = "tokens for the same text, English = 1" if has_ratio else "tokens per character"
    most = costs.group_by("language").agg(pl.col(column).max().alias("most"))
    ordered = costs.join(most, on="language").sort("most", "language", nulls_last=True)
    drawn = [
        Cost(row["model_name"], names.get(row["language"], row["language"]), row[column], row["unknown_share"])
        for row in ordered.iter_rows(named=True)
    ]
    models = list(dict.fromkeys(cost.model_name for cost in drawn))
    colours = blocks.palette().model_colours(models, models)
    _show_key(models, colours)
    alt: Sentence = (f"{axis} by language, for {listed([label(model) for model in models])}",)
    blocks.show_caption("hollow: a tenth or more of the tokens are unknown to the model")
    figure = token_costs(drawn, axis, blocks.palette(), colours)
    blocks.show_figure(figure, name="token-costs", alt=alt, settings={"texts": name})
    show_table(costs, name="token-costs", settings={"texts": name})


def _show_key(models: Sequence[str], colours: Mapping[str, str]) -> None:
    marks = "".join(
        f'<span><span class="sl-mark" style="color:{colours[model]}" aria-hidden="true">'
        f"{SIGNS[SYMBOLS[place % len(SYMBOLS)]]}</span><bdi>{html.escape(label(model))}</bdi></span>"
        for place, model in enumerate(models)
    )
    st.html(f'<div class="sl-key">{marks}</div>')


def _show_beside_scores(costs: pl.DataFrame, name: str) -> None:
    beside = with_scores(costs.drop_nulls("ratio_to_english"), triplets.published_language_scores())
    blocks.show_heading(
        "Beside the score", "A dot a language: right = more tokens for the same text, up = higher published score."
    )
    if not beside.height:
        blocks.show_text("No model here has both counts against English and published scores in the same languages.")
        return
    with st.container(width=330):
        model = pick_one("Model", beside["model_name"].unique().sort().to_list(), parameter="tokens-of")
    names = triplets.language_names()
    pairs = [
        CostBesideScore(names.get(row["language"], row["language"]), row["ratio_to_english"], row["score"])
        for row in beside.filter(pl.col("model_name") == model).iter_rows(named=True)
    ]
    told = hardly_read(pairs)
    words = f"{counted(len(told), 'language')} of {len(pairs)} cost more than the median and score above it"
    settings = {"texts": name, "model": model, "snapshot": str(reads.shown_snapshot_id())}
    blocks.show_figure(cost_beside_score(pairs, blocks.palette()), name="token-score", alt=(words,), settings=settings)
    blocks.show_caption(words, f"Snapshot {reads.shown_snapshot_id()}")


def with_scores(rows: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Rows with the published score of the same model, by the name after the slash, and language."""
    short = pl.col("model_name").str.split("/").list.last().alias("short")
    named = [frame.with_columns(short) for frame in (rows, scores)]
    return named[0].join(named[1].drop("model_name"), on=("short", "language")).drop("short").drop_nulls("score")
