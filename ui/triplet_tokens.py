"""What a text costs in tokens: counted by the models' own tokenizers, beside the same text in English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import EngineError
from ui import blocks, reads
from ui.blocks import Quoted, Sentence, Strong
from ui.formats import label, number
from ui.reads import triplets
from ui.selectors import pick_many
from ui.tables import show_table
from ui.triplet_token_languages import show_languages

_ASKED = "_token_request"
WATCH_EVERY_SECONDS = 0.3
CHUNK = 512


def show_tokens(finding: DeltaGenerator) -> None:
    """Draws the counter for a text, and for its translation into English beside it."""
    asked = triplets.request(st.session_state.get(_ASKED, ""))
    answer = triplets.answer_of(asked) if asked else None
    costs = token_costs(answer) if answer else None
    with st.container(key="reflow-tokens"):
        text = st.text_area("Text", key="pasted", placeholder="Paste a text in any language", height=120)
        english = st.text_area("The same in English", key="pasted-english", placeholder="optional", height=120)
    obstacle = reads.why_nothing_can_be_asked()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=420):
            known = triplets.known_models()
            models = pick_many("Models to ask", known, parameter="ask", default=known[:3], placeholder="choose")
        off = bool(obstacle) or not text.strip() or not models
        if st.button("Count tokens", key="count-tokens", disabled=off, type="primary"):
            try:
                texts = [text, english] if english.strip() else [text]
                st.session_state[_ASKED] = triplets.ask_tokens(models, texts=texts)
            except EngineError as error:
                blocks.show_error(str(error))
            else:
                st.rerun()
    if obstacle:
        blocks.show_caption(obstacle)
    if asked is not None and asked.is_open:
        st.fragment(_wait, run_every=WATCH_EVERY_SECONDS)(asked.request_id)
    elif asked is not None and asked.status.state.value == "failed":
        blocks.show_error(asked.status.message)
    for refusal in answer.get("refused", ()) if answer else ():
        blocks.show_note(f"Left out: {refusal['what']} ", Quoted(refusal["name"]), f": {refusal['reason']}")
    if costs is not None and costs.height:
        show_table(costs, name="tokens", settings={"text": text, "english": english})
    of_languages = show_languages(models, is_off=bool(obstacle))
    with finding:
        blocks.show_finding(*(tokens_finding(costs) if costs is not None and costs.height else of_languages))


def _wait(request_id: str) -> None:
    asked = triplets.request(request_id)
    if asked is None or not asked.is_open:
        st.rerun(scope="app")
    blocks.show_caption(asked.status.stage or "waiting for the engine")


def token_costs(answer: Mapping[str, Any]) -> pl.DataFrame:
    """One row per model: tokens of the text, per character and word, against English, characters in a 512-token chunk.

    The ratio is null where no English text was given.
    """
    by_model: dict[str, list[Mapping[str, Any]]] = {}
    for counted in answer.get("texts", ()):
        by_model.setdefault(counted["model_name"], []).append(counted)
    rows = []
    for model_name, (first, *others) in by_model.items():
        text, tokens = first["text"], first["tokens"]
        characters, words = len(text), len(text.split())
        rows.append(
            {
                "model_name": model_name,
                "tokens": tokens,
                "tokens_per_character": tokens / characters,
                "tokens_per_word": tokens / words if words else None,
                "ratio_to_english": tokens / others[0]["tokens"] if others and others[0]["tokens"] else None,
                "characters_per_chunk": round(CHUNK * characters / tokens) if tokens else None,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def tokens_finding(costs: pl.DataFrame) -> Sentence:
    """What the text costs the model that it costs most; `costs` has a row."""
    dearest = costs.sort("tokens", descending=True).row(0, named=True)
    if dearest["ratio_to_english"] is None:
        return (
            Quoted(label(dearest["model_name"])), " reads the text as ", Strong(f"{dearest['tokens']} tokens"),
            f", {number(dearest['tokens_per_word'], 1)} a word.",
        )  # fmt: skip
    dearest = costs.sort("ratio_to_english", descending=True, nulls_last=True).row(0, named=True)
    return (
        Quoted(label(dearest["model_name"])), " needs ", Strong(f"{number(dearest['ratio_to_english'], 1)} times"),
        " the tokens of the English text.",
    )  # fmt: skip
