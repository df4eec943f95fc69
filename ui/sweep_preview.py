"""What a composed sweep would do: asked of the engine, and shown before anything runs."""

from __future__ import annotations

import html
import math
from itertools import groupby

import polars as pl
import streamlit as st

from engine.study.board import Example, PreviewAnswer
from ui import blocks, reads
from ui.formats import count, counted, label, seconds
from ui.reads import sweeps
from ui.sweep_compose import SIDES, Fields
from ui.sweep_file import show_download
from ui.tables import show_table

WATCH_EVERY_SECONDS = 1.0
EXAMPLES_SHOWN = 3


def show_preview(fields: Fields) -> None:
    """Draws the buttons, and the preview of this very study where there is one."""
    is_off = bool(reads.why_nothing_can_be_asked())
    with st.container(horizontal=True, gap="small"):
        if st.button("Preview", key="preview", icon=":material/visibility:", disabled=is_off):
            reads.ask("preview", {"study": dict(fields)})
            st.rerun()
        if st.button("Start", key="start", type="primary", icon=":material/play_arrow:", disabled=is_off):
            reads.ask("sweep", {"study": dict(fields)})
            st.rerun()
        show_download(sweeps.study_of(fields))
    request = sweeps.preview_of(fields)
    is_open = request is not None and request.is_open
    st.fragment(_show_answer, run_every=WATCH_EVERY_SECONDS if is_open else None)(fields, is_open)


def _show_answer(fields: Fields, was_open: bool) -> None:
    request = sweeps.preview_of(fields)
    if request is None:
        return
    if was_open and not request.is_open:
        st.rerun(scope="app")
    if request.is_open:
        blocks.show_note("Preview: ", request.status.stage or "waiting for the engine", " …")
    elif request.status.state == "failed":
        blocks.show_error(request.status.message)
    elif answer := sweeps.preview_answer(request):
        _show_plan(answer)


def _show_plan(answer: PreviewAnswer) -> None:
    todo = answer.runs - answer.existing
    times = [model.seconds for model in answer.models]
    known = [time for time in times if time is not None]
    time = f", about {seconds(sum(known))} of encoding" if known and len(known) == len(times) else ""
    blocks.show_heading(f"{counted(todo, 'run')} to do, {count(answer.existing)} there already{time}")
    for refusal in answer.refused:
        blocks.show_note(f"Left out: {refusal.what} ", blocks.Quoted(refusal.name), f": {refusal.reason}")
    rows = [
        {
            "model_name": model.model_name,
            "model_revision": model.model_revision,
            "n_runs_to_do": model.runs - model.existing,
            "distinct_texts": model.texts,
            "tokens": model.tokens,
            "encoding_seconds": None if model.seconds is None else math.ceil(model.seconds),
        }
        for model in answer.models
    ]
    if rows:
        show_table(pl.DataFrame(rows, infer_schema_length=None), name="preview", settings={"preview": "of a sweep"})
    if len(known) < len(times):
        blocks.show_caption("Without tokens and time: models that could not be loaded, as said above")
    _show_examples(answer.examples)
    blocks.show_caption(*(note.rstrip(".") for note in answer.notes))


def _show_examples(examples: tuple[Example, ...]) -> None:
    if not examples:
        return
    blocks.show_heading(
        "Exactly what enters the tokenizer",
        "Real texts: underlined in blue the prompt, dotted the model’s own template, then the text. Blanks are shown.",
    )
    ordered = sorted(examples, key=lambda each: (each.model_name, each.task_name))
    for place, ((model_name, task_name), some) in enumerate(
        groupby(ordered, key=lambda each: (each.model_name, each.task_name))
    ):
        with st.expander(f"{label(model_name)} on {task_name}", expanded=place == 0):
            st.html(_examples_html(list(some)))


def _examples_html(examples: list[Example]) -> str:
    """The examples of one model on one task, by side and prompt; strings that a prompt leaves alone are said once."""
    lines, plain = [], dict[str, list[tuple[tuple[str, str], ...]]]()
    for (side, prompt), some in groupby(examples, key=lambda each: (each.side, each.prompt_text)):
        shown = SIDES.get(side, side)
        parts = [each.parts for each in some][:EXAMPLES_SHOWN]
        whose = "default settings" if prompt is None else "with the prompt"
        if prompt is None:
            plain[side] = parts
        elif parts == plain.get(side):
            lines.append(f'<p class="sl-explanation">{html.escape(shown)}: the prompt changes nothing here</p>')
            continue
        lines.append(f'<p class="sl-explanation">{html.escape(shown)}, {whose}</p>')
        lines += [f'<p class="sl-example">{_parts_html(each)}</p>' for each in parts]
    return "".join(lines)


def _parts_html(parts: tuple[tuple[str, str], ...]) -> str:
    return "".join(
        f'<bdi class="sl-part sl-part-{html.escape(kind)}" title="{html.escape(kind)}">{_with_blanks(string)}</bdi>'
        for kind, string in parts
    )


def _with_blanks(string: str) -> str:
    """A text with its line ends, and the blanks at its ends, made visible."""
    shown = html.escape(string).replace("\n", '<span class="sl-blank">↵</span><br>')
    body = shown.strip(" ")
    before, after = len(shown) - len(shown.lstrip(" ")), len(shown) - len(shown.rstrip(" "))
    blank = '<span class="sl-blank">␣</span>'
    return f"{blank * before}{body}{blank * after}" if body else blank * before
