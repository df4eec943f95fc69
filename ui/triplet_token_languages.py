"""What whole languages cost in tokens: every set or parallel file that was counted, and the scores beside it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import polars as pl
import streamlit as st

from engine.errors import EngineError
from ui import blocks, reads
from ui.blocks import Part, Quoted, Sentence, Strong
from ui.charts.tokenization import SYMBOLS, UNKNOWN, Cost, CostBesideScore, cost_beside_score, hardly_read, token_costs
from ui.formats import counted, label, listed, number, percent
from ui.reads import triplets
from ui.selectors import pick_one
from ui.tables import show_table
from ui.triplet_scores import beside, pick_scores, show_what_scores_stand_on

BESIDE = (
    "model_name", "language", "ratio_to_english", "unknown_share", "score", "rows", "rows_expected", "published_name",
    "matched_by",
)  # fmt: skip
MODELS_IN_WORDS = 2
SIGNS = dict(zip(SYMBOLS, "●■◆▲✚★⬢", strict=True))


def show_languages(models: Sequence[str], *, is_off: bool) -> Sentence:
    """Draws token costs by language, and one dot a language beside its published score; returns the finding.

    Args:
        models: Whose tokenizers count a set on request.
        is_off: Nobody can be asked now.
    """
    blocks.show_heading("By language", "All texts of a set, or the same texts in several languages, counted together.")
    _show_request(models, is_off=is_off)
    costs = triplets.token_costs()
    if not costs.height:
        blocks.show_text(
            "Nothing was counted by language yet. Count a set here, or messages in 18 languages beside their English: ",
            Strong("python -m engine tokenize --model NAME"), ", then ", Strong("python -m engine build"), ".",
        )  # fmt: skip
        return languages_finding(costs)
    with st.container(width=330):
        name = pick_one("Texts", costs["texts_name"].unique().sort().to_list(), parameter="texts")
    costs = costs.filter(pl.col("texts_name") == name)
    _show_costs(costs, name)
    _show_beside_scores(costs, name)
    return languages_finding(costs)


def languages_finding(costs: pl.DataFrame) -> Sentence:
    """What the dearest language costs each of two models, and what a model cannot read."""
    names = triplets.language_names()
    said: list[Part] = []
    dearest = costs.drop_nulls("ratio_to_english").sort("ratio_to_english", descending=True)
    for row in (
        dearest.unique("model_name", keep="first", maintain_order=True).head(MODELS_IN_WORDS).iter_rows(named=True)
    ):
        language = names.get(row["language"], row["language"])
        times = Strong(f"{number(row['ratio_to_english'], 1)} times")
        said += ["; " if said else "", Quoted(label(row["model_name"])), " needs up to ", times,
                 " the tokens of English (", Quoted(language), ")"]  # fmt: skip
    blind = costs.filter(pl.col("unknown_share") >= UNKNOWN).sort("unknown_share", descending=True)
    if blind.height:
        worst = blind.row(0, named=True)
        said += ["; " if said else "", Quoted(label(worst["model_name"])), " cannot read ",
                 Strong(percent(worst["unknown_share"], 0)), " of its tokens in ",
                 Quoted(names.get(worst["language"], worst["language"]))]  # fmt: skip
    return [*said, "."] if said else ["What does a text cost in tokens, and what would the same cost in English?"]


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
    blocks.show_heading(
        "Beside the score",
        "A dot a language. Across: tokens for the same text, English = 1. Up: published score in the language. Hollow: "
        "a tenth or more of the tokens are unknown.",
    )
    found = pick_scores()
    if found is None:
        return
    board = beside(costs.drop_nulls("ratio_to_english"), found.scores)
    if not board.height:
        blocks.show_text(*_why_nothing_stands_there(costs))
        return
    with st.container(width=330):
        model = pick_one("Model", board["model_name"].unique().sort().to_list(), parameter="tokens-of")
    shown = board.filter(model_name=model)
    names = triplets.language_names()
    pairs = [
        CostBesideScore(
            names.get(row["language"], row["language"]), row["ratio_to_english"], row["score"], row["unknown_share"]
        )
        for row in shown.iter_rows(named=True)
    ]
    told = hardly_read(pairs)
    words = f"{counted(len(told), 'language')} of {len(pairs)} cost more than the median and score above it"
    settings = {"texts": name, "model": model, "scores": found.words, "snapshot": str(reads.shown_snapshot_id())}
    blocks.show_figure(cost_beside_score(pairs, blocks.palette()), name="token-score", alt=(words,), settings=settings)
    blocks.show_caption(words)
    show_what_scores_stand_on(found, shown)
    show_table(board.select(BESIDE), name="token-score", settings=settings)


def _why_nothing_stands_there(costs: pl.DataFrame) -> Sentence:
    if not costs.drop_nulls("ratio_to_english").height:
        return (
            "These texts were counted without the same in English beside them. Messages in 18 languages with their "
            "English come with Scorelens: ",
            Strong("python -m engine tokenize --model NAME"),
            ", then ",
            Strong("python -m engine build"),
            ".",
        )
    return ("No model that was counted has a score in one of these languages there: count a model of this board.",)
