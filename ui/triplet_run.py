"""Asking models about items: one right after saving, a whole set, or the starter set where there is nothing yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.errors import EngineError
from ui import blocks, reads
from ui.blocks import Quoted, Strong
from ui.charts.triplet_tests import Candidate, ItemRow, item_order
from ui.formats import label, of
from ui.reads import Request, triplets
from ui.selectors import pick_many
from ui.triplet_draft import note_seen
from ui.triplet_item import item_finding
from ui.triplet_rows import letter_of, run_of

WATCH_EVERY_SECONDS = 0.3
STORE_EVERY_SECONDS = 1.0
_ASKED = "_triplet_request"
STARTER_MODELS = ("universal-sentence-encoder-multilingual-v3", "multilingual-e5-small-q4", "all-MiniLM-L6-v2")
NO_SET = "none"


def show_starter() -> None:
    """Draws the button that asks the bundled models about every set of the project."""
    names = triplets.set_names()
    obstacle = reads.why_nothing_can_be_asked()
    if obstacle:
        blocks.show_note(obstacle)
    for name in names:
        stored = triplets.stored_set(name)
        if st.button(
            f"Run {name}: {len(stored.items)} items on {len(STARTER_MODELS)} bundled models", key=f"run-set/{name}",
            disabled=bool(obstacle), type="primary" if name == names[0] else "secondary",
        ):  # fmt: skip
            _ask(name, STARTER_MODELS, None, [{"base": None, "candidate": None}])
            st.rerun()
    _watch(None)


def show_publishing() -> None:
    """Says that results are on their way into the store, and draws the page anew once they are there."""
    if triplets.is_being_published():
        st.fragment(_wait_for_store, run_every=STORE_EVERY_SECONDS)()


def _wait_for_store() -> None:
    if triplets.is_being_published():
        blocks.show_caption("What was asked last is on its way into the store; this page shows it then")
    else:
        st.rerun(scope="app")


def show_run(set_name: str, item_id: str | None) -> None:
    """Draws models, prompts per role, the buttons to run, and what came of it.

    Args:
        set_name: The set.
        item_id: The item in the form; None while it is not saved as it stands.
    """
    blocks.show_heading("Ask models", "Each text is encoded with the prompt of its role; an empty field is no prompt.")
    obstacle = reads.why_nothing_can_be_asked()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=420):
            models = pick_many(
                "Models to ask", triplets.known_models(), parameter="ask", default=STARTER_MODELS[:1],
                placeholder="choose",
            )  # fmt: skip
        with st.container(width=190):
            base = st.text_input("Prompt of the base", key="base-prompt", placeholder="no prompt")
        with st.container(width=190):
            candidate = st.text_input("Prompt of the candidates", key="candidate-prompt", placeholder="no prompt")
        with st.container(width=190):
            several = st.selectbox("Or a whole prompt set", [NO_SET, *triplets.prompt_set_names()], key="prompt-set")
        roles = triplets.roles_of(several) if several != NO_SET else [_role(base, candidate)]
        off = bool(obstacle) or not models
        if st.button("Run this item", key="run-item", type="primary", disabled=off or item_id is None):
            _ask(set_name, models, item_id, roles)
        if st.button("Run the whole set", key="run-set", disabled=off):
            _ask(set_name, models, None, roles)
    if obstacle:
        blocks.show_caption(obstacle)
    _watch(item_id)


def _role(base: str, candidate: str) -> dict[str, str | None]:
    return {"base": base or None, "candidate": candidate or None}


def _ask(set_name: str, models: Sequence[str], item_id: str | None, roles: Sequence[Mapping[str, str | None]]) -> None:
    options = {"set": set_name, "models": list(models), "items": [item_id] if item_id else None, "roles": list(roles)}
    try:
        request_id = triplets.ask_triplets(options)
    except EngineError as error:
        blocks.show_error(str(error))
        return
    st.session_state[_ASKED] = request_id


def _watch(item_id: str | None) -> None:
    """Draws what came of the last request, and looks again while it is open."""
    request_id = st.session_state.get(_ASKED)
    request = triplets.request(request_id) if request_id else None
    if request is None:
        return
    st.fragment(_show_answer, run_every=WATCH_EVERY_SECONDS if request.is_open else None)(
        request.request_id, item_id, request.is_open
    )


def _show_answer(request_id: str, item_id: str | None, was_open: bool) -> None:
    request = triplets.request(request_id)
    if request is None:
        return
    answer = triplets.answer_of(request)
    if answer is not None:
        _show_refused(answer)
        _show_outcomes(request, answer, item_id)
    _show_status(request, has_answer=answer is not None)
    if was_open and not request.is_open:
        # A build that puts it into the store follows: the other views wait for that.
        st.rerun(scope="app")


def _show_status(request: Request, *, has_answer: bool) -> None:
    status = request.status
    if request.is_open:
        words = status.stage or "waiting for the engine"
        if status.total:
            words += f", {of(status.done, status.total)}"
        blocks.show_caption(f"{words}{' (the outcome is being kept)' if has_answer else ''}")
    elif status.state.value != "done":
        blocks.show_error(status.message or f"The request is {status.state.value}.")
    elif not has_answer or request.options.get("items") is None:
        blocks.show_caption("done: the other views show it as soon as it is in the store")


def _show_refused(answer: Mapping[str, Any]) -> None:
    for refusal in answer.get("refused", ()):
        blocks.show_note(f"Left out: {refusal['what']} ", Quoted(refusal["name"]), f": {refusal['reason']}")


def _show_outcomes(request: Request, answer: Mapping[str, Any], item_id: str | None) -> None:
    asked = request.options.get("items") or []
    if not asked or (item_id is not None and item_id not in asked):
        return
    note_seen(str(request.options["set"]), asked[0])
    rows = [answered_row(outcome) for outcome in answer.get("outcomes", ())]
    if not rows:
        return
    for row in rows:
        blocks.show_text(Strong(f"{row.verdict}: "), Quoted(f"{row.name}, {row.prompt}"))
    alt = item_finding(rows, 0.9)
    settings = {"set": str(request.options["set"]), "item": asked[0]}
    blocks.show_figure(item_order(rows, blocks.palette()), name="triplet-answer", alt=alt, settings=settings)


def answered_row(outcome: Mapping[str, Any]) -> ItemRow:
    """A row of the picture from the engine's answer about one item and run."""
    run = run_of({"model_revision": "", **outcome})
    candidates = tuple(
        Candidate(
            "" if each["role"] == "positive" else letter_of(each["position"]), each["text"], each.get("gloss") or "",
            each["similarity"],
        )
        for each in outcome["similarities"]
    )  # fmt: skip
    return ItemRow(
        label(run.model_name), run.prompt, candidates, outcome["outcome"], outcome["place"], outcome["margin"],
        outcome.get("n_tied") or 0, outcome.get("reason") or "", outcome.get("scaled_margin"),
    )  # fmt: skip
