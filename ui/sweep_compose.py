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

DEVICES = ("auto", "cpu", "cuda", "all")
DTYPES = ("auto", "float32", "bfloat16", "float16")
USUAL_NAME = "my-sweep"

Fields = Mapping[str, Any]


def pick_study() -> Fields | None:
    """The composed study as a request has it; None while something is missing or wrong, which is then said."""
    state.keep("models", "tasks", "prompts", "name", "limit", "device", "dtype")
    blocks.show_heading("A new sweep", "Choose, or type a name that is not in the list and press Enter.")
    with st.container(key="reflow-compose"):
        models = _pick_names("Models", sweeps.known_models(), "models", "names, hub names or folders")
        tasks = _pick_names("Tasks", sweeps.known_tasks(), "tasks", "names, files or folders")
        sets = _pick_names("Prompt sets", sweeps.known_prompt_sets(), "prompts", "none: default settings alone")
        name = pick_text("Name of the sweep and of its source", parameter="name", placeholder=USUAL_NAME)
    with st.popover("Adjust", icon=":material/tune:", width="content"):
        limit = pick_text("Texts or queries a row, at most", parameter="limit", placeholder="all")
        device = pick_view("Device", DEVICES, parameter="device", help="all: one process for each GPU.")
        dtype = pick_view("Numbers", DTYPES, parameter="dtype", help="auto: bfloat16 on a GPU, else float32.")
        blocks.show_caption("A limit is for a first look: its scores are marked and warned about beside full ones.")
    _show_prompts(sets)
    if not models or not tasks:
        blocks.show_text("Choose at least one model and one task to see what a sweep would do.")
        return None
    try:
        fields = _fields(models, tasks, sets, name, limit, device, dtype)
        sweeps.study_of(fields)
    except EngineError as error:
        blocks.show_error(str(error))
        return None
    return fields


def _pick_names(label: str, offered: Sequence[str], parameter: str, placeholder: str) -> tuple[str, ...]:
    asked = state.url_values(parameter)
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


def _fields(
    models: Sequence[str], tasks: Sequence[str], sets: Sequence[str], name: str, limit: str, device: str, dtype: str
) -> Fields:
    fields: dict[str, Any] = {"name": name.strip() or USUAL_NAME, "models": list(models), "tasks": list(tasks)}
    if sets:
        fields["prompts"] = list(sets)
    if limit.strip():
        fields["limit"] = int(limit) if limit.strip().isdecimal() else limit
    fields.update({key: value for key, value in (("device", device), ("dtype", dtype)) if value != "auto"})
    return fields


def _show_prompts(sets: Sequence[str]) -> None:
    """Draws the texts of the chosen sets on demand, and points out those that are nearly the same."""
    if not sets:
        return
    try:
        prompts = sweeps.prompts_of(sets)
    except EngineError as error:
        blocks.show_error(str(error))
        return
    alike = sweeps.alike(prompts)
    with st.expander(f"{counted(len(prompts), 'prompt')} in {counted(len(sets), 'set')}"):
        rows = [
            {"task": prompt.task_name, "side": str(prompt.prompt_type or ""), "prompt": prompt.text,
             "kind": str(prompt.kind or "by rule")}
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
