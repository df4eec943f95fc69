"""Answers about prompts: what a source with prompt experiments offers, and its distributions."""

from __future__ import annotations

import polars as pl
import streamlit as st

from engine.analysis.prompt_distributions import PromptDistributions
from engine.analysis.prompt_records import PromptRecords
from engine.analysis.prompt_sets import PromptLimit, find_prompt_limit
from engine.analysis.readings import Readings, read_every_way
from engine.answers import best_prompts as best
from engine.answers import prompt_distributions as prompts
from engine.answers.prompt_distributions import PromptOptions, PromptQuestion
from engine.answers.prompt_records import read_prompt_cells
from engine.store import Snapshot
from ui.reads.snapshots import BY_WORDS, kept, snapshot


def prompt_sources() -> list[str]:
    """Names of the sources that hold prompt experiments, the largest first."""
    here = snapshot()
    return _prompt_sources(here.snapshot_id, here)


@st.cache_data(max_entries=8, show_spinner=False)
def _prompt_sources(snapshot_id: str, _snapshot: Snapshot) -> list[str]:
    sizes = read_prompt_cells(_snapshot).group_by("source_name").len()
    return sizes.sort("len", "source_name", descending=[True, False])["source_name"].to_list()


def prompt_options(source: str) -> PromptOptions:
    """What a source with prompt experiments offers to choose from."""
    here = snapshot()
    return _prompt_options(here.snapshot_id, source, here)


@st.cache_data(max_entries=32, show_spinner=False)
def _prompt_options(snapshot_id: str, source: str, _snapshot: Snapshot) -> PromptOptions:
    return prompts.options(_snapshot, source)


def prompt_distributions(question: PromptQuestion) -> PromptDistributions:
    """The distributions that a question asks for.

    Raises:
        UsageError: The question names something that the snapshot does not hold.
    """
    here = snapshot()
    return _prompt_distributions(here.snapshot_id, question, here)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=BY_WORDS)
def _prompt_distributions(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> PromptDistributions:
    records = _prompt_records(snapshot_id, _only_records(question), _snapshot)
    return prompts.answer_from(records, _snapshot, question)


def chosen_prompts(question: PromptQuestion) -> pl.DataFrame:
    """The prompts that a question selects, one row per prompt and task."""
    here = snapshot()
    return prompts.chosen_prompts(_prompt_records(here.snapshot_id, _only_records(question), here), question)


def _only_records(question: PromptQuestion) -> PromptQuestion:
    """The part of a question that its records depend on: questions that differ elsewhere share them."""
    return PromptQuestion(
        source=question.source,
        tasks=question.tasks,
        exclude_tasks=question.exclude_tasks,
        published=question.published,
    )


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_WORDS)
def _prompt_records(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> PromptRecords:
    return prompts.read(_snapshot, question)


def prompt_limit(question: PromptQuestion) -> PromptLimit | None:
    """The model that most limits which prompts are shared on the tasks of a question."""
    here, asked = snapshot(), _only_records(question)
    found: PromptLimit | None = kept(
        here.snapshot_id,
        "prompt limit",
        asked,
        lambda: find_prompt_limit(_prompt_records(here.snapshot_id, asked, here).prompt_runs),
    )
    return found


def prompt_readings(question: PromptQuestion) -> Readings:
    """In how many admissible readings each call of a question's answer holds."""
    here = snapshot()
    return _prompt_readings(here.snapshot_id, question, here)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_WORDS)
def _prompt_readings(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> Readings:
    return read_every_way(_prompt_distributions(snapshot_id, question, _snapshot))


def best_prompts(question: PromptQuestion) -> pl.DataFrame:
    """The best prompt of each cell of a question's answer, and what it gains."""
    here = snapshot()
    return _best_prompts(here.snapshot_id, question, here)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_WORDS)
def _best_prompts(snapshot_id: str, question: PromptQuestion, _snapshot: Snapshot) -> pl.DataFrame:
    return best.answer(_snapshot, _prompt_distributions(snapshot_id, question, _snapshot))
