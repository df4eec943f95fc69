"""The custom scenario: which model takes which prompts; whoever is in no list keeps its default."""

from __future__ import annotations

import polars as pl
import streamlit as st

from engine.analysis.prompt_selection import Choice, SelectionRule
from engine.answers.leaderboard import LeaderboardQuestion
from ui import blocks, reads
from ui.formats import counted
from ui.selectors import pick_many

LOW = 0.1
RULES = {
    "best": ("Best prompts for", Choice(SelectionRule.BEST)),
    "worst": ("Worst prompts for", Choice(SelectionRule.WORST)),
    "median": ("Median prompt for", Choice(SelectionRule.MEDIAN)),
    "low": ("10th percentile for", Choice(SelectionRule.QUANTILE, quantile=LOW)),
}
"""By URL parameter; a model in several lists follows the first."""


def pick_choices(question: LeaderboardQuestion, models: tuple[str, ...]) -> tuple[tuple[str, Choice], ...]:
    """A choice for every model that is in one of the lists."""
    chosen: dict[str, Choice] = {}
    with st.popover("Prompts of each model", icon=":material/group:"):
        blocks.show_caption("A model in no list keeps its default; in several, the first counts.")
        for parameter, (title, choice) in RULES.items():
            for model in pick_many(title, models, parameter=parameter, placeholder="nobody"):
                chosen.setdefault(model, choice)
        named = _pick_prompts(question)
        for model in pick_many("… taken by", models, parameter="named-for", placeholder="nobody"):
            chosen.setdefault(model, Choice(SelectionRule.NAMED, prompt_ids=named))
        blocks.show_caption(
            f"{counted(len(named), 'named prompt')}; on a task without one its taker keeps its default."
        )
    return tuple(sorted(chosen.items()))


def _pick_prompts(question: LeaderboardQuestion) -> tuple[str, ...]:
    prompts = reads.board(question).prompts.sort("task_name", "prompt_text", "prompt_id")
    prompts = prompts.with_columns(words=pl.format("{}: {}", "task_name", "prompt_text"))
    ids = dict(prompts.select("words", "prompt_id").iter_rows())
    picked = pick_many("Named prompts", list(ids), parameter="named", placeholder="none")
    return tuple(ids[words] for words in picked)
