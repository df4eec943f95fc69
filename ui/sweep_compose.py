"""Composing a sweep: which models, tasks and prompts, and how; all of it lives in the URL."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.errors import EngineError
from ui import blocks, state
from ui.formats import count, counted
from ui.reads import sweeps
from ui.selectors import pick_text, pick_view
from ui.sweep_file import FORM, show_upload

DEVICES = ("auto", "cpu", "cuda", "all")
DTYPES = ("auto", "float32", "bfloat16", "float16")
USUAL_NAME = "my-sweep"
SIDES = {"query": "queries", "document": "documents", "none": "every text"}

Fields = Mapping[str, Any]


def pick_study() -> Fields | None:
    """The composed study as a request has it; None while something is missing or wrong, which is then said."""
    state.keep(*FORM)
    blocks.show_heading("A new sweep", "Choose, or type a name that is not in the list and press Enter.")
    show_upload()
    with st.container(key="reflow-compose"):
        models = _pick_names("Models", sweeps.known_models(), "models", "names, hub names or folders")
        tasks = _pick_names("Tasks", sweeps.known_tasks(), "tasks", "names, files or folders")
        sets = _pick_names("Prompt sets", sweeps.known_prompt_sets(), "sets", "none: default settings alone")
        name = pick_text("Name: its results are listed under it", parameter="name", placeholder=USUAL_NAME)
    with st.popover("Adjust", icon=":material/tune:", width="content"):
        adjusted = _pick_adjustments()
    _show_prompts(sets)
    if not models or not tasks:
        blocks.show_text("Choose at least one model and one task to see what a sweep would do.")
        return None
    fields: dict[str, Any] = {"name": name.strip() or USUAL_NAME, "models": list(models), "tasks": list(tasks)}
    fields.update({"prompts": list(sets)} if sets else {}, **adjusted)
    try:
        sweeps.study_of(fields)
    except EngineError as error:
        blocks.show_error(str(error))
        return None
    return fields


def _pick_names(label: str, offered: Sequence[str], parameter: str, placeholder: str) -> tuple[str, ...]:
    asked = (*state.url_values(parameter), *st.session_state.get(parameter, ()))
    return tuple(
        st.multiselect(
            label,
            list(dict.fromkeys((*offered, *asked))),
            key=parameter,
            bind="query-params",
            accept_new_options=True,
            placeholder=placeholder,
        )
    )


def _pick_adjustments() -> Fields:
    """What differs from the usual settings."""
    limit = pick_text(
        "Texts or queries a task, at most", parameter="limit", placeholder="all",
        help="For a first look: drawn by seed; such scores are marked, and warned about beside full ones.",
    )  # fmt: skip
    seed = pick_text(
        "Seed of what is drawn", parameter="seed", placeholder=str(sweeps.USUAL_SEED),
        help="The same seed draws the same texts again; it matters only with a limit, and to tasks that draw.",
    )  # fmt: skip
    device = pick_view(
        "Device",
        _devices(),
        parameter="device",
        help="auto: a GPU where there is one; cuda: one GPU; all: every GPU at once.",
    )
    dtype = pick_view(
        "Precision", DTYPES, parameter="dtype", help="auto: bfloat16 on a GPU, which is faster, else float32."
    )
    numbers = {name: _number(text) for name, text in (("limit", limit), ("seed", seed)) if text.strip()}
    return {**numbers, **{key: value for key, value in (("device", device), ("dtype", dtype)) if value != "auto"}}


def _devices() -> tuple[str, ...]:
    """The devices to offer, with the single GPU that an address or a study file names."""
    asked = (*state.url_values("device"), st.session_state.get("device", ""))
    return tuple(dict.fromkeys((*DEVICES, *(device for device in asked if device.startswith("cuda:")))))


def _number(text: str) -> int | str:
    """The number in a text; a text that is none is left to be refused with its words."""
    try:
        return int(text)
    except ValueError:
        return text


def _show_prompts(sets: Sequence[str]) -> None:
    """Draws the texts of the chosen sets on demand, and points out those that are nearly the same."""
    named = [name for name in sets if not sweeps.is_path(name)]
    if len(named) < len(sets):
        blocks.show_caption("Prompt files given by their path are read when the sweep or its preview begins")
    if not named:
        return
    try:
        prompts = sweeps.prompts_of(named)
    except EngineError as error:
        blocks.show_error(str(error))
        return
    alike = sweeps.alike(prompts)
    with st.expander(f"{counted(len(prompts), 'prompt')} in {counted(len(named), 'set')}"):
        rows = [
            {"task": "every task" if prompt.task_name == "*" else prompt.task_name,
             "goes before": SIDES.get(str(prompt.prompt_type), "the usual texts of its task"),
             "prompt": prompt.text or "(the empty prompt)", "kind": str(prompt.kind or "not stated")}
            for prompt in prompts
        ]  # fmt: skip
        st.dataframe(rows, hide_index=True, key="table-prompts")
    if not alike.is_empty():
        row = alike.row(0, named=True)
        blocks.show_note(
            f"{count(alike.height)} prompts differ from another one of their task by case or signs alone, such as ",
            blocks.Quoted(row["prompt_text"]), " and ", blocks.Quoted(row["twin_text"]), ". Each is run.",
        )  # fmt: skip


def command_of(fields: Fields) -> str:
    """The line in a terminal that runs the same."""
    words = ["python", "-m", "engine", "sweep"]
    for option, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{option}", str(each)]
    return shlex.join(words)
